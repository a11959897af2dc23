"""The report of one participant: one HTML file without scripts, for screen and print.

`anchorpbo.html.tag` escapes all text written by people; `anchorpbo.app.rendering.svg` sanitizes drawings of designs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from anchorpbo import __version__
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.report.charts import Marks, draw_gains, draw_interval, draw_items, draw_plane, draw_slice
from anchorpbo.app.report.descriptions import (
    EVENT_PREFIXES,
    DesignDescriber,
    describe_constraint,
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
from anchorpbo.app.service.maps import Map
from anchorpbo.app.service.study_service import StudyService
from anchorpbo.app.service.views import Design, JSONObject, RecommendationView, StudyView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.formatting import format_probability
from anchorpbo.html import Markup, escape, tag
from anchorpbo.study.progress import NEGLIGIBLE_GAIN

MAX_CANDIDATES = 50


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
    history, anchors = studies.history(id, participant), studies.anchors(id, participant)
    answers = studies.answers(id, participant)
    main = [_render_header(study, participant, answers)]
    if answers:
        best = studies.recommendation(id, participant, risk_weight)
        others = [
            one for one in zip(best.credible_set, best.credible_probabilities, strict=True) if one[0] != best.design
        ]
        (card,) = studies.cards(id, [best.design])
        view = studies.map(id, participant, best.design, strongest=True)
        main += [
            _render_recommendation(best, card, studies.pictures(id)),
            _render_candidates(best, others[:MAX_CANDIDATES], describer),
            _render_slices(view, describer),
            _render_map(view, best, describer),
            _render_gains(studies.convergence(id, participant)),
        ]
    else:
        text = "There is no comparison yet, so nothing to recommend. The report fills up with the first answers."
        main.append(render_section("Recommended", tag("p", text)))
    main += [
        _render_anchors(anchors, describer),
        _render_history(history, describer),
        _render_settings(study, describer, bool(answers)),
        _render_explanation(study, participant),
    ]
    return render_document(f"{study.name}: report", main)


# -- sections ---------------------------------------------------------------------------------------------------------


def _render_header(study: StudyView, participant: str, answers: int) -> Markup:
    count = f"{answers} {'comparison' if answers == 1 else 'comparisons'}"
    whose = "" if participant == OWNER else f" by {participant}"
    facts = f"{count}{whose}. Begun {format_date(study.created)}, last changed {format_date(study.updated)}."
    about = [tag("p", line) for line in study.description.splitlines() if line.strip()]
    return tag("header", tag("h1", study.name), *about, tag("p", facts, class_="quiet"))


def _render_recommendation(best: RecommendationView, card: Card, pictures: Mapping[str, str]) -> Markup:
    low, high = best.interval
    sure = "Clearly better" if low > 0 else "Probably better" if best.utility > 0 else "Not better"
    origin = best.reference.startswith("zero")
    than = "zero" if origin else "the average of the designs compared"
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
            format_percent(best.p_best),
            "probability that no design compared is better; designs much alike share it",
        ),
        ("Noise of judgement", format_noise(best.noise), "0 would be perfectly steady"),
        ("Risk weight", f"{best.risk_weight:g}", "what a unit of noise counts, in utility"),
    ]
    listed = [
        tag("div", tag("dt", name), tag("dd", tag("b", value), tag("small", note))) for name, value, note in facts
    ]
    chart = draw_interval(best.utility, (low, high), "zero" if origin else "average")
    summary = tag("div", tag("p", sentence, class_="lead"), chart, tag("dl", *listed, class_="facts"))
    return render_section("Recommended", tag("div", _render_card(card, pictures), summary, class_="best-of"))


def _render_card(card: Card, pictures: Mapping[str, str]) -> Markup:
    rows = [tag("div", tag("dt", row.label), tag("dd", f"{row.value} {row.unit}".rstrip())) for row in card.rows]
    title = [tag("h3", card.title)] if card.title else []
    picture = [tag("div", Markup(card.svg), class_="picture")] if card.svg else []  # sanitized at its creation
    if card.image and card.image in pictures:
        shown = Markup(f'<img src="{escape(pictures[card.image])}" alt="{escape(card.image)}">')
        picture.append(tag("div", shown, class_="picture"))
    elif card.image:
        picture.append(tag("p", f"Picture: {card.image}", class_="quiet"))
    return tag("div", *title, *picture, *([tag("dl", *rows)] if rows else []), class_="card")


def _render_candidates(
    best: RecommendationView, others: Sequence[tuple[Design, float]], describer: DesignDescriber
) -> Markup:
    if not others:
        return render_section(
            "Other candidates", tag("p", "No other design compared is likely to be the best of them.")
        )
    share = sum(probability for _, probability in others)
    text = f"These could be the best of the designs compared too, with {format_percent(share)} probability together."
    if describer.catalogue is None:
        text += " Listed is where they differ from the recommended one."
    rows = [
        [
            tag("td", describer.describe_difference(design, best.design)),
            tag("td", format_percent(probability), class_="number"),
        ]
        for design, probability in others
    ]
    return render_section(
        "Other candidates", tag("p", text), render_table(("Design", "Probability"), rows, ("Probability",))
    )


def _render_slices(view: Map, describer: DesignDescriber) -> Markup:
    shown = [one for one in view.slices if one.grid.utility]
    if not shown or view.at is None:
        return Markup()
    ends = [each for one in shown for each in (*(one.grid.low or []), *(one.grid.high or []))]
    pad = 0.05 * (max(ends) - min(ends) or 1.0)
    reach = (min(ends) - pad, max(ends) + pad)
    charts = [
        tag("figure", _render_caption(one.axis.name, view.at, describer),
            draw_slice(one.axis, one.grid, view.at[one.axis.name], describer.units.get(one.axis.name, ""), reach))
        for one in shown
    ]  # fmt: skip
    text = (
        "All other parameters as recommended. The line is the expected utility, the band holds it with 90 % "
        "probability; the dotted line shows how noisily designs are judged there, on a scale of its own. The "
        "upright line is the recommended value."
    )
    return render_section("One parameter at a time", tag("p", text), tag("div", *charts, class_="slices"))


def _render_caption(name: str, design: Design, describer: DesignDescriber) -> Markup:
    value = describer.format_value(name, design[name])
    return tag("figcaption", tag("b", describer.label(name)), tag("span", value))


def _render_map(view: Map, best: RecommendationView, describer: DesignDescriber) -> Markup:
    marks = Marks(best.design, view.anchors, view.duels)
    if view.plane is not None and view.plane.grid.utility is not None:
        plane = view.plane
        names = describer.label_with_unit(plane.x.name), describer.label_with_unit(plane.y.name)
        chart = draw_plane(plane, plane.grid.utility or [], names, marks)
        text = (
            "The stronger the colour, the higher the expected utility. The star is recommended, diamonds are anchors; "
            "full dots were preferred to the hollow ones they are joined with, grey ones were equal or skipped. All of "
            "these may differ in the other parameters too."
        )
    elif view.items is not None and view.items.grid.utility is not None and describer.catalogue is not None:
        chart = draw_items(
            view.items, view.items.grid.utility or [], describer.catalogue.key, describer.describe, marks
        )
        text = (
            "Each dot is an item; alike ones lie close together. The stronger the colour, the higher the expected "
            "utility. The star is recommended, rings are anchors, thin lines join what was compared."
        )
    else:
        return Markup()
    return render_section("Map", tag("p", text), tag("figure", chart, class_="wide"))


def _render_gains(gains: Sequence[float | None]) -> Markup:
    if all(gain is None for gain in gains):
        return Markup()
    text = (
        "Each bar is what a comparison was expected to bring, as a share of the range of utilities seen; the first "
        f"ones only looked around. Below the dashed line, at {100 * NEGLIGIBLE_GAIN:g} %, it is next to nothing. The "
        "study can stop when the recommended design is close to the best with 90 % probability."
    )
    return render_section(
        "What each comparison was worth",
        tag("p", text),
        tag("figure", draw_gains(gains, NEGLIGIBLE_GAIN), class_="wide"),
    )


def _render_anchors(anchors: Sequence[Design], describer: DesignDescriber) -> Markup:
    if not anchors:
        return render_section(
            "Anchors", tag("p", "No designs were marked as well known: all count as equally hard to judge.")
        )
    text = "Designs marked as well known. Answers count for more near these."
    return render_section(
        "Anchors", tag("p", text), tag("ul", *(tag("li", describer.describe(one)) for one in anchors))
    )


def _render_history(history: Sequence[JSONObject], describer: DesignDescriber) -> Markup:
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
                tag("td", describe_event(event, describer), class_=kind),
                cell(describe_outcome(event), class_=kind),
                cell(format_duration(event.get("response_ms")), class_="number"),
                cell("" if event["stands"] else "taken back"), tag("td", *remarks),
            ])  # fmt: skip
    heads = ("Time (UTC)", "What", "Outcome", "Took", "", "Comments")
    return render_section("History", tag("div", render_table(heads, rows, ("Took",)), class_="history"))


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
    rows += [("Constraint", describe_constraint(one)) for one in study.space.get("constraints", ())]
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
