// Types of a request and its reply by method and path, from those that OpenAPI describes.

import type { paths } from "./rest";

export type Method = "get" | "post" | "put" | "patch" | "delete";

type Served<M extends Method> = { [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never }[keyof paths];

/** Paths that a method is served at, without `/api`. */
export type PathOf<M extends Method> = Served<M> extends infer P ? (P extends `/api${infer Rest}` ? Rest : never) : never;

type Operation<M extends Method, P extends PathOf<M>> = `/api${P}` extends keyof paths ? paths[`/api${P}`][M] : never;

/** Query parameters; those that are undefined are left out. */
export type Query<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { parameters: { query?: infer Q } } ? ([NonNullable<Q>] extends [never] ? Record<string, never> : NonNullable<Q>) : never;

/** Body as JSON; `{}` where the path takes none. */
export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody?: { content: { "application/json": infer B } } } ? NonNullable<B> : Record<string, never>;

/** What the promise resolves to: null if the reply has no content. */
export type Reply<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R }
    ? R[keyof R & (200 | 201)] extends { content: { "application/json": infer Data } } ? Data : null
    : never;

export interface Options {
  /** Values of the names in braces; `id` is by default the study of the page. */
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | null | undefined>;
  signal?: AbortSignal;
}
