"""The report: all there is to say, in one file that is inert whatever people wrote."""

import math
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anchorpbo.app.report.descriptions import (
    describe_option,
    describe_parameter,
    format_duration,
    format_noise,
    format_number,
    format_percent,
)
from anchorpbo.app.report.pictures import render_picture
from anchorpbo.app.report.report import render_report
from anchorpbo.errors import UnknownStudyError
from anchorpbo.formatting import format_probability
from anchorpbo.html import Markup, join, tag
from anchorpbo.plots.colours import INKS
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, study

EVIL = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "section", "h1", "h2", "h3", "p", "div", "dl",
    "dt", "dd", "b", "small", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "q", "figure", "figcaption",
    "span", "svg", "g", "line", "rect", "circle", "polygon", "polyline", "text", "picture", "source", "img",
}  # fmt: skip


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.words, self.open = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "source", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(self.words)


def page(studies, id, participant="owner"):
    """The report, having looked whether it is inert and complete."""
    text = render_report(studies, id, participant)
    found = Page(text)
    assert not found.open
    assert set(found.elements) <= ELEMENTS
    assert text.startswith("<!doctype html>")
    assert not [one for one in found.attributes if one[1].startswith("on") or one[1] in ("style", "href")]
    sources = [value for _, name, value in found.attributes if name in ("src", "srcset")]
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert "url(" not in text
    assert "@import" not in text
    return found


def answered(request=QUICK, outcomes=("first", "second", "tie", "skip", "first"), **more):
    studies, id = study(request, **more)
    for outcome in outcomes:
        answer(studies, id, outcome)
    return studies, id


# -- what is in it ----------------------------------------------------------------------------------------------------


def test_a_report_says_what_is_recommended_and_how_sure_that_is():
    studies, id = answered(anchors=[GREEN], description="Which cup?\n\nTake a sip.")
    best, found = studies.results.recommend(id), page(studies, id)
    for heading in (
        "Recommended",
        "Other candidates",
        "One parameter at a time",
        "Importance of parameters",
        "Map",
        "Expected gain",
        "Anchors",
        "History",
        "Settings",
    ):
        assert heading in found.words
    sure = f"{format_probability(best.p_within_compared)} sure that nothing compared is noticeably better"
    for text in ("Tea", "Which cup?", "Take a sip.", best.design["leaf"], sure, "EI"):
        assert text in found.text
    close = f"{format_probability(best.p_within)} probability of being within 10 % of the gap between a median design"
    assert f"Close to the best {close} and the best" in found.text
    assert "unlikely to find anything better" not in found.text
    assert "4 comparisons" in found.text
    assert format_number(best.noise) in found.words
    assert "How to cite" in found.words


def test_a_report_begins_with_the_verdict_and_the_answers_that_contradict_the_others():
    studies, id = study()
    assert "Verdict" not in Page(render_report(studies, id)).text
    rows = [{"winner": GREEN, "loser": BLACK}] * 9 + [{"winner": BLACK, "loser": GREEN}]
    studies.duels.import_comparisons(id, rows)
    found = studies.results.assess(id)
    text = Page(render_report(studies, id)).text
    assert text.index("Verdict") < text.index("Recommended")
    for words in (found.headline, found.sentence, found.evidence, found.contradictions[0].sentence):
        assert words in text
    assert "minutes 4.5 · leaf black over minutes 3 · leaf green" in text


def test_a_report_has_the_question_and_the_rules_in_labels_and_units():
    parameters = [{"name": name, "kind": "real", "low": 0.0, "high": 9.0, "step": 0.5} for name in "abc"]
    rules = ["a + b <= 10", "a - 2*b >= -3.5", "1 <= a + c <= 12", "a + b = 8"]
    space = {"kind": "space", "parameters": parameters, "constraints": rules}
    display = {"labels": {"a": "Drying time, in all", "b": "Browning"}, "units": {"a": "min", "b": "min"}}
    anchors = [{"a": 4.5, "b": 3.5, "c": 2.0}]
    text = page(*study(space=space, display=display, question="Which cup?", anchors=anchors)).text
    assert "Drying time 4.5 min · Browning 3.5 min · c 2" in text
    assert "Question:  Which cup?" in text
    for rule in ("Drying time + Browning ≤ 10 min", "Drying time − 2 × Browning ≥ -3.5 min", "1 ≤ Drying time + c ≤ 12",
                 "Drying time + Browning = 8 min"):  # fmt: skip
        assert rule in text
    assert "Question:  Which do you prefer?" in page(*study()).text
    assert "Question:" not in page(*study(description="Which cup? Take a sip.")).text


