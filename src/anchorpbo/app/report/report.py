"""The report of one participant: one HTML file without scripts, for screen and print.

`anchorpbo.html.tag` escapes all text written by people; `anchorpbo.app.rendering.svg` sanitizes drawings of designs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from anchorpbo import __version__
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.report.descriptions import (
    EVENT_PREFIXES,
    DesignDescriber,
    describe_anchor,
    describe_event,
    describe_option,
    describe_outcome,
    describe_parameter,
    format_date,
    format_duration,
    format_minute,
    format_noise,
    format_number,
    format_percent,
)
from anchorpbo.app.report.page import render_document, render_section, render_table
from anchorpbo.app.report.pictures import render_picture
from anchorpbo.app.report.thumbnails import Thumbnails
from anchorpbo.app.service.figures import FigureName, FigureOptions
from anchorpbo.app.service.layouts import Design, JSONObject
from anchorpbo.app.service.study_service import StudyService
from anchorpbo.app.service.views.anchors import AnchorView
from anchorpbo.app.service.views.results import AssessmentView, ContradictionView, RecommendationView
from anchorpbo.app.service.views.studies import StudyView
from anchorpbo.app.service.views.trust import AuditView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.formatting import format_probability
from anchorpbo.html import Markup, escape, tag
from anchorpbo.plots.gains_plot import GainsPlot
from anchorpbo.plots.plot import Plot
from anchorpbo.space import Catalogue, Space
from anchorpbo.study.events import Judgement
from anchorpbo.study.progress import NEGLIGIBLE_GAIN

MAX_CANDIDATES = 50
MAX_CONTRADICTIONS = 3
_SLICES_TEXT = (
    "All other parameters as recommended. The line is the expected utility, the band holds it with 90 % probability; "
    "the dotted line is the noise of the judgements, with its axis at the right. The upright line is the recommended "
    "value."
)
_IMPORTANCE_TEXT = (
    "How much of the variation of the utility each parameter explains, with 90 % intervals. The shares add up to more "
    "than 100 % if parameters interact."
)
_MAP_TEXT = (
    "Dark dots were preferred to the light ones they are joined with; dotted lines join equal designs. All of these "
    "and the anchors may differ in the other parameters too."
)
_ITEMS_TEXT = "Each dot is an item; alike ones lie close together. Thin lines join what was compared."
_GAINS_TEXT = (
    "Expected gain of each comparison that the model selected, as a share of the range of utilities seen. Initial, "
    f"shared and repeated pairs have none. Below the dashed line, at {100 * NEGLIGIBLE_GAIN:g} %, it is negligible. "
    "The study can stop when the recommended design is close to the best with 90 % probability."
)
_AUDIT_TEXT = (
    "A curve is the posterior of a finding's number, the thick line below it is the 90 % interval, and the dashed line "
    "is the number that the model expects, or that of a study without the fault. Grey bars count simulated users who "
    "answer as the model expects. Lines over the answers are moving averages."
)
_FIGURE_LABELS: Mapping[FigureName, str] = {
    "anchor_evidence": "Evidence for the anchors",
    "retest": "Agreement of answers to the same pair",
}


def render_report(studies: StudyService, id: str, participant: str = OWNER, risk_weight: float | None = None) -> str:
    """Render the report of one participant as an HTML document.

    Parameters
    ----------
    studies
        The use cases.
    id
        Id of the study.
    participant
        Participant whose answers are reported.
    risk_weight
        Utility subtracted per unit of noise when a design is recommended; by default the study's setting.
    """
    study, describer = studies.show(id), DesignDescriber(studies.definition(id))
    history, anchors = studies.history(id, participant), studies.anchors.show(id, participant).anchors
    answers, thumbnails = studies.duels.count_answers(id, participant), Thumbnails(studies, id)
    main = [_render_header(study, participant, answers)]
    if answers:
        best = studies.results.recommend(id, participant, risk_weight)
        others = [
            one for one in zip(best.credible_set, best.credible_probabilities, strict=True) if one[0] != best.design
        ]
        (card,) = studies.cards.show(id, [best.design])
        interval = studies.results.make_figure(id, "interval", participant, FigureOptions(risk_weight=best.risk_weight))
        main += [
            _render_verdict(studies.results.assess(id, participant), describer),
            _render_recommendation(best, card, studies.cards.pictures(id), interval),
            _render_candidates(best, others[:MAX_CANDIDATES], describer, thumbnails),
            *_render_figures(studies, id, participant, best),
            _render_audit(
                studies.results.audit(id, participant),
                studies.results.make_figure(id, "audit", participant),
                _render_validation(studies, id, participant),
            ),
        ]
    else:
        text = "There is no comparison yet, so nothing to recommend. The report fills up with the first answers."
        main.append(render_section("Recommended", tag("p", text)))
    main += [
        _render_anchors(anchors, describer, thumbnails),
        _render_history(history, describer, thumbnails),
        _render_settings(study, describer, bool(answers)),
        _render_explanation(study, participant),
    ]
    return render_document(f"{study.name}: report", [*main, thumbnails.render_definitions()])


# -- sections ---------------------------------------------------------------------------------------------------------


def _render_header(study: StudyView, participant: str, answers: int) -> Markup:
    count = f"{answers} {'comparison' if answers == 1 else 'comparisons'}"
    whose = "" if participant == OWNER else f" by {participant}"
    facts = f"{count}{whose}. Begun {format_date(study.created)}, last changed {format_date(study.updated)}."
    about = [tag("p", line) for line in study.description.splitlines() if line.strip()]
    if not study.question or study.question not in study.description:
        about.append(tag("p", "Question: ", tag("b", study.question or "Which do you prefer?")))
    return tag("header", tag("h1", study.name), *about, tag("p", facts, class_="quiet"))


def _render_verdict(found: AssessmentView, describer: DesignDescriber) -> Markup:
    parts = [tag("p", tag("b", found.headline), f" {found.sentence}", class_="lead")]
    if found.evidence:
        parts.append(tag("p", found.evidence))
    listed = [
        tag("li", f"{_describe_answer(one, describer)}: ", one.sentence)
        for one in found.contradictions[:MAX_CONTRADICTIONS]
    ]
    if listed:
        parts += [tag("p", "Answers that contradict the others:"), tag("ul", *listed)]
    return render_section("Verdict", *parts)


def _describe_answer(answer: ContradictionView, describer: DesignDescriber) -> str:
    first, second = (
        describer.describe_difference(one, other)
        for one, other in ((answer.winner, answer.loser), (answer.loser, answer.winner))
    )
    return f"{first} and {second} are equal" if answer.tie else f"{first} over {second}"


def _render_recommendation(best: RecommendationView, card: Card, pictures: Mapping[str, str], interval: Plot) -> Markup:
    low, high = best.interval
    sure = "Clearly better" if low > 0 else "Probably better" if best.utility > 0 else "Not better"
    than = "zero" if best.relative_to == "origin" else "the average of the designs compared"
    sentence = (
        f"{sure} than {than}: by {format_number(best.utility, 1)}, with 90 % probability between "
        f"{format_number(low, 1)} and {format_number(high, 1)}."
    )
    facts = [
        (
            "Close to the best",
            format_probability(best.p_within),
            f"probability of being within {format_percent(best.margin)} of the gap between a median design and the "
            "best",
        ),
        (
            "Best of those compared",
            f"{format_probability(best.p_within_compared)} sure",
            "that nothing compared is noticeably better",
        ),
        ("Noise of judgement", format_noise(best.noise), "0 would be perfectly steady"),
        (
            "Risk weight",
            f"{best.risk_weight:g}",
            "higher values favour designs that are judged reliably; 0 ignores the noise",
        ),
    ]
    listed = [
        tag("div", tag("dt", name), tag("dd", tag("b", value), tag("small", note))) for name, value, note in facts
    ]
    summary = tag(
        "div", tag("p", sentence, class_="lead"), render_picture(interval), tag("dl", *listed, class_="facts")
    )
    return render_section("Recommended", tag("div", _render_card(card, pictures), summary, class_="best-of"))


def _render_card(card: Card, pictures: Mapping[str, str]) -> Markup:
    rows = [tag("div", tag("dt", row.label), tag("dd", f"{row.value} {row.unit}".rstrip())) for row in card.rows]
    title = [tag("h3", card.title)] if card.title else []
    drawing = Markup(card.svg or "")  # sanitized at its creation
    picture = (
        [tag("div", drawing, class_="picture", role="img", aria_label=card.title or "The design")] if drawing else []
    )
    if card.image and card.image in pictures:
        shown = Markup(f'<img src="{escape(pictures[card.image])}" alt="{escape(card.image)}">')
        picture.append(tag("div", shown, class_="picture"))
    elif card.image:
        picture.append(tag("p", f"Picture: {card.image}", class_="quiet"))
    if card.clip:
        picture.append(tag("p", f"Clip: {card.clip}, which is not in this file", class_="quiet"))
    return tag("div", *title, *picture, *([tag("dl", *rows)] if rows else []), class_="card")


def _render_candidates(
    best: RecommendationView,
    others: Sequence[tuple[Design, float]],
    describer: DesignDescriber,
    thumbnails: Thumbnails,
) -> Markup:
    if not others:
        return render_section(
            "Other candidates", tag("p", "No other design compared is likely to be the best of them.")
        )
    share = sum(probability for _, probability in others)
    text = f"These could be the best of the designs compared too, with {format_percent(share)} probability together."
    if describer.catalogue is None:
        text += " The list shows how they differ from the recommended one."
    rows = [
        [
            tag("td", thumbnails.render(design), describer.describe_difference(design, best.design)),
            tag("td", format_percent(probability), class_="number"),
        ]
        for design, probability in others
    ]
    return render_section(
        "Other candidates", tag("p", text), render_table(("Design", "Probability"), rows, ("Probability",))
    )


def _render_figures(studies: StudyService, id: str, participant: str, best: RecommendationView) -> list[Markup]:
    """Render the sections with figures; a catalogue has no slices, and one parameter no map."""
    options = FigureOptions(best.design, *_choose_axes(studies, id, participant, best), risk_weight=best.risk_weight)

    def render(title: str, name: FigureName, text: str) -> Markup:
        picture = render_picture(studies.results.make_figure(id, name, participant, options))
        return render_section(
            title, tag("p", text), tag("figure", picture, class_="wide", tabindex="0", aria_label=title)
        )

    space, sections = studies.definition(id).space, []
    if isinstance(space, Space):
        sections.append(render("One parameter at a time", "slices", _SLICES_TEXT))
        sections.append(render("Importance of parameters", "importance", _IMPORTANCE_TEXT))
    if options.x is not None or isinstance(space, Catalogue):
        sections.append(render("Map", "utility", _MAP_TEXT if isinstance(space, Space) else _ITEMS_TEXT))
    gains = studies.results.make_figure(id, "gains", participant)
    if isinstance(gains, GainsPlot) and gains.data.duels:
        sections.append(render("Expected gain", "gains", _GAINS_TEXT))
    return sections


def _render_validation(studies: StudyService, id: str, participant: str) -> list[Markup]:
    """Render whether the anchors are right, and the agreement of repeated pairs; each only if there are any."""

    def render_figure(name: FigureName) -> Markup:
        plot = studies.results.make_figure(id, name, participant)
        return tag("figure", render_picture(plot), class_="wide", tabindex="0", aria_label=_FIGURE_LABELS[name])

    found = studies.results.validate_anchors(id, participant)
    parts: list[Markup] = []
    if found.anchor_paragraphs:
        parts += [tag("h3", "Are my anchors right?"), *(tag("p", text) for text in found.anchor_paragraphs)]
        parts += [render_figure("anchor_evidence")] if found.strengths else []
    if found.retest.retests:
        parts += [tag("h3", "Repeated pairs"), tag("p", found.retest.sentence), render_figure("retest")]
    return parts


def _render_audit(found: AuditView, figure: Plot, anchors: Sequence[Markup]) -> Markup:
    listed = [tag("li", tag("b", f"{one.title} ({one.level_text}): "), one.sentence) for one in found.findings]
    parts = [tag("p", found.sentence, class_="lead"), *anchors]
    parts += [tag("h3", "Findings")] if anchors else []
    parts += [tag("ul", *listed), tag("p", _AUDIT_TEXT)]
    if any(one.figure for one in found.findings):
        picture = render_picture(figure)
        parts.append(tag("figure", picture, class_="wide", tabindex="0", aria_label="Findings about the answers"))
    return render_section("Can I trust these answers?", *parts)


def _choose_axes(
    studies: StudyService, id: str, participant: str, best: RecommendationView
) -> tuple[str | None, str | None]:
    """Return the two parameters with the largest effect on the utility; ``None`` if there is no plane."""
    plane = studies.results.make_map(id, participant, best.design, strongest=True).plane
    return (None, None) if plane is None else (plane.x.name, plane.y.name)


def _render_anchors(anchors: Sequence[AnchorView], describer: DesignDescriber, thumbnails: Thumbnails) -> Markup:
    def render(judgement: Judgement) -> Markup | None:
        found = [one for one in anchors if one.judgement == judgement]
        listed = (
            tag("li", thumbnails.render(one.design), describe_anchor(one.design, one.name, describer)) for one in found
        )
        return tag("ul", *listed) if found else None

    known, unknown = render("yes"), render("no")
    parts: list[Markup] = []
    if known is not None:
        parts += [tag("p", "Designs marked as well known. Answers count for more near these."), known]
    if unknown is not None:
        parts += [tag("p", "Designs marked as hard to judge. Answers count for less near these."), unknown]
    nothing = tag("p", "No designs were marked as well known: all count as equally hard to judge.")
    return render_section("Anchors", *(parts or [nothing]))


def _render_history(history: Sequence[JSONObject], describer: DesignDescriber, thumbnails: Thumbnails) -> Markup:
    comments: dict[int | None, list[str]] = {}
    for event in history:
        if event["type"] == "commented":
            comments.setdefault(event.get("event"), []).append(event["text"])
    cell = lru_cache(maxsize=1_000)(partial(tag, "td"))  # most texts occur in many rows
    rows = []
    for event in history:
        if event["type"] in EVENT_PREFIXES or (event["type"] == "commented" and event.get("event") is None):
            remarks = [tag("q", remark) for remark in comments.get(event["number"], ())]
            kind = None if event["stands"] else "back"
            rows.append([
                cell(format_minute(event["time"]), class_="time"),
                tag("td", describe_event(event, describer, thumbnails.render), class_=kind),
                cell(describe_outcome(event), class_=kind),
                cell(format_duration(event.get("response_ms")), class_="number"),
                cell("" if event["stands"] else "taken back"), tag("td", *remarks),
            ])  # fmt: skip
    heads = ("Time (UTC)", "What", "Outcome", "Took", "State", "Comments")
    table = render_table(heads, rows, ("Took",))
    return render_section(
        "History", tag("div", table, class_="history", tabindex="0", role="region", aria_label="Table of the history")
    )


def _render_settings(study: StudyView, describer: DesignDescriber, recommended: bool) -> Markup:
    # The recommendation may use another risk weight than the study; the report shows the recommendation's.
    rows = [
        (name.replace("_", " ").capitalize(), describe_option(value))
        for name, value in study.options.items()
        if value is not None and not (recommended and name == "risk_weight")
    ]
    if describer.catalogue is not None:
        rows.append(("Catalogue", f"{len(describer.catalogue)} items, {len(describer.catalogue.names)} columns"))
    rows += [
        (describer.label_with_unit(one["name"]), describe_parameter(one)) for one in study.space.get("parameters", ())
    ]
    rows += [("Rule", describer.describe_constraint(one)) for one in study.space.get("constraints", ())]
    body = [[tag("th", name, scope="row"), tag("td", value)] for name, value in rows]
    return render_section("Settings", render_table((), body))


def _render_explanation(study: StudyView, participant: str) -> Markup:
    texts = [
        "Utility is how much someone likes a design, learnt from which of two they preferred. It has no natural zero "
        "and no unit: only differences count, here to the average of the designs that were compared.",
        "An interval holds the utility with 90 % probability, as far as the model is right. A design is close to the "
        "best if its utility is within 10 % of the gap between a median design and the best design of all. The "
        "probability of being the best of those compared is shared among designs that are much alike.",
        "Noise says how unsteady a judgement is. It is taken to be small near the anchors, designs that are known "
        "well, and larger far from them. The risk weight says how much of it counts against a design.",
        "Taken back entries stay in the history and count for nothing.",
    ]
    whose = "" if participant == OWNER else f", answers of {participant}"
    cite = (
        f"anchorpbo {__version__}, preferential Bayesian optimisation with anchors. Study “{study.name}” ({study.id})"
        f"{whose}, as of {format_date(study.updated)}."
    )
    return render_section(
        "What this means", *(tag("p", text) for text in texts), tag("h3", "How to cite"), tag("p", cite)
    )
