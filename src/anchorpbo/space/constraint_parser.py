"""Parser of linear constraints: ``"2*a + b <= 10"`` to weights and the ends of a range.

The grammar is Python's; the text is parsed to a syntax tree and never executed. Before that,

    ≤  ≥  −  ×        become <=, >=, - and *, and a single = becomes ==
    hot water         a name that is no Python name, with spaces or signs, becomes a placeholder
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Sequence
from keyword import iskeyword

from anchorpbo.errors import InputError
from anchorpbo.space.values import as_float

MAX_CHARACTERS = 20_000
"""Largest length of a constraint in text, in characters."""
MAX_TERMS = 500
"""Largest depth of its syntax tree: Python parses ``a + b + c`` as ``(a + b) + c``."""
EXAMPLE = "write it like '2*a + b <= 10', 'a + b + c == 1' or '1 <= a - b/4 <= 5', or use Linear"
_SHORTER_REMEDY = "name each parameter once, with one sign, or use Linear"
_SEVERAL_REMEDY = "give several as a list of strings, ['a <= 1', 'b >= 2'], and write decimals with a point"
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "−": "-", "–": "-", "×": "*", "·": "*"})
_SINGLE_EQUALS = re.compile(r"(?<![<>=!])=(?![<>=])")
_TWO_WORDS = re.compile(r"[^\W\d]\w*\s+\w")


def parse_comparison(text: str, names: Sequence[str] = ()) -> tuple[dict[str, float], float | None, float | None]:
    """Return the weight of each parameter, and the lower and upper end of their sum; see `Linear.parse`."""
    if not isinstance(text, str):
        raise InputError("a constraint must be text or a Linear", repr(text), EXAMPLE)
    if len(text) > MAX_CHARACTERS:
        rule = f"a constraint must be at most {MAX_CHARACTERS:,} characters long"
        raise InputError(rule, f"{len(text):,} characters", _SHORTER_REMEDY)
    plain, spelt = _replace_names(_SINGLE_EQUALS.sub("==", text.translate(_SIGNS)), names)
    try:
        tree = ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        remedy = _list_names_remedy(names) if _TWO_WORDS.search(plain) else EXAMPLE
        remedy = _SEVERAL_REMEDY if ";" in text or "\n" in text.strip() else remedy
        raise InputError("a constraint must be a comparison of sums", repr(text), remedy) from error
    if isinstance(tree, ast.Tuple | ast.BoolOp):
        raise InputError("a constraint must be a single comparison", repr(text), _SEVERAL_REMEDY)
    if not isinstance(tree, ast.Compare):
        raise InputError("a constraint must have <=, >= or == in it", repr(text), EXAMPLE)
    if (deep := _measure_depth(tree)) > MAX_TERMS:
        rule = f"a constraint must have at most {MAX_TERMS} terms and signs"
        raise InputError(rule, f"{deep:,}", _SHORTER_REMEDY)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = spelt.get(node.id, node.id)
    return _read_range(text, tree)


def _replace_names(text: str, names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the text with a placeholder for each name that Python cannot parse, and the names by their Python form."""
    # Python normalises names to one form of Unicode; a micro sign typed by a user may be in another.
    normal = {unicodedata.normalize("NFKC", name): name for name in names}
    spelt = {form: name for form, name in normal.items() if _is_python_name(form)}
    others = sorted((form for form in normal if form not in spelt and _has_letter(form)), key=len, reverse=True)
    if not others:
        return text, spelt
    text, free = unicodedata.normalize("NFKC", text), "p"
    while free in text:  # a placeholder must not be part of the text
        free += "_"
    # One pass, in which the longest name wins, so that no placeholder is searched for names.
    pattern = re.compile("|".join(rf"(?<!\w){_match_spaces(form)}(?!\w)" for form in others))
    places = {" ".join(form.split()): f"{free}{number}" for number, form in enumerate(others)}
    found = pattern.sub(lambda match: places[" ".join(match[0].split())], text)
    return found, spelt | {places[" ".join(form.split())]: normal[form] for form in others}


