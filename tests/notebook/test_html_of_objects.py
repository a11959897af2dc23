"""What notebooks show of our objects: tables in which nothing that anybody wrote becomes markup."""

import re
from decimal import ROUND_HALF_UP, Context
from html.parser import HTMLParser

import numpy as np
import pytest

import anchorpbo as ap
from anchorpbo.formatting import format_count, format_probability, format_value, round_significant, truncate
from anchorpbo.html import Markup, table, tag

NASTY = "<script>alert('x')</script>&\"\x00"
SPACE = ap.Space(
    {
        f"heat{NASTY}": ap.Real(80, 96),
        "dose": ap.Real(10, 20, log=True),
        "grind": ap.Integer(1, 10),
        "origin": ap.Categorical([NASTY, "Brazil"]),
        "roast": ap.Ordinal([str(n) for n in range(20)]),
        "rest": ap.Real(0, 1, step=0.25),
        "stir": ap.Boolean(),
        "water": ap.Constant(f"soft{NASTY}"),
    },
    constraints="grind + rest <= 10",
)
SHELF = ap.Catalogue.from_records(
    [
        {"name": f"{NASTY}{i}", "price": i / 3, "kind": "ab"[i % 2], "note": None if i else "long " * 40}
        for i in range(9)
    ],
    features=["price"],
    categories=["kind"],
)