def test_history_tells_what_was_taken_back_and_what_was_remarked():
    studies, id = answered()
    number = studies.history(id)[2]["number"]
    studies.comment(id, "too bitter", number)
    studies.comment(id, "a long day")
    studies.duels.undo(id)
    found = page(studies, id)
    assert "taken back" in found.words
    assert "too bitter" in found.words
    assert "a long day" in found.words
    assert found.words.count("B preferred") == 1


def test_a_report_recommends_by_the_risk_weight_that_is_wished_for():
    studies, id = answered()
    own = studies.results.recommend(id).risk_weight
    assert own != 2.0
    assert "<dt>Risk weight</dt><dd><b>2</b>" in render_report(studies, id, risk_weight=2.0)
    assert f"<dt>Risk weight</dt><dd><b>{own:g}</b>" in render_report(studies, id)
    assert f"<dt>Risk weight</dt><dd><b>{own:g}</b>" in render_report(studies, id, risk_weight=own)


def test_before_the_first_answer_there_is_a_report_of_what_there_is():
    studies, id = study(anchors=[GREEN, BLACK])
    found = page(studies, id)
    assert "There is no comparison yet" in found.text
    assert "Map" not in found.words
    assert found.elements.count("li") == 2
    assert page(*study()).text.count("No designs were marked") == 1


def test_skips_alone_are_no_answer():
    assert "There is no comparison yet" in page(*answered(outcomes=("skip", "skip"))).text


def test_a_catalogue_has_a_map_of_its_items():
    studies, id = answered(TREES, ("first", "second", "first"), anchors=[{"name": "Oak", "price": 19.0}])
    found = page(studies, id)
    assert "6 items, 2 columns" in found.words
    assert any(text.startswith("Utility of 6 items") for text in pictures(found)[2])
    assert "Oak" in found.words


def test_a_participant_s_report_holds_nothing_of_the_others():
    studies, id = answered()
    studies.comment(id, "the owner's secret")
    studies.participants.invite(id, "Ana")
    answer(studies, id, "second", "Ana")
    found = page(studies, id, "Ana")
    assert "by Ana" in found.text
    assert "secret" not in found.text
    assert found.words.count("B preferred") == 1
    with pytest.raises(UnknownStudyError, match="must be invited"):
        render_report(studies, id, "Bo")


def test_the_same_study_gives_the_same_report():
    studies, id = answered()
    assert render_report(studies, id) == render_report(studies, id)


def test_one_parameter_has_slices_and_no_map():
    space = {"kind": "space", "parameters": [{"name": "dose", "kind": "real", "low": 0.01, "high": 100.0, "log": True}]}
    found = page(*answered(space=space))
    assert "Map" not in found.words
    assert "One parameter at a time" in found.words
    assert all(f">{tick}<" in pictures(found)[0][1] for tick in ("0.1", "1", "10"))


# -- inert ------------------------------------------------------------------------------------------------------------


def test_markup_in_names_and_texts_stays_text():
    space = {
        "kind": "space",
        "parameters": [
            {"name": "a", "kind": "categorical", "values": [EVIL, "plain", "<b>"]},
            {"name": "b", "kind": "real", "low": 0.0, "high": 1.0},
        ],
    }
    display = {"labels": {"a": EVIL, "b": EVIL}, "units": {"b": EVIL}}
    studies, id = answered(
        name=EVIL,
        description=EVIL,
        space=space,
        display=display,
        anchors=[{"a": EVIL, "b": 0.5}, {"a": "<b>", "b": 0.1}],
    )
    studies.comment(id, EVIL, 1)
    studies.comment(id, EVIL)
    studies.participants.invite(id, EVIL)
    answer(studies, id, "first", EVIL)
    for participant in ("owner", EVIL):
        assert page(studies, id, participant).words.count(EVIL) >= 3


def test_markup_in_the_cells_of_a_catalogue_stays_text():
    columns = [
        {"name": "name", "values": [EVIL, "</title><script>", "<svg onload=alert(1)>", "d", "e"]},
        {"name": "<i>", "values": [1.0, 4.0, 9.0, 2.0, 3.0]},
    ]
    space = {"kind": "catalogue", "columns": columns, "features": ["<i>"], "key": "name"}
    found = page(*answered(TREES, space=space, anchors=[{"name": EVIL, "<i>": 1.0}]))
    assert EVIL in found.words


