// Written by scripts/make_web_types.py; do not edit.

export interface paths {
    "/api/studies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List all studies, the newest first. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudySummary"][];
                    };
                };
            };
        };
        put?: never;
        /** @description Create a study. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewStudy"];
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Create a study from an export, under a new id. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return a study: its definition and progress. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** @description Delete a study permanently. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** @description Change the texts of a study or its share of shared pairs, or archive it. */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StudyEdit"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/studies/{id}/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Return designs as cards: title, picture, rows. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Designs"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Card"][];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Create a study with the same definition and the owner's anchors, without answers and participants. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description Export the study as JSON, which `import` reads, or with its clips as ZIP, or its history as CSV.
         *
         *     The format `auto` is ZIP for a study whose designs are clips, and JSON for all others. With a risk weight, JSON also
         *     holds the recommendation for a participant, which an import ignores.
         */
        get: {
            parameters: {
                query?: {
                    format?: "csv" | "json" | "zip" | "auto";
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description Utility that a unit of noise costs; 0 ignores the noise. */
                    risk_weight?: number | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                        "text/csv": string;
                        "application/zip": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Return the open duel, or the next one; or the duel of an earlier answer once more, or a check of the anchors. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Ask"] | null;
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DuelView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Record an answer; idempotent. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Answer"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnswerView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Undo the last answer or change of anchors; idempotent if its number is given. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Undo"] | null;
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UndoView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the events of a study, oldest first. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Event"][];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Add a comment. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Remark"];
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CommentedLayout"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/comparisons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Import past comparisons from a CSV file, all of them or none. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            /** @description A CSV file in UTF-8, UTF-16 or Windows-1252. */
            requestBody: {
                content: {
                    "text/csv": string;
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImportView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Stream new events of a study (server-sent events); for the owner, by default those of all participants. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events, without an end. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the marked designs of a participant, with judgements and names. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnchorsView"];
                    };
                };
            };
        };
        put?: never;
        /** @description Mark a design as an anchor, or by another judgement, which replaces an earlier one; with an optional name. */
        post: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewAnchor"];
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnchorsView"];
                    };
                };
            };
        };
        /** @description Remove an anchor; the design is in the body or a query parameter. */
        delete: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description The design as JSON, for clients that cannot send a body. */
                    design?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Mark"] | null;
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnchorsView"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** @description Change the name of an anchor, or remove the name. */
        patch: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AnchorName"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnchorsView"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/studies/{id}/anchors/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Propose designs as anchors, each with the reason and what an anchor there would change. */
        get: {
            parameters: {
                query?: {
                    n?: number;
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposalView"][];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/anchors/validation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return whether the answers support the anchors: a Bayes factor, the verdict, and the agreement of repeats. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnchorValidationView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/recommendation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Recommend a design, with its probabilities. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description Utility that a unit of noise costs; 0 ignores the noise. */
                    risk_weight?: number | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RecommendationView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/assessment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return whether the participant can stop, the evidence for it, and the answers that contradict the others. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AssessmentView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return whether the participant's answers can be trusted: findings with a number, its interval and a sentence. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuditView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return grids for plots: utility, its interval, noise and reliability. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description A parameter, across. */
                    x?: string | null;
                    /** @description A parameter, up. */
                    y?: string | null;
                    /** @description A design, as JSON, that the map goes through. */
                    at?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Map"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/figures/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return a figure as plotly's data and layout. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description A parameter, across. */
                    x?: string | null;
                    /** @description A parameter, up. */
                    y?: string | null;
                    /** @description A design, as JSON, that slices and maps go through. */
                    at?: string | null;
                    /** @description Largest number of slices side by side. */
                    columns?: number;
                    /** @description Utility that a unit of noise costs; 0 ignores the noise. */
                    risk_weight?: number | null;
                    /** @description A finding of the audit, for the figure `audit`; by default all. */
                    finding?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                    name: "interval" | "slices" | "utility" | "uncertainty" | "noise" | "reliability" | "anchors" | "importance" | "gains" | "audit" | "anchor_evidence" | "retest";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FigureView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/convergence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return the expected gain of each duel. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": (number | null)[];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return the report, one self-contained HTML file. */
        get: {
            parameters: {
                query?: {
                    /** @description Participant; by default the owner. */
                    participant?: string | null;
                    /** @description Utility that a unit of noise costs; 0 ignores the noise. */
                    risk_weight?: number | null;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/participants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the participants and their links. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ParticipantView"][];
                    };
                };
            };
        };
        put?: never;
        /** @description Add a participant, who has their own anchors and duels. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ParticipantView"];
                    };
                };
            };
        };
        /** @description Remove a participant and revoke their link; their answers stay in the journal. */
        delete: {
            parameters: {
                query: {
                    name: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/participants/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Give a participant a new link; the old one is revoked. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ParticipantView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return the recommendation of each participant and their agreement. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Agreement"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Return the largest sizes that the server accepts. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Limits"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Read a CSV catalogue and guess the roles of its columns; nothing is stored. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description A CSV file in UTF-8, UTF-16 or Windows-1252. */
            requestBody: {
                content: {
                    "text/csv": string;
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CatalogueView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/examples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the examples. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ExampleLine"][];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/examples/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Create a study from an example. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Validate a study without creating it. Constraints may be text, such as ``"a + b <= 10"``. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewStudy"];
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyPreview"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/clips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List the clips of a study, and those that are missing. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ClipsView"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/{id}/clips/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** @description Upload an audio or video clip that the catalogue names; idempotent. */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            /** @description The bytes of a WAV, MP3, Ogg, MP4 or WebM file. */
            requestBody: {
                content: {
                    "application/octet-stream": string;
                };
            };
            responses: {
                /** @description Successful Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ClipView"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/studies/import/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Create a study with its clips from an export as ZIP, under a new id. */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description The bytes of an export as ZIP. */
            requestBody: {
                content: {
                    "application/octet-stream": string;
                };
            };
            responses: {
                /** @description Successful Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StudyView"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Opinions of all participants, their agreement and the consensus. */
        Agreement: {
            opinions: components["schemas"]["Opinion"][];
            participants: string[];
            matrix: number[][];
            consensus: components["schemas"]["Design"] | null;
            pairs: components["schemas"]["PairAgreement"][];
        };
        /** @description The new name of an anchor. */
        AnchorName: {
            design: {
                [key: string]: unknown;
            };
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
            /** @description What the participant calls it; null for no name. */
            name: string | null;
        };
        /** @description Whether a participant's anchors are right, according to their answers; see `anchorpbo.study.AnchorValidation`. */
        AnchorValidationView: {
            anchors: number;
            bayes_factor: number;
            /** @enum {string} */
            verdict: "supported" | "open" | "contradicted";
            sentence: string;
            explanation: string;
            advice: string;
            strengths: number[];
            factors: number[];
            retest: components["schemas"]["RetestView"];
        };
        /** @description Marked design of a participant. */
        AnchorView: {
            design: components["schemas"]["Design"];
            name: string | null;
            /**
             * @default yes
             * @enum {string}
             */
            judgement?: "yes" | "no" | "unsure";
        };
        /** @description All marked designs of a participant. */
        AnchorsView: {
            anchors: components["schemas"]["AnchorView"][];
            last: number | null;
        };
        /** @description Answer to a duel. */
        Answer: {
            /** @description Id of the open duel. */
            duel_id: string;
            /** @enum {string} */
            outcome: "first" | "second" | "tie" | "skip";
            /** @description Response time in milliseconds. */
            response_ms?: number | null;
            /**
             * @description Whether to return the next duel, as `next`.
             * @default false
             */
            ask?: boolean;
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
        };
        /** @description Recorded answer. */
        AnswerView: {
            duel_id: string;
            /** @enum {string} */
            outcome: "first" | "second" | "tie" | "skip";
            answers: number;
            repeated: boolean;
            event: number;
            next?: components["schemas"]["DuelView"] | null;
        };
        /** @description Participant who is asked. */
        Ask: {
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
            /** @description Number of an answer's event, to ask its duel once more with the sides swapped. */
            again?: number | null;
            /**
             * @description Whether to ask about designs whose comparison shows if the anchors are right.
             * @default false
             */
            check?: boolean;
        };
        /** @description Whether a participant can stop; see `anchorpbo.study.Assessment`. */
        AssessmentView: {
            /** @enum {string} */
            code: "early" | "stop" | "contradictory" | "continue";
            headline: string;
            sentence: string;
            evidence: string;
            predicted: number;
            recent: number;
            contradictions: components["schemas"]["ContradictionView"][];
        };
        /** @description Whether a participant's answers can be trusted; see `anchorpbo.study.Audit`. */
        AuditView: {
            sentence: string;
            answers: number;
            findings: components["schemas"]["FindingView"][];
        };
        /** @description Values of one parameter along an axis. */
        Axis: {
            name: string;
            values: unknown[];
            continuous: boolean;
            log: boolean;
        };
        /** @description A design prepared for display. */
        Card: {
            title: string | null;
            svg: string | null;
            image: string | null;
            link: string | null;
            rows: components["schemas"]["CardRow"][];
            clip: string | null;
            clip_kind: ("audio" | "video") | null;
        };
        /** @description Row of a card: one parameter with its value. */
        CardRow: {
            name: string;
            label: string;
            value: string;
            unit: string;
        };
        /** @description Catalogue read from a CSV file, with a suggested space and display. */
        CatalogueView: {
            rows: number;
            columns: components["schemas"]["ColumnView"][];
            space: components["schemas"]["CatalogueLayout"];
            display: components["schemas"]["DisplayLayout"];
            notes: string[];
            draws_molecules: boolean;
        };
        /** @description Clip of a study. */
        ClipView: {
            name: string;
            /** @enum {string} */
            kind: "audio" | "video";
            type: string;
            size: number;
        };
        /** @description Clips of a study, and those that are still to be uploaded. */
        ClipsView: {
            clips: components["schemas"]["ClipView"][];
            missing: string[];
        };
        /** @description Column of a CSV file, with its suggested role. */
        ColumnView: {
            name: string;
            /** @enum {string} */
            kind: "number" | "category" | "text" | "image" | "clip" | "link" | "smiles" | "fingerprint";
            examples: (string | number | boolean | null)[];
            distinct: number;
        };
        /** @description Answer that the participant's other answers make improbable; see `anchorpbo.study.Surprise`. */
        ContradictionView: {
            event: number;
            winner: components["schemas"]["Design"];
            loser: components["schemas"]["Design"];
            tie: boolean;
            probability: number;
            sentence: string;
        };
        /** @description Designs to show as cards. */
        Designs: {
            designs: {
                [key: string]: unknown;
            }[];
        };
        /** @description Duel: two designs to compare. */
        DuelView: {
            id: string;
            first: components["schemas"]["Design"];
            second: components["schemas"]["Design"];
            why: string;
            reason: string;
            answers: number;
            progress: components["schemas"]["Progress"];
            cards: components["schemas"]["Card"][];
            known: boolean[];
            last: number | null;
        };
        /** @description An entry of the list of examples. */
        ExampleLine: {
            key: string;
            title: string;
            description: string;
        };
        /** @description Figure as plotly's data and layout, which plotly.js draws. */
        FigureView: {
            description: string;
            data: {
                [key: string]: unknown;
            }[];
            layout: {
                [key: string]: unknown;
            };
        };
        /** @description Finding about the answers; see `anchorpbo.study.Finding`. */
        FindingView: {
            name: string;
            title: string;
            value: number | null;
            interval: number[];
            sentence: string;
            /** @enum {string} */
            level: "good" | "note" | "warning" | "unknown";
            level_text: string;
            figure: boolean;
        };
        /** @description Utility, its interval, noise and reliability at some designs, as lists of one length, or of rows and columns. */
        Grid_list_float__: {
            utility: number[] | null;
            low: number[] | null;
            high: number[] | null;
            noise: number[] | null;
            reliability: number[] | null;
        };
        /** @description Utility, its interval, noise and reliability at some designs, as lists of one length, or of rows and columns. */
        Grid_list_list_float___: {
            utility: number[][] | null;
            low: number[][] | null;
            high: number[][] | null;
            noise: number[][] | null;
            reliability: number[][] | null;
        };
        /** @description Result of an import of comparisons. */
        ImportView: {
            imported: number;
        };
        /** @description A participant to add or to give a new link. */
        Invitation: {
            name: string;
        };
        /** @description All items of a catalogue, or a selection, projected to the plane. */
        ItemProjection: {
            items: components["schemas"]["ProjectedItem"][];
            grid: components["schemas"]["Grid_list_float__"];
            shown: number;
            total: number;
        };
        /** @description Largest sizes that the server accepts. */
        Limits: {
            name: number;
            question: number;
            text: number;
            label: number;
            cards: number;
            proposals: number;
            anchors: number;
            parameters: number;
            constraints: number;
            choices: number;
            rows: number;
            columns: number;
            comparisons: number;
            pictures: number;
            clip_bytes: number;
            study_clips_bytes: number;
            response_ms: number;
            upload_bytes: number;
            archive_bytes: number;
        };
        /** @description Map of one participant's utility: the data of the plots on the results page. */
        Map: {
            answers: number;
            at: components["schemas"]["Design"] | null;
            slices: components["schemas"]["Slice"][];
            plane: components["schemas"]["Plane"] | null;
            items: components["schemas"]["ItemProjection"] | null;
            anchors: components["schemas"]["Design"][];
            anchor_names: (string | null)[];
            duels: components["schemas"]["AnsweredDuelLayout"][];
        };
        /** @description A design to mark or to remove the mark of. */
        Mark: {
            design: {
                [key: string]: unknown;
            };
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
        };
        /** @description A design to mark as an anchor or, with another judgement, as one that is not, with an optional name. */
        NewAnchor: {
            design: {
                [key: string]: unknown;
            };
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
            /** @description What the participant calls it. */
            name?: string | null;
            /**
             * @description Whether the participant could judge the design well.
             * @default yes
             * @enum {string}
             */
            judgement?: "yes" | "no" | "unsure";
        };
        /** @description Definition of a new study. */
        NewStudy: {
            /** @description Name of the study. */
            name: string;
            /**
             * @description Heading of each duel; by default the question that begins the description, if there is one.
             * @default
             */
            question?: string;
            /**
             * @description What the study is for, for its participants.
             * @default
             */
            description?: string;
            /** @description Key of the example that it comes from. */
            example?: string | null;
            /** @description Parameters and constraints, or a catalogue: {"kind": "space", ...} or {"kind": "catalogue", ...}. */
            space: {
                [key: string]: unknown;
            };
            /**
             * @description Designs that the owner knows well.
             * @default []
             */
            anchors?: {
                [key: string]: unknown;
            }[];
            /**
             * @description How designs are shown.
             * @default {}
             */
            display?: {
                [key: string]: unknown;
            };
            /**
             * @description strategy, preset, seed, likelihood, inference, risk_weight, repeat_rate ...
             * @default {}
             */
            options?: {
                [key: string]: unknown;
            };
            /**
             * @description Share of questions about pairs that another participant has answered; 0 for none.
             * @default 0.2
             */
            shared_pairs?: number;
        };
        /** @description Recommended design of one participant. */
        Opinion: {
            participant: string;
            answers: number;
            design: components["schemas"]["Design"] | null;
            utility: number | null;
            interval: number[] | null;
        };
        /** @description Agreement of two participants, each with answers. */
        PairAgreement: {
            participants: string[];
            correlation: number;
            interval: number[];
            /** @enum {string} */
            verdict: "agree" | "disagree" | "unrelated" | "unknown";
            shared: components["schemas"]["SharedAnswers"];
        };
        /** @description Participant of a study. */
        ParticipantView: {
            name: string;
            answers: number;
            anchors: number;
            link: string | null;
        };
        /** @description Grid over two parameters, with one row per value of y. */
        Plane: {
            x: components["schemas"]["Axis"];
            y: components["schemas"]["Axis"];
            grid: components["schemas"]["Grid_list_list_float___"];
        };
        /**
         * @description Progress of a study. Plain data, safe to share.
         *
         *     Parameters
         *     ----------
         *     duels
         *         Number of informative answers so far.
         *     gain
         *         Expected gain of the next duel, see `Duel`; ``None`` if the model does not select it.
         *     stop
         *         Whether the user can stop: `p_within` is at least 0.9.
         *     remaining
         *         Rough estimate of the number of further duels until the user can stop, from `p_within` alone; 0 if they can.
         *     sentence
         *         The same in a sentence.
         *     p_within
         *         Probability that the recommended design is within 10 % of the gap between a median design and the best, see
         *         `Recommendation`; ``None`` before the end of the initial duels.
         */
        Progress: {
            duels: number;
            gain: number | null;
            stop: boolean;
            remaining: number;
            sentence: string;
            p_within?: number | null;
        };
        /** @description An item of a catalogue with its two coordinates in the plane. */
        ProjectedItem: {
            design: {
                [key: string]: string | number | boolean | null;
            };
            x: number;
            y: number;
        };
        /** @description Design that a participant may mark; see `anchorpbo.AnchorProposal`. */
        ProposalView: {
            design: components["schemas"]["Design"];
            /** @enum {string} */
            reason: "coverage" | "promising";
            gain: number;
            sentence: string;
        };
        /** @description Recommended design with its uncertainty; see `anchorpbo.study.Recommendation`. */
        RecommendationView: {
            design: components["schemas"]["Design"];
            utility: number;
            interval: number[];
            reference: string;
            noise: number;
            /** @enum {string} */
            relative_to: "average" | "design" | "origin";
            p_best: number;
            credible_set: components["schemas"]["Design"][];
            credible_probabilities: number[];
            risk_weight: number;
            p_within: number;
            margin: number;
            p_within_compared: number;
            answers: number;
        };
        /** @description A comment. */
        Remark: {
            text: string;
            /** @description Number of the event that the comment is about. */
            event?: number | null;
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
        };
        /** @description Agreement of answers to the same pair in one band of reliability; see `anchorpbo.study.RetestBand`. */
        RetestBandView: {
            name: string;
            retests: number;
            agreed: number;
            share: number | null;
            interval: number[];
            expected: number | null;
        };
        /** @description Agreement of a participant's answers to the same pair; see `anchorpbo.study.Retest`. */
        RetestView: {
            sentence: string;
            retests: number;
            bands: components["schemas"]["RetestBandView"][];
        };
        /** @description Answers of two participants to the pairs that both were asked. */
        SharedAnswers: {
            same: number;
            opposite: number;
            undecided: number;
            share: number | null;
            interval: number[];
            /** @enum {string} */
            verdict: "agree" | "disagree" | "unrelated" | "unknown";
        };
        /** @description Grid along one parameter. */
        Slice: {
            axis: components["schemas"]["Axis"];
            grid: components["schemas"]["Grid_list_float__"];
        };
        /** @description New values of a study's properties; properties that are left out stay as they are. */
        StudyEdit: {
            name?: string | null;
            question?: string | null;
            description?: string | null;
            /** @description Whether the study is listed among the archived ones. */
            archived?: boolean | null;
            /** @description Share of questions about pairs that another participant has answered; 0 for none. */
            shared_pairs?: number | null;
        };
        /** @description Preview of the study that a valid request would create. */
        StudyPreview: {
            ok: boolean;
            dimension: number;
            designs: number | null;
            constraints: components["schemas"]["ConstraintLayout"][];
            card: components["schemas"]["Card"];
        };
        /** @description Summary of a study, as in the list of studies. */
        StudySummary: {
            id: string;
            name: string;
            created: string;
            updated: string;
            answers: number;
            archived: boolean;
        };
        /** @description Study with its definition and its progress. */
        StudyView: {
            id: string;
            name: string;
            question: string;
            description: string;
            example: string | null;
            created: string;
            updated: string;
            answers: number;
            archived: boolean;
            shared_pairs: number;
            participants: string[];
            space: components["schemas"]["Space"];
            display: components["schemas"]["DisplayLayout"];
            options: components["schemas"]["OptionsLayout"];
        };
        /** @description Event to undo. */
        Undo: {
            /** @description Number of the event, which must be the last one not undone; makes the request idempotent. */
            event?: number | null;
            /** @description Acting participant; by default the owner. Can be a query parameter instead. */
            participant?: string | null;
        };
        /** @description Undone event. */
        UndoView: {
            event: components["schemas"]["UndoneEvent"];
            pending: components["schemas"]["DuelView"] | null;
            repeated: boolean;
        };
        /** @description Problem details of an error (RFC 9457). */
        Problem: {
            /** @default about:blank */
            type?: string;
            title: string;
            status: number;
            detail: string;
            /** @description Kind of error, for programs to branch on. */
            code: string;
            /**
             * @description Part of the request that the error is about, such as space.constraints.1.
             * @default null
             */
            field?: string | null;
            /**
             * @description Value that breaks the rule, if it is short.
             * @default null
             */
            value?: unknown;
            /**
             * @description What must hold.
             * @default null
             */
            rule?: string | null;
            /**
             * @description Value received.
             * @default null
             */
            received?: string | null;
            /**
             * @description What to do.
             * @default null
             */
            remedy?: string | null;
        };
        Design: {
            [key: string]: string | number | boolean | null;
        };
        /** @description Parameter that is true or false. */
        BooleanLayout: {
            name: string;
            /** @constant */
            kind: "boolean";
        };
        /** @description Design space that is a list of designs, with the roles of its columns. */
        CatalogueLayout: {
            /** @constant */
            kind: "catalogue";
            columns: components["schemas"]["ColumnLayout"][];
            features: string[];
            categories: string[];
            fingerprint: string[];
            key: string;
        };
        /** @description Parameter with a list of values. */
        ChoiceLayout: {
            name: string;
            /** @enum {string} */
            kind: "categorical" | "ordinal";
            values: (string | number | boolean | null)[];
        };
        /** @description Column of a catalogue. */
        ColumnLayout: {
            name: string;
            values: (string | number | boolean | null)[];
        };
        /** @description Parameter with one value. */
        ConstantLayout: {
            name: string;
            /** @constant */
            kind: "constant";
            value: string | number | boolean | null;
        };
        /** @description Linear constraint: a sum of parameters times coefficients between two bounds, of which one may be null. */
        ConstraintLayout: {
            coefficients: {
                [key: string]: number;
            };
            lower: number | null;
            upper: number | null;
        };
        /** @description Parameter that is an integer. */
        IntegerLayout: {
            name: string;
            /** @constant */
            kind: "integer";
            low: number;
            high: number;
            /** @default false */
            log?: boolean;
        };
        /** @description Design space of parameters. */
        ParameterSpaceLayout: {
            /** @constant */
            kind: "space";
            parameters: (components["schemas"]["RealLayout"] | components["schemas"]["IntegerLayout"] | components["schemas"]["ChoiceLayout"] | components["schemas"]["BooleanLayout"] | components["schemas"]["ConstantLayout"])[];
            constraints: components["schemas"]["ConstraintLayout"][];
        };
        /** @description Parameter that is a real number. */
        RealLayout: {
            name: string;
            /** @constant */
            kind: "real";
            low: number;
            high: number;
            /** @default false */
            log?: boolean;
            /** @default null */
            step?: number | null;
        };
        Space: components["schemas"]["ParameterSpaceLayout"] | components["schemas"]["CatalogueLayout"];
        /** @description How designs are shown, see `anchorpbo.app.rendering.display`; keys without a value are left out. */
        DisplayLayout: {
            /** @default null */
            template?: string | null;
            /** @default null */
            svg?: string | null;
            /** @default null */
            image?: string | null;
            /** @default null */
            smiles?: string | null;
            /** @default null */
            clip?: string | null;
            /** @default null */
            link?: string | null;
            /** @default null */
            title?: string | null;
            /** @default null */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            units?: {
                [key: string]: string;
            } | null;
            /** @default null */
            hidden?: string[] | null;
            /** @default null */
            hide_values?: boolean | null;
        };
        /** @description Options of the study's `Optimizer`; null if the preset decides, an object once resolved. */
        OptionsLayout: {
            strategy: string | {
                [key: string]: unknown;
            } | null;
            preset: string | {
                [key: string]: unknown;
            } | null;
            seed: number | null;
            likelihood: string | {
                [key: string]: unknown;
            } | null;
            inference: string | {
                [key: string]: unknown;
            } | null;
            initial: number | null;
            refit_every: number | null;
            risk_weight: number | null;
            repeat_rate: number | null;
        };
        /** @description Change of a participant's anchors. */
        AnchorLayout: {
            number: number;
            time: string;
            participant: string;
            response_ms: number | null;
            /** @default null */
            stands?: boolean | null;
            /** @enum {string} */
            type: "anchor_added" | "anchor_removed";
            design: components["schemas"]["Design"];
            /** @default null */
            name?: string | null;
        };
        /** @description Answer to a duel. */
        AnsweredLayout: {
            number: number;
            time: string;
            participant: string;
            response_ms: number | null;
            /** @default null */
            stands?: boolean | null;
            /** @constant */
            type: "answered";
            duel_id: string;
            first: components["schemas"]["Design"];
            second: components["schemas"]["Design"];
            /** @enum {string} */
            outcome: "first" | "second" | "tie" | "skip";
            /** @default null */
            imported?: boolean | null;
        };
        UndoneEvent: components["schemas"]["AnsweredLayout"] | components["schemas"]["AnchorLayout"];
        /** @description Comment on an event, or on the study if `event` is null. */
        CommentedLayout: {
            number: number;
            time: string;
            participant: string;
            response_ms: number | null;
            /** @default null */
            stands?: boolean | null;
            /** @constant */
            type: "commented";
            text: string;
            event: number | null;
        };
        /** @description Answered duel of a map. */
        AnsweredDuelLayout: {
            first: components["schemas"]["Design"];
            second: components["schemas"]["Design"];
            /** @enum {string} */
            outcome: "first" | "second" | "tie" | "skip";
        };
        /** @description New name of an anchor; null removes the name. */
        AnchorNamedLayout: {
            number: number;
            time: string;
            participant: string;
            response_ms: number | null;
            /** @default null */
            stands?: boolean | null;
            /** @constant */
            type: "anchor_named";
            design: components["schemas"]["Design"];
            name: string | null;
        };
        /** @description Event of another type, whose further properties depend on it. */
        OtherEventLayout: {
            number: number;
            time: string;
            participant: string;
            response_ms: number | null;
            /** @default null */
            stands?: boolean | null;
            /** @enum {string} */
            type: "created" | "edited" | "asked" | "undone" | "removed" | "invited" | "relinked";
        };
        Event: components["schemas"]["AnsweredLayout"] | components["schemas"]["AnchorLayout"] | components["schemas"]["AnchorNamedLayout"] | components["schemas"]["CommentedLayout"] | components["schemas"]["OtherEventLayout"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Agreement = components['schemas']['Agreement'];
export type AnchorName = components['schemas']['AnchorName'];
export type AnchorValidationView = components['schemas']['AnchorValidationView'];
export type AnchorView = components['schemas']['AnchorView'];
export type AnchorsView = components['schemas']['AnchorsView'];
export type Answer = components['schemas']['Answer'];
export type AnswerView = components['schemas']['AnswerView'];
export type Ask = components['schemas']['Ask'];
export type AssessmentView = components['schemas']['AssessmentView'];
export type AuditView = components['schemas']['AuditView'];
export type Axis = components['schemas']['Axis'];
export type Card = components['schemas']['Card'];
export type CardRow = components['schemas']['CardRow'];
export type CatalogueView = components['schemas']['CatalogueView'];
export type ClipView = components['schemas']['ClipView'];
export type ClipsView = components['schemas']['ClipsView'];
export type ColumnView = components['schemas']['ColumnView'];
export type ContradictionView = components['schemas']['ContradictionView'];
export type Designs = components['schemas']['Designs'];
export type DuelView = components['schemas']['DuelView'];
export type ExampleLine = components['schemas']['ExampleLine'];
export type FigureView = components['schemas']['FigureView'];
export type FindingView = components['schemas']['FindingView'];
export type GridListFloat = components['schemas']['Grid_list_float__'];
export type GridListListFloat = components['schemas']['Grid_list_list_float___'];
export type ImportView = components['schemas']['ImportView'];
export type Invitation = components['schemas']['Invitation'];
export type ItemProjection = components['schemas']['ItemProjection'];
export type Limits = components['schemas']['Limits'];
export type Map = components['schemas']['Map'];
export type Mark = components['schemas']['Mark'];
export type NewAnchor = components['schemas']['NewAnchor'];
export type NewStudy = components['schemas']['NewStudy'];
export type Opinion = components['schemas']['Opinion'];
export type PairAgreement = components['schemas']['PairAgreement'];
export type ParticipantView = components['schemas']['ParticipantView'];
export type Plane = components['schemas']['Plane'];
export type Progress = components['schemas']['Progress'];
export type ProjectedItem = components['schemas']['ProjectedItem'];
export type ProposalView = components['schemas']['ProposalView'];
export type RecommendationView = components['schemas']['RecommendationView'];
export type Remark = components['schemas']['Remark'];
export type RetestBandView = components['schemas']['RetestBandView'];
export type RetestView = components['schemas']['RetestView'];
export type SharedAnswers = components['schemas']['SharedAnswers'];
export type Slice = components['schemas']['Slice'];
export type StudyEdit = components['schemas']['StudyEdit'];
export type StudyPreview = components['schemas']['StudyPreview'];
export type StudySummary = components['schemas']['StudySummary'];
export type StudyView = components['schemas']['StudyView'];
export type Undo = components['schemas']['Undo'];
export type UndoView = components['schemas']['UndoView'];
export type Problem = components['schemas']['Problem'];
export type Design = components['schemas']['Design'];
export type BooleanLayout = components['schemas']['BooleanLayout'];
export type CatalogueLayout = components['schemas']['CatalogueLayout'];
export type ChoiceLayout = components['schemas']['ChoiceLayout'];
export type ColumnLayout = components['schemas']['ColumnLayout'];
export type ConstantLayout = components['schemas']['ConstantLayout'];
export type ConstraintLayout = components['schemas']['ConstraintLayout'];
export type IntegerLayout = components['schemas']['IntegerLayout'];
export type ParameterSpaceLayout = components['schemas']['ParameterSpaceLayout'];
export type RealLayout = components['schemas']['RealLayout'];
export type Space = components['schemas']['Space'];
export type DisplayLayout = components['schemas']['DisplayLayout'];
export type OptionsLayout = components['schemas']['OptionsLayout'];
export type AnchorLayout = components['schemas']['AnchorLayout'];
export type AnsweredLayout = components['schemas']['AnsweredLayout'];
export type UndoneEvent = components['schemas']['UndoneEvent'];
export type CommentedLayout = components['schemas']['CommentedLayout'];
export type AnsweredDuelLayout = components['schemas']['AnsweredDuelLayout'];
export type AnchorNamedLayout = components['schemas']['AnchorNamedLayout'];
export type OtherEventLayout = components['schemas']['OtherEventLayout'];
export type Event = components['schemas']['Event'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
