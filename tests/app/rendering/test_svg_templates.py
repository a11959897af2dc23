"""Templates draw what they say, and nobody gets anything else into a page through them."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anchorpbo.app.rendering.expressions import Expression
from anchorpbo.app.rendering.svg import sanitize_svg
from anchorpbo.app.rendering.templates import MAX_TEMPLATE_BYTES, Template
from anchorpbo.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"


def drawing(inside, attributes='viewBox="0 0 9 9"'):
    return f"<svg {attributes}>{inside}</svg>"


def rendered(inside, **design):
    return ET.fromstring(Template(drawing(inside)).render(design))


# -- expressions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20 + 3 * margin", 32),
        ("-(margin - 1) / 2", -1.5),
        ("margin % 3", 1),
        ('"start" if align == "left" else "middle"', "start"),
        ("'a' if margin > 4 else 'b' if margin >= 4 else 'c'", "b"),
        ("1 < margin <= 4 and not bold", False),
        ("margin == 0 or 8 / margin > 1", True),
        ("min(margin, 9, 3) + max(1, 2) + abs(-1)", 6),
        ("round(margin / 3)", 1),
        ("round(margin / 3, 2)", 1.33),
        ("10 * bold", 10),
        ('align + "-" + align', "left-left"),
        ("align != 4", True),
        ("empty", ""),
        ("bloom time", 30),
        ("4 if\nmargin else 5", 4),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_python_would_give(text, value):
    design = {"margin": 4, "align": "left", "bold": True, "empty": None, "bloom time": 30}
    assert Expression(text)(design) == value


def test_names_are_the_parameters_an_expression_needs():
    assert Expression("max(a, 2) + (b if c else 3)").names == {"a", "b", "c"}
    assert Expression("max").names == {"max"}


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        "margin.real",
        "__class__",
        "__import__('os')",
        "eval('1')",
        "margin[0]",
        "[1, 2]",
        "(1, 2)",
        "{1: 2}",
        "{1}",
        "lambda: 1",
        "[x for x in 'ab']",
        "(x := 3)",
        "f'{margin}'",
        "b'x'",
        "1j",
        "...",
        "None",
        "9 ** 9",
        "9 ** 9 ** 9 ** 9",
        "1 << 99",
        "1 // 2",
        "~1",
        "1 @ 2",
        "1 | 2",
        "margin in 'ab'",
        "margin is margin",
        "min(*margin)",
        "round(1.5, ndigits=2)",
        "min()",
        "min(1)",
        "abs(1, 2)",
        "min.real(1, 2)",
        "await margin",
        "print(1)",
        "1 +",
        "",
        "'a\\x41'",
        "1; 2",
        "(" * 250 + ")" * 250,
        "(" * 240 + "1" + ")" * 240 + ".real",
        "-" * 30 + "1",
        "+".join(["1"] * 60),
        "1" * 600,
        "1e999",
        "1" * 400,
        "'x' * 600",
    ],
)
def test_all_other_python_is_refused(text):
    with pytest.raises(InputError):
        Expression(text)({"margin": 4})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'%99999d' % 1", "arithmetic needs numbers"),
        ("'x' * 9", "arithmetic needs numbers"),
        ("long + long", "at most 1000 characters"),
        ("1000000 * 1000000 * 10", "must lie within 1e\\+12"),
        ("1 / zero", "must not divide by 0"),
        ("1 % zero", "must not divide by 0"),
        ("long < 1", "have no order"),
        ("nan", "must lie within"),
        ("huge", "must lie within"),
        ("listed", "must be text or a number"),
    ],
)
def test_values_are_bounded(text, message):
    design = {"long": "x" * 600, "zero": 0, "nan": float("nan"), "huge": 10**5_000, "listed": [1]}
    with pytest.raises(InputError, match=message):
        Expression(text)(design)


def test_an_unknown_name_is_answered_with_those_there_are():
    with pytest.raises(InputError, match="may use the parameters hue, size; received hew in"):
        Template(drawing("<text>{{ hew + 1 }}</text>")).check(["hue", "size"])
    with pytest.raises(InputError, match="may use the parameters hue"):
        Template(drawing("<text>{{ left }}</text>")).render({"hue": 3})


PIECES = [*"()+-*/%<,.[]:{}#é\\\n", "1", "2.5", "'a'", "x", "**", "==", " if ", " else ", " and ", "not ", "min(",
          "round(", "lambda ", "__class__"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_whatever_is_written_there_is_a_plain_value_or_an_error_of_ours(text):
    try:
        value = Expression(text)({"x": 3})
    except InputError:
        return
    assert isinstance(value, bool | int | float | str)


# -- templates --------------------------------------------------------------------------------------------------------


def test_placeholders_are_filled_in():
    inside = (
        '<rect x="{{ 2 * a }}" fill="hsl({{ hue }}, 50%, {{ a / 3 }}%)"/><text>{{ name }}, {{ a }} of {{ b }}</text>'
    )
    root = rendered(inside, a=4, b=True, hue=20.0, name="Tom")
    assert root.find(f"{SVG}rect").attrib == {"x": "8", "fill": "hsl(20, 50%, 1.3333%)"}
    assert root.find(f"{SVG}text").text == "Tom, 4 of true"


@pytest.mark.parametrize(
    ("value", "written"), [(0.1 + 0.2, "0.3"), (-0.00001, "-1e-05"), (-0.0, "0"), (1e11, "100000000000")]
)
def test_numbers_are_short(value, written):
    assert rendered("<text>{{ value }}</text>", value=value).find(f"{SVG}text").text == written


@given(st.text(max_size=100))
def test_text_comes_out_as_it_went_in(value):
    found = rendered("<text>{{ value }}</text>", value=value).find(f"{SVG}text").text or ""
    # XML has no control characters, and line ends of one kind.
    for odd, plain in (("\r\n", "\n"), ("\r", "\n")):
        value = value.replace(odd, plain)
    assert len(found) == len(value)
    assert all(a in (b, "\ufffd") for a, b in zip(found, value, strict=True))


@pytest.mark.parametrize(
    "value",
    ['"><script>alert(1)</script>', "</text><script>alert(1)</script>", "' onload='alert(1)", "<!--", "]]>",
     "&lt;&#60;", "{{ 1 + 1 }}", "&bomb;"],
)  # fmt: skip
def test_values_with_markup_stay_values(value):
    root = rendered('<text aria-label="{{ value }}">{{ value }}</text>', value=value)
    assert [element.tag for element in root.iter()] == [f"{SVG}svg", f"{SVG}text"]
    assert root[0].text == value
    assert root[0].attrib == {"aria-label": value}


@pytest.mark.parametrize(
    "value", ["url(http://example.org/x)", "javascript:alert(1)", "u\\72l(x)", "image(x)", "red;fill:blue", "URL(//x)"]
)
def test_values_cannot_lead_out_of_an_attribute_either(value):
    with pytest.raises(InputError):
        rendered('<rect fill="{{ value }}"/>', value=value)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<script>alert(1)</script>", "may have the elements"),
        ("<SCRIPT/>", "may have the elements"),
        ("<style>@import 'x'</style>", "may have the elements"),
        ("<foreignObject/>", "may have the elements"),
        ("<image href='x.png'/>", "may have the elements"),
        ("<use href='#a'/>", "may have the elements"),
        ("<a href='#a'/>", "may have the elements"),
        ("<animate/>", "may have the elements"),
        ("<set/>", "may have the elements"),
        ("<x:script xmlns:x='http://www.w3.org/2000/svg'/>", "may have the elements"),
        ("<rect onload='alert(1)'/>", "may have the attributes"),
        ("<rect onClick='alert(1)'/>", "may have the attributes"),
        ("<rect x:onload='alert(1)' xmlns:x='y'/>", "may have the attributes"),
        ("<rect src='x'/>", "may have the attributes"),
        ("<rect filter='x'/>", "may have the attributes"),
        ("<g xmlns='http://www.w3.org/1999/xhtml'/>", "xmlns must be"),
        ("<linearGradient href='http://example.org/#a'/>", "href must be"),
        ("<linearGradient href='javascript:alert(1)'/>", "href must be"),
        ("<linearGradient xmlns:xlink='http://www.w3.org/1999/xlink' xlink:href='data:x'/>", "href must be"),
        ("<linearGradient href='{{ x }}'/>", "href must be"),
        ("<g id='{{ x }}'/>", "an id must be"),
        ("<rect fill='url(http://example.org/x)'/>", "must not contain :"),
        ("<rect fill='url(//example.org/x)'/>", "must be url\\(#id\\)"),
        ("<rect fill='url(#a) url(x.svg#b)'/>", "must be url\\(#id\\)"),
        ("<rect fill='URL(#a)'/>", "may call only the functions"),
        ("<rect fill='src(x)'/>", "may call only the functions"),
        ("<rect fill='url/**/(x)'/>", "may call only the functions"),
        ("<rect fill='u\\72l(x)'/>", "must not contain"),
        ("<rect style='fill:url(//x)'/>", "must be url\\(#id\\)"),
        ("<rect style='background:url(x)'/>", "a style may have"),
        ("<rect style='fill:red;behavior:x'/>", "a style may have"),
        ("<rect {{ x }}='1'/>", "well-formed"),
        ("<{{ x }}/>", "well-formed"),
        ("<!-- {{ x }} -->", "placeholders are allowed only in"),
        ("<rect class='{{ x }}'/>", "placeholders are allowed only in"),
        ("{{ x }}", "text is allowed only in"),
        ("<title><g/></title>", "title must contain only text"),
        ("<rect></g>", "well-formed"),
        ("&nbsp;", "well-formed"),
        ("<?xml-stylesheet href='x'?>", "no processing instructions"),
        ("<text>{{ x </text>", "written"),
        ("<text>{{ x }} }}</text>", "written"),
        ("<text>{{ ().__class__ }}</text>", "an attribute in"),
        ("<text>\ue000</text>", "U\\+E000"),
        ("<g>" * 40 + "</g>" * 40, "nested at most 32 deep"),
        ("<g/>" * 6_000, "at most 5,000 elements"),
        ("<text>{{ x }}</text>" * 1_001, "at most 1,000 placeholders"),
        ("x" * MAX_TEMPLATE_BYTES, "at most 100,000 bytes"),
    ],
)
def test_hostile_templates_are_refused_with_the_rule(inside, message):
    with pytest.raises(InputError, match=message):
        Template(drawing(inside))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<!DOCTYPE svg [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><svg viewBox="0 0 1 1"><text>&b;</text></svg>',
            "DOCTYPE",
        ),
        (
            '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hosts">]><svg viewBox="0 0 1 1"><text>&a;</text></svg>',
            "DOCTYPE",
        ),
        ("<html/>", "may have the elements"),
        ("<g/>", "outermost element"),
        ("<svg/>", "must have a viewBox"),
        ("", "well-formed"),
        ("<svg viewBox='0 0 1 1'/><svg viewBox='0 0 1 1'/>", "well-formed"),
        (7, "must be text"),
    ],
)
def test_documents_that_are_no_drawing_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        Template(text)


def test_a_rendered_drawing_is_bounded():
    template = Template(drawing("<text>{{ x }}</text>" * 1_000))
    with pytest.raises(InputError, match="at most 400,000 characters"):
        template.render({"x": "x" * 1_000})


# -- drawings ---------------------------------------------------------------------------------------------------------


def test_ids_get_a_prefix_so_that_two_drawings_can_share_a_page():
    inside = (
        "<defs><linearGradient id='a'/><linearGradient id='b' href='#a'/></defs>"
        "<rect fill='url(#b)' stroke='url(\"#a\")'/>"
    )
    root = ET.fromstring(sanitize_svg(drawing(inside), "left-"))
    assert [element.get("id") for element in root[0]] == ["left-a", "left-b"]
    assert root[0][1].get("href") == "#left-a"
    assert root[1].attrib == {"fill": "url(#left-b)", "stroke": "url(#left-a)"}
    with pytest.raises(InputError, match="prefix must be"):
        sanitize_svg(drawing(""), '"')


def test_a_style_is_taken_apart_and_idle_attributes_are_dropped():
    text = (
        "<?xml version='1.0'?><svg viewBox='0 0 1 1' version='1.1' xmlns:rdkit='http://www.rdkit.org/xml'><!-- x -->"
        "<path class='bond-0' d='M0 0L1 1' style='fill:none;stroke:#FF0000; stroke-width:2.0px'/></svg>"
    )
    assert sanitize_svg(text) == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">'
        '<path d="M0 0L1 1" fill="none" stroke="#FF0000" stroke-width="2.0px"/></svg>'
    )


def test_checking_twice_changes_nothing():
    text = drawing("<g><text x='1'>a &amp; <tspan>b</tspan> c</text><title>&lt;</title></g><![CDATA[ ]]>")
    once = sanitize_svg(text)
    assert sanitize_svg(once) == once
    assert "a &amp; <tspan>b</tspan> c" in once