def test_drawings_of_designs_are_those_that_were_checked():
    display = {"template": '<svg viewBox="0 0 9 9"><circle id="c" r="{{ minutes / 4 }}"/></svg>'}
    text = render_report(*answered(display=display))
    assert 'id="d0-c"' in text


@given(st.text())
def test_elements_escape_what_is_in_them(text):
    element = ElementTree.fromstring(tag("p", text, tag("b", text), title=text))
    clean = "".join(sign if sign.isprintable() or sign in "\t\n" else "?" for sign in text)
    if clean == text:  # other signs may not stand in a document at all
        assert element.text == (text or None)
        assert element.find("b").text == (text or None)


def test_only_markup_is_taken_for_markup():
    assert tag("p", "<b>", Markup("<i></i>")) == "<p>&lt;b&gt;<i></i></p>"
    assert join(["<", Markup("<i></i>")]) == "&lt;<i></i>"


# -- figures and numbers ----------------------------------------------------------------------------------------------


def pictures(found):
    """The decoded pictures of a page, light and dark, and their descriptions."""
    urls = {which: [value for tag, name, value in found.attributes if (tag, name) == which]
            for which in (("img", "src"), ("source", "srcset"), ("img", "alt"))}  # fmt: skip
    light, dark = ([b64decode(url.partition(",")[2]).decode() for url in urls[which]]
                   for which in (("img", "src"), ("source", "srcset")))  # fmt: skip
    return light, dark, urls["img", "alt"]


def test_figures_are_drawn_for_light_and_dark_screens_and_described():
    light, dark, texts = pictures(page(*answered(anchors=[GREEN])))
    assert len(light) == len(dark) == len(texts) == 6
    assert [text.split(" ")[0] for text in texts[:5]] == ["Utility", "minutes:", "Share", "Utility", "Expected"]
    assert "Bayes factor" in texts[5]
    for one, other in zip(light, dark, strict=True):
        assert ElementTree.fromstring(one).tag == ElementTree.fromstring(other).tag == "{http://www.w3.org/2000/svg}svg"
        assert one != other
    assert INKS["dark"].text.lower() in dark[1]
    assert INKS["dark"].text.lower() not in light[1]


def test_labels_of_any_language_are_left_to_the_fonts_of_the_reader():
    display = {"labels": {"minutes": "浸出時間", "leaf": "$葉$"}}
    light, _, _ = pictures(page(*answered(display=display)))
    assert "浸出時間" in light[1]
    assert "$葉$" in light[1]
    assert "system-ui, sans-serif" in light[1]


def test_figures_are_drawn_in_several_threads_at_once():
    studies, id = answered()
    plot = studies.results.make_figure(id, "slices")
    alone = render_picture(plot)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(render_picture, [plot] * 8)) == {alone}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-1.234, "−1.23"),
        (12.34, "12.3"),
        (1234.5, "1235"),
        (1e-5, "0.00"),
        (-1e-5, "0.00"),
        (-2e6, "−2.0e+06"),
    ],
)
def test_numbers_have_few_digits(value, text):
    assert format_number(value) == text
    assert math.isfinite(float(text.replace("−", "-")))


# -- words ------------------------------------------------------------------------------------------------------------


def test_settings_are_told_in_words():
    assert describe_option({"class": "EP", "tolerance": 1e-5, "limit": None}) == "EP (tolerance 1e-05)"
    assert describe_option({"class": "Probit"}) == "Probit"
    assert describe_option(0.5) == "0.5"
    assert describe_parameter({"kind": "real", "low": 1.0, "high": 2.0, "step": 0.5, "log": True}) == (
        "number, 1 to 2, in steps of 0.5, on a logarithmic scale"
    )
    assert describe_parameter({"kind": "boolean"}) == "yes or no"
    assert describe_parameter({"kind": "constant", "value": 3}) == "constant: 3"
    assert format_noise(0.00012) == "0.0001"
    assert format_noise(0.5) == "0.50"
    assert format_duration(None) == ""
    assert format_duration(90_000) == "2 min"