class Reader(HTMLParser):
    """Elements, attributes and texts of a piece of HTML; every element must be closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


def played(space, count=8):
    anchor = space.decode(space.nearest(np.full(space.dimension, 0.5)))
    study = ap.Optimizer(space, [anchor], inference="laplace", initial=2)
    for i in range(count):
        study.tell(study.ask(), ("first", "tie", "skip", "second")[i % 4])
    return study


@pytest.fixture(scope="module")
def study():
    return played(SPACE)


@pytest.fixture(scope="module")
def objects(study):
    shelf = played(SHELF)
    found = [SPACE, SHELF, ap.Optimizer(SPACE), study, study.ask(), study.recommend(), study.progress()]
    found += [study.utilities()[0], study.noise_map, study.model, ap.NoiseMap.constant(2.0), ap.PreferenceGP()]
    found += [shelf, shelf.ask(), shelf.recommend()]
    return [*found, ap.Duels([[0.1], [0.5], [0.9]], [0, 0], [1, 1], [[1, 2]]).merge_repeats()]


def test_all_of_them_are_html_of_tables_and_nothing_else(objects):
    for each in objects:
        read = Reader(each._repr_html_())
        assert set(read.elements) <= {"div", "table", "thead", "tbody", "tr", "th", "td", "b"}, each
        assert {name for name, _ in read.attributes} <= {"style", "scope"}, each
        assert read.text.strip()


def test_what_people_wrote_stays_text(objects):
    told = [each._repr_html_() for each in objects]
    assert not any("<script" in text for text in told)
    kept = [text for text in told if "alert" in text]
    assert len(kept) >= 9
    assert all("\x00" not in text for text in told)
    assert all("<script>alert('x')</script>&\"\ufffd" in Reader(text).text for text in kept if "…" not in text)


def test_no_colours_are_named_so_that_light_and_dark_pages_keep_theirs(objects):
    for each in objects:
        styles = ";".join(value for name, value in Reader(each._repr_html_()).attributes if name == "style")
        assert not re.search(r"colou?r|background|#|rgb", styles)


def test_a_space_says_what_can_be_varied():
    text = Reader(SPACE._repr_html_()).text
    words = ("real, logarithmic", "10 to 20", "1 to 10", "0 to 1 in steps of 0.25", "yes or no", "0, 1, 2, …, 19")
    for word in (*words, "soft", "Space of 8 parameters", "Constraint: grind + rest <= 10"):
        assert word in text
    assert "Space of 1 parameter " in Reader(ap.Space(x=ap.Real(0, 1))._repr_html_()).text


def test_a_catalogue_shows_its_first_items_and_what_its_columns_are_for():
    text = Reader(SHELF._repr_html_()).text
    assert "Catalogue of 9 items" in text
    assert "… 4 more items" in text
    assert "key name; features price; categories kind; shown note" in text
    assert "0.6667" in text
    assert "long long" in text
    assert len(text) < 900
    wide = ap.Catalogue.from_records([{f"c{i}": float(i * n) for i in range(12)} for n in (1, 2)])
    assert "… 5 more columns" in Reader(wide._repr_html_()).text
    assert "12 features" in Reader(wide._repr_html_()).text


def test_a_duel_shows_its_designs_side_by_side_and_marks_what_differs(study):
    duel = ap.Duel("0-1", {"a": 1.0, "b": "same"}, {"a": 2.5, "b": "same"}, "Just so.")
    html = duel._repr_html_()
    assert re.findall(r"<b>(.*?)</b>", html) == ["1", "2.5"]
    assert "Just so." in html
    assert html.count("same") == 2


def test_a_recommendation_says_what_its_numbers_are(study):
    best = study.recommend()
    text = Reader(best._repr_html_()).text
    low, high = best.interval
    assert f"{best.utility:.2f}, with 90 % probability {low:.2f} to {high:.2f}" in text
    assert best.reference in text
    assert f"of the designs compared with {100 * best.p_best:.0f} % probability" in text
    gap = "the gap between a median design and the best"
    assert f"within 10 % of {gap} with {format_probability(best.p_within)} probability" in text
    assert f"{100 * best.credible_probabilities[0]:.0f} %" in text
    assert "the best" not in Reader(study.utilities()[0]._repr_html_()).text


def test_a_study_says_how_far_it_is_and_computes_nothing(study, monkeypatch):
    monkeypatch.setattr("anchorpbo.study.hyperparameters.ModelFitter.hyperparameters", None)
    text = Reader(study._repr_html_()).text
    for word in ("Study with 6 informative answers", "4 choices, 2 ties, 2 skips", repr(study.plan.acquisition)):
        assert word in text
    assert "none yet" in Reader(ap.Optimizer(SPACE)._repr_html_()).text


def test_duels_are_listed_in_words():
    duels = ap.Duels([[0.1, 1 / 3], [0.5, 0.5], [0.9, 0.1]], [0, 0], [1, 1], [[1, 2]])
    text = Reader(duels._repr_html_()).text
    assert "3 duels on 3 designs of 2 coordinates" in text
    assert "(0.1, 0.333) preferred to (0.5, 0.5)" in text
    assert "(0.5, 0.5) as good as (0.9, 0.1)" in text
    merged = Reader(duels.merge_repeats()._repr_html_()).text
    assert "3 duels on 3 designs" in merged
    assert "times (0.1, 0.333) preferred to (0.5, 0.5) 2" in merged
    many = ap.Duels(np.random.default_rng(0).random((20, 9)), range(10), range(10, 20))
    assert "… and 4 more" in Reader(many._repr_html_()).text
    assert ", …)" in Reader(many._repr_html_()).text


def test_a_map_and_a_model_say_what_they_are_made_of(study):
    assert "NoiseMap kind constant scale 2" in Reader(ap.NoiseMap.constant(2.0)._repr_html_()).text
    text = Reader(study.model._repr_html_()).text
    assert repr(study.model.kernel) in text
    assert "(4 wins and 2 ties on" in text
    assert "none yet" in Reader(ap.PreferenceGP()._repr_html_()).text


def test_parts_of_html():
    assert tag("b", "1 < 2", tag("i", "&"), class_="a b", title=None, x=0.123456) == (
        '<b class="a b" x="0.1235">1 &lt; 2<i>&amp;</i></b>'
    )
    assert isinstance(table(("a", "b"), [(1, 2.0)], numbers=("b",)), Markup)
    assert table(("a", "b"), [(1, 2.0)], numbers=("b",)).count("text-align:right") == 2
    assert (format_value(True), format_value(1e-7), format_value(12.34567), format_value("a")) == (
        "yes",
        "1.0000e-07",
        "12.35",
        "a",
    )
    assert (format_count(1, "duel"), format_count(0, "duel")) == ("1 duel", "0 duels")
    assert (truncate("x" * 60), truncate("x" * 61)) == ("x" * 60, "x" * 58 + " …")


@pytest.mark.parametrize("digits", [1, 2, 4])
def test_significant_digits_are_rounded_away_from_zero_in_ties_only(digits):
    rng = np.random.default_rng(0)
    values = [*rng.normal(size=300), *rng.normal(size=300).round(4), *(rng.integers(-(10**5), 10**5, 600) / 16)]
    exact = Context(prec=digits, rounding=ROUND_HALF_UP)
    for value in (*map(float, values), 0.0, 12.625, -12.625, 0.5, 2.5, 1e300, 5e-324, float("inf")):
        assert round_significant(value, digits) == float(exact.create_decimal(value))