def _is_python_name(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _has_letter(name: str) -> bool:
    """Return whether a name has a letter; a name such as 2 would be taken for a number."""
    return any(character.isalpha() for character in name)


def _match_spaces(name: str) -> str:
    """Return a pattern of a name with any white space between its words."""
    return r"\s+".join(map(re.escape, name.split()))


def _list_names_remedy(names: Sequence[str]) -> str:
    if not names:
        return "names in it are single words, as in '2*a + b <= 10': rename the parameter, or use Linear"
    return f"write the parameters as they are named: {', '.join(map(repr, names))}"


def _measure_depth(tree: ast.Compare) -> int:
    """Return the depth of the syntax tree of a comparison."""
    level: list[ast.AST] = [tree.left, *tree.comparators]
    depth = 1
    while level := [one for node in level for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]:
        depth += 1
    return depth


_Sum = tuple[dict[str, float], float]  # weights and the constant term


def _read_range(text: str, tree: ast.Compare) -> tuple[dict[str, float], float | None, float | None]:
    """Return the weights and the lower and upper end of a comparison."""
    terms = [_read_sum(text, term) for term in (tree.left, *tree.comparators)]
    kinds = [_read_operator(text, op) for op in tree.ops]
    if len(kinds) == 1:
        weights, constant = _add(terms[0], terms[1], -1.0)
        return weights, None if kinds[0] == "<=" else -constant, None if kinds[0] == ">=" else -constant
    if len(kinds) > 2 or kinds[0] != kinds[1] or kinds[0] == "==" or terms[0][0] or terms[2][0]:
        rule = "a constraint with two comparisons must have a sum between two numbers"
        raise InputError(rule, repr(text), EXAMPLE)
    first, (weights, constant), last = terms[0][1], terms[1], terms[2][1]
    lower, upper = (first, last) if kinds[0] == "<=" else (last, first)
    return weights, lower - constant, upper - constant


def _read_operator(text: str, op: ast.cmpop) -> str:
    kinds = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=="}
    strict = {ast.Lt: "<", ast.Gt: ">"}
    if type(op) in strict:
        sign = strict[type(op)]
        raise InputError(f"a constraint must include its ends, so {sign} is not allowed", repr(text), f"use {sign}=")
    if type(op) not in kinds:
        raise InputError("a constraint must compare by <=, >= or ==", repr(text), EXAMPLE)
    return kinds[type(op)]


def _read_sum(text: str, node: ast.expr) -> _Sum:
    """Return the weights and the constant term of a sum."""
    found: _Sum | None = None
    match node:
        case ast.Name(id=name):
            found = {name: 1.0}, 0.0
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            found = {}, as_float("a number of a constraint", value)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as op, operand=operand):
            found = _scale(_read_sum(text, operand), -1.0 if isinstance(op, ast.USub) else 1.0)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            found = _add(_read_sum(text, left), _read_sum(text, right), -1.0 if isinstance(op, ast.Sub) else 1.0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = sorted((_read_sum(text, left), _read_sum(text, right)), key=lambda part: len(part[0]))
            found = None if first[0] else _scale(second, first[1])
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            names, divisor = _read_sum(text, right)
            found = None if names or not divisor else _scale(_read_sum(text, left), 1.0 / divisor)
    if found is None:
        rule = "a constraint must be linear: parameters times numbers, added up"
        raise InputError(rule, f"{ast.unparse(node)!r} in {text!r}", EXAMPLE)
    return found


def _scale(part: _Sum, factor: float) -> _Sum:
    return _add(({}, 0.0), part, factor)


def _add(first: _Sum, second: _Sum, times: float) -> _Sum:
    weights = dict(first[0])
    for name, weight in second[0].items():
        weights[name] = weights.get(name, 0.0) + times * weight
    return weights, first[1] + times * second[1]