# -- one count, one rounding, one weight ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["categorical", "ordinal"])
@pytest.mark.parametrize("count", [33, 34, 62, 200])
def test_a_choice_of_many_values_has_a_report(kind, count):
    values = [f"v{n}" for n in range(count)]
    parameters = [{"name": "leaf", "kind": kind, "values": values}, QUICK["space"]["parameters"][0]]
    studies, id = study(QUICK, space={"kind": "space", "parameters": parameters})
    odd = {"leaf": "v31", "minutes": 3.0}
    studies.anchors.add(id, odd)
    table = [
        {"winner.leaf": value, "winner.minutes": 3.0, "loser.leaf": "v0", "loser.minutes": 4.0} for value in values
    ]
    studies.duels.import_comparisons(id, table)
    text = page(studies, id).text
    assert "v31" in text
    drawn = studies.results.make_map(id)
    assert drawn.at["leaf"] in drawn.slices[0].axis.values
    assert drawn.at["leaf"] in drawn.plane.x.values


def test_the_home_page_and_the_duel_count_the_same_answers():
    studies, id = study()
    for outcome in ("first", "skip", "second", "tie", "first"):
        answer(studies, id, outcome)
    studies.duels.undo(id)
    asked = studies.duels.ask(id).answers
    (line,) = studies.list_studies()
    (participant,) = studies.participants.show(id)
    assert (
        (line.answers, studies.show(id).answers, participant.answers, studies.duels.count_answers(id))
        == (asked,) * 4
        == (3,) * 4
    )


def test_halves_are_rounded_away_from_zero_as_on_the_page():
    assert [format_number(value) for value in (0.125, -0.125, 2.5, 12.25)] == ["0.13", "−0.13", "2.50", "12.3"]
    assert (format_percent(0.125), format_duration(62_500), format_duration(250)) == ("13 %", "1 min", "0.3 s")
    studies, id = study()
    studies.duels.import_comparisons(
        id, [{"winner.minutes": 2.0625, "winner.leaf": "black", "loser.minutes": 4, "loser.leaf": "green"}]
    )
    assert "2.063" in page(studies, id).text
    assert "2.062" not in page(studies, id).text


def test_a_report_names_one_risk_weight_and_draws_what_it_recommends_by_it():
    studies, id = study(anchors=[GREEN])
    for _ in range(3):
        answer(studies, id)
    text = Page(render_report(studies, id, risk_weight=7.5)).text
    assert text.count("Risk weight") == 1
    assert "7.5" in text
    assert "Risk weight" in Page(render_report(*study(anchors=[GREEN]))).text


def test_an_empty_cell_is_left_out_of_a_line_and_is_never_none():
    request = TREES | {"space": TREES["space"] | {"columns": [
        *TREES["space"]["columns"], {"name": "note", "values": ["tall", None, None, None, None, None]},
        {"name": "called", "values": ["ash", None, None, None, None, None]},
    ]}, "display": {"title": "called"}}  # fmt: skip
    studies, id = study(request)
    studies.anchors.add(id, {"name": "Birch"})
    answer(studies, id)
    text = page(studies, id).text
    assert "None" not in text
    assert "null" not in text


def test_a_report_says_whether_the_answers_can_be_trusted():
    studies, id = study()
    for _ in range(3):
        answer(studies, id)
    text = Page(render_report(studies, id)).text
    audit = studies.results.audit(id)
    assert "Can I trust these answers?" in text
    assert audit.sentence in text
    for one in audit.findings:
        assert f"{one.title} ({one.level_text}):" in text
        assert one.sentence in text


def test_a_report_says_whether_the_anchors_are_right():
    studies, id = study()
    for _ in range(4):
        answer(studies, id)
    text = Page(render_report(studies, id)).text
    assert "Are my anchors right?" not in text
    assert "Repeated pairs" not in text
    number = studies.sessions.session(id, "owner").answers
    again = studies.duels.ask(id, again=next(iter(number.values())))
    studies.duels.answer(id, again.id, "first")
    text = Page(render_report(studies, id)).text
    assert "Are my anchors right?" not in text  # repeats without anchors
    assert "Repeated pairs" in text
    studies.anchors.add(id, GREEN)
    text = Page(render_report(studies, id)).text
    found = studies.results.validate_anchors(id)
    assert "Are my anchors right?" in text
    assert "Repeated pairs" in text
    for paragraph in found.paragraphs:
        assert paragraph in text
    assert found.retest.sentence in found.paragraphs
