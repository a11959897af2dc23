"""A study of one participant as one HTML file that opens anywhere: no scripts, nothing loaded, for screen and paper.

Everything that people wrote is escaped by `anchorpbo.html.tag`; drawings of designs are those that
`anchorpbo.app.rendering.svg` has checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from anchorpbo import __version__
from anchorpbo.app.rendering.cards import Card
from anchorpbo.app.report.charts import (
    Marks,
    bars,
    interval,
    items_chart,
    number,
    plane_chart,
    slice_chart,
)
from anchorpbo.app.report.page import document, section, table
from anchorpbo.app.report.sentences import (
    WHAT,
    Words,
    constraint,
    day,
    noise,
    option,
    outcome,
    parameter,
    percent,
    time,
    took,
    what,
)
from anchorpbo.app.service.maps import Map
from anchorpbo.app.service.studies import Studies
from anchorpbo.app.service.views import Design, JSONObject, RecommendationView, StudyView
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.html import Markup, escape, tag
from anchorpbo.study.progress import NEGLIGIBLE_GAIN

MOST_CANDIDATES = 50


def report_html(studies: Studies, id: str, participant: str = OWNER, risk_weight: float | None = None) -> str:
    """The report, a whole HTML document.

    Parameters
    ----------
    studies
        The use cases.
    id
        Of the study.
    participant
        Whose answers it is about.
    risk_weight
        What a unit of noise costs the recommended design, in utility; by default what the study says.
    """
    study, words = studies.show(id), Words(studies.definition(id))
    history, anchors = studies.history(id, participant), studies.anchors(id, participant)
    answers = studies.answers(id, participant)
    main = [_head(study, participant, answers)]
    if answers:
        best = studies.recommendation(id, participant, risk_weight)
        others = [
            one for one in zip(best.credible_set, best.credible_probabilities, strict=True) if one[0] != best.design
        ]
        (card,) = studies.cards(id, [best.design])
        drawn = studies.map(id, participant, best.design, strongest=True)
        main += [
            _recommended(best, card, studies.pictures(id)),
            _others(best, others[:MOST_CANDIDATES], words),
            _slices(drawn, words),
            _map(drawn, best, words),
            _gains(studies.convergence(id, participant)),
        ]
    else:
        text = "There is no comparison yet, so nothing to recommend. The report fills up with the first answers."
        main.append(section("Recommended", tag("p", text)))
    main += [
        _anchors(anchors, words),
        _history(history, words),
        _settings(study, words, bool(answers)),
        _meaning(study, participant),
    ]
    return document(f"{study.name}: report", main)


# -- sections ---------------------------------------------------------------------------------------------------------


def _head(study: StudyView, participant: str, answers: int) -> Markup:
    said = f"{answers} {'comparison' if answers == 1 else 'comparisons'}"
    whose = "" if participant == OWNER else f" by {participant}"
    facts = f"{said}{whose}. Begun {day(study.created)}, last changed {day(study.updated)}."
    about = [tag("p", line) for line in study.description.splitlines() if line.strip()]
    return tag("header", tag("h1", study.name), *about, tag("p", facts, class_="quiet"))


def _recommended(best: RecommendationView, card: Card, pictures: Mapping[str, str]) -> Markup:
    low, high = best.interval
    sure = "Clearly better" if low > 0 else "Probably better" if best.utility > 0 else "Not better"
    origin = best.reference.startswith("zero")
    than = "zero" if origin else "the average of the designs compared"
    sentence = (
        f"{sure} than {than}: by {number(best.utility, 1)}, with 90 % probability between {number(low, 1)} "
        f"and {number(high, 1)}."
    )
    facts = [
        ("Best of those compared", percent(best.p_best), "probability; designs much alike share it"),
        ("Noise of judgement", noise(best.noise), "0 would be perfectly steady"),
        ("Risk weight", f"{best.risk_weight:g}", "what a unit of noise counts, in utility"),
    ]
    listed = [
        tag("div", tag("dt", name), tag("dd", tag("b", value), tag("small", words))) for name, value, words in facts
    ]
    chart = interval(best.utility, (low, high), "zero" if origin else "average")
    words = tag("div", tag("p", sentence, class_="lead"), chart, tag("dl", *listed, class_="facts"))
    return section("Recommended", tag("div", _card(card, pictures), words, class_="best-of"))


def _card(card: Card, pictures: Mapping[str, str]) -> Markup:
    rows = [tag("div", tag("dt", row.label), tag("dd", f"{row.value} {row.unit}".rstrip())) for row in card.rows]
    title = [tag("h3", card.title)] if card.title else []
    picture = [tag("div", Markup(card.svg), class_="picture")] if card.svg else []  # checked where it was made
    if card.image and card.image in pictures:
        shown = Markup(f'<img src="{escape(pictures[card.image])}" alt="{escape(card.image)}">')
        picture.append(tag("div", shown, class_="picture"))
    elif card.image:
        picture.append(tag("p", f"Picture: {card.image}", class_="quiet"))
    return tag("div", *title, *picture, *([tag("dl", *rows)] if rows else []), class_="card")


def _others(best: RecommendationView, others: Sequence[tuple[Design, float]], words: Words) -> Markup:
    if not others:
        return section("Other candidates", tag("p", "No other design compared is likely to be the best of them."))
    share = sum(probability for _, probability in others)
    told = f"These could be the best of the designs compared too, with {percent(share)} probability together."
    if words.catalogue is None:
        told += " Listed is where they differ from the recommended one."
    rows = [
        [tag("td", words.differences(design, best.design)), tag("td", percent(probability), class_="number")]
        for design, probability in others
    ]
    return section("Other candidates", tag("p", told), table(("Design", "Probability"), rows, ("Probability",)))


def _slices(drawn: Map, words: Words) -> Markup:
    known = [one for one in drawn.slices if one.grid.utility]
    if not known or drawn.at is None:
        return Markup()
    ends = [each for one in known for each in (*(one.grid.low or []), *(one.grid.high or []))]
    pad = 0.05 * (max(ends) - min(ends) or 1.0)
    reach = (min(ends) - pad, max(ends) + pad)
    charts = [
        tag("figure", tag("figcaption", tag("b", words.label(name)), tag("span", words.value(name, drawn.at[name]))),
            slice_chart(one.axis, one.grid, drawn.at[name], words.units.get(name, ""), reach))
        for one in known for name in [one.axis.name]
    ]  # fmt: skip
    told = (
        "All other parameters as recommended. The line is the expected utility, the band holds it with 90 % "
        "probability; the dotted line shows how noisily designs are judged there, on a scale of its own. The "
        "upright line is the recommended value."
    )
    return section("One parameter at a time", tag("p", told), tag("div", *charts, class_="slices"))


def _map(drawn: Map, best: RecommendationView, words: Words) -> Markup:
    marks = Marks(best.design, drawn.anchors, drawn.duels)
    if drawn.plane is not None and drawn.plane.grid.utility is not None:
        plane = drawn.plane
        names = words.with_unit(plane.x.name), words.with_unit(plane.y.name)
        chart = plane_chart(plane, plane.grid.utility or [], names, marks)
        told = (
            "The stronger the colour, the higher the expected utility. The star is recommended, diamonds are anchors; "
            "full dots were preferred to the hollow ones they are joined with, grey ones were equal or skipped. All of "
            "these may differ in the other parameters too."
        )
    elif drawn.items is not None and drawn.items.grid.utility is not None and words.catalogue is not None:
        chart = items_chart(drawn.items, drawn.items.grid.utility or [], words.catalogue.key, words.brief, marks)
        told = (
            "Each dot is an item; alike ones lie close together. The stronger the colour, the higher the expected "
            "utility. The star is recommended, rings are anchors, thin lines join what was compared."
        )
    else:
        return Markup()
    return section("Map", tag("p", told), tag("figure", chart, class_="wide"))


def _gains(gains: Sequence[float | None]) -> Markup:
    if all(gain is None for gain in gains):
        return Markup()
    told = (
        "Each bar is what a comparison was expected to bring, as a share of the range of utilities seen; the first "
        f"ones only looked around. Below the dashed line, at {100 * NEGLIGIBLE_GAIN:g} %, it is next to nothing: after "
        "many of these in a row, more comparisons are unlikely to find anything better."
    )
    return section(
        "What each comparison was worth", tag("p", told), tag("figure", bars(gains, NEGLIGIBLE_GAIN), class_="wide")
    )


def _anchors(anchors: Sequence[Design], words: Words) -> Markup:
    if not anchors:
        return section("Anchors", tag("p", "No designs were marked as well known: all count as equally hard to judge."))
    told = "Designs marked as well known. Answers count for more near these."
    return section("Anchors", tag("p", told), tag("ul", *(tag("li", words.brief(one)) for one in anchors)))


def _history(history: Sequence[JSONObject], words: Words) -> Markup:
    comments: dict[int | None, list[str]] = {}
    for event in history:
        if event["type"] == "commented":
            comments.setdefault(event.get("event"), []).append(event["text"])
    cell = lru_cache(maxsize=1_000)(partial(tag, "td"))  # most texts are in many rows
    rows = []
    for event in history:
        if event["type"] in WHAT or (event["type"] == "commented" and event.get("event") is None):
            remarks = [tag("q", remark) for remark in comments.get(event["number"], ())]
            kind = None if event["stands"] else "back"
            rows.append([
                cell(time(event["time"]), class_="time"), tag("td", what(event, words), class_=kind),
                cell(outcome(event), class_=kind), cell(took(event.get("response_ms")), class_="number"),
                cell("" if event["stands"] else "taken back"), tag("td", *remarks),
            ])  # fmt: skip
    heads = ("Time (UTC)", "What", "Outcome", "Took", "", "Comments")
    return section("History", tag("div", table(heads, rows, ("Took",)), class_="history"))


def _settings(study: StudyView, words: Words, recommended: bool) -> Markup:
    # The risk weight that counts here is the recommendation's, which may be another than the study's.
    rows = [
        (name.replace("_", " ").capitalize(), option(value))
        for name, value in study.options.items()
        if value is not None and not (recommended and name == "risk_weight")
    ]
    if words.catalogue is not None:
        rows.append(("Catalogue", f"{len(words.catalogue)} items, {len(words.catalogue.names)} columns"))
    rows += [(words.with_unit(one["name"]), parameter(one)) for one in study.space.get("parameters", ())]
    rows += [("Constraint", constraint(one)) for one in study.space.get("constraints", ())]
    body = [[tag("th", name, scope="row"), tag("td", value)] for name, value in rows]
    return section("Settings", table((), body))


def _meaning(study: StudyView, participant: str) -> Markup:
    texts = [
        "Utility is how much someone likes a design, learnt from which of two they preferred. It has no natural zero "
        "and no unit: only differences count, here to the average of the designs that were compared.",
        "An interval holds the utility with 90 % probability, as far as the model is right. The probability of being "
        "the best is shared among designs that are much alike: look at the other candidates as well.",
        "Noise says how unsteady a judgement is. It is taken to be small near the anchors, designs that are known "
        "well, and larger far from them. The risk weight says how much of it counts against a design.",
        "Taken back entries stay in the history and count for nothing.",
    ]
    whose = "" if participant == OWNER else f", answers of {participant}"
    cite = (
        f"anchorpbo {__version__}, preferential Bayesian optimisation with anchors. Study “{study.name}” ({study.id})"
        f"{whose}, as of {day(study.updated)}."
    )
    return section("What this means", *(tag("p", text) for text in texts), tag("h3", "How to cite"), tag("p", cite))
