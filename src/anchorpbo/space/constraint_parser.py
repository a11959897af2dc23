"""Parser of linear constraints: ``"2*a + b <= 10"`` to weights and the ends of a range.

The grammar is Python's; the text is parsed to a syntax tree and never executed. Before that,

    hot water, H₂O    names that are not Python identifiers are replaced by placeholders; a name may be in quotes
    ≤  ≥  −  ×  ÷     become <=, >=, -, * and /, and a single = becomes ==
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from keyword import iskeyword

from anchorpbo.errors import InputError
from anchorpbo.space.values import as_float

MAX_CHARACTERS = 20_000
"""Largest length of a constraint in text, in characters."""
MAX_TERMS = 500
"""Largest depth of its syntax tree: Python parses ``a + b + c`` as ``(a + b) + c``."""
EXAMPLE = "write it like '2*a + b <= 10', 'a + b + c == 1' or '1 <= a - b/4 <= 5'"
_SHORTER_REMEDY = "name each parameter once, with one sign"
_SEVERAL_REMEDY = "give several one by one, such as 'a <= 1' and 'b >= 2', and write decimals with a point"
_SIGNS = {
    "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=", "⩾": ">=", "≧": ">=", "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/",
}  # fmt: skip
_TRANSLATION = str.maketrans(_SIGNS)
_SINGLE_EQUALS = re.compile(r"(?<![<>=!])=(?![<>=])")
_TWO_WORDS = re.compile(r"[^\W\d]\w*\s+\w")
_WORDS = re.compile(r"[^\W\d]\w*(?: +[^\W\d]\w*)+")
_OPERATOR = re.compile(r"\s*[-+*/−–×·÷]\s*")
_NAMED = 10
"""Largest number of names that an error lists."""


def parse_comparison(text: str, names: Sequence[str] = ()) -> tuple[dict[str, float], float | None, float | None]:
    """Return the weight of each parameter, and the lower and upper end of their sum; see `Linear.parse`."""
    if not isinstance(text, str):
        raise InputError("a constraint must be text or have coefficients", repr(text), EXAMPLE)
    if len(text) > MAX_CHARACTERS:
        rule = f"a comparison must be at most {MAX_CHARACTERS:,} characters long"
        raise InputError(rule, f"{len(text):,} characters", _SHORTER_REMEDY)
    known = _NameTable.of(tuple(names))
    plain = known.replace_names(text)
    try:
        tree = ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        unknown = known.find_unknown(plain) if names else None
        if unknown is not None:
            rule = "a comparison must be of parameters and numbers"
            raise InputError(rule, f"{unknown!r} in {text!r}", _list_names_remedy(names)) from error
        remedy = _list_names_remedy(names) if _TWO_WORDS.search(plain) else EXAMPLE
        remedy = _SEVERAL_REMEDY if ";" in text or "\n" in text.strip() else remedy
        raise InputError("a comparison must have a sum on each side", repr(text), remedy) from error
    if isinstance(tree, ast.Tuple | ast.BoolOp):
        raise InputError("there must be a single comparison", repr(text), _SEVERAL_REMEDY)
    if not isinstance(tree, ast.Compare):
        raise InputError("a comparison must have <=, >= or == in it", repr(text), EXAMPLE)
    if (deep := _measure_depth(tree)) > MAX_TERMS:
        rule = f"a comparison must have at most {MAX_TERMS} terms and signs"
        raise InputError(rule, f"{deep:,}", _SHORTER_REMEDY)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = known.original_names.get(node.id, node.id)
    return _read_range(text, tree)


@dataclass(frozen=True)
class _NameTable:
    """Names of parameters, and their forms in a text that Python can parse."""

    original_names: Mapping[str, str]
    """Names by their form in the syntax tree: Python's form of an identifier, or a placeholder."""
    placeholders: Mapping[str, str]
    """Placeholders by the normal form of a name that is not an identifier."""
    pattern: re.Pattern[str] | None
    """Pattern of these names; ``None`` without any."""

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, names: tuple[str, ...]) -> _NameTable:
        """Return the table of names."""
        originals = {_normalise(name): name for name in names}
        if len(originals) < len(names):
            alike = [name for name in names if originals[_normalise(name)] != name]
            rule = "names must differ in more than white space"
            raise InputError(rule, f"{alike[0]!r} twice", "rename one of the parameters")
        identifiers = {form for form in originals if _is_identifier(form)}
        others = sorted(originals.keys() - identifiers - {""}, key=lambda form: (-len(form), form))
        prefix = "p_"
        while any(prefix in form for form in originals):
            prefix += "_"
        placeholders = {form: f"{prefix}{number}" for number, form in enumerate(others)}
        # Python normalises identifiers further, such as letters of another width.
        found = {unicodedata.normalize("NFKC", form): originals[form] for form in identifiers}
        found |= {place: originals[form] for form, place in placeholders.items()}
        # In quotes, any name can be written; without, a name such as 2 or 1e5 is a number.
        quoted = "|".join(map(_match_spaces, sorted(originals.keys() - {""}, key=lambda form: (-len(form), form))))
        plain = "|".join(map(_match_spaces, (form for form in others if not _is_number(form))))
        parts = [rf"(?P<quote>['\"`])(?:{quoted})(?P=quote)"] if quoted else []
        parts += [rf"(?<!\w)(?:{plain})(?!\w)"] if plain else []
        return cls(found, placeholders, re.compile("|".join(parts)) if parts else None)

    def replace_names(self, text: str) -> str:
        """Return the text with placeholders and with Python's signs."""
        text = unicodedata.normalize("NFC", text).replace("\u00b5", "\u03bc")
        plain, end = "", 0
        for match in self.pattern.finditer(text) if self.pattern is not None else ():
            quoted = match["quote"] is not None
            form = _normalise(match[0][1:-1] if quoted else match[0])
            self._check_ambiguity(form, quoted)
            plain += _translate_signs(text[end : match.start()]) + self.placeholders.get(form, form)
            end = match.end()
        return plain + _translate_signs(text[end:])

    def find_unknown(self, plain: str) -> str | None:
        """Return the first name of several words in a text with placeholders: it is not the name of a parameter."""
        found = (match[0] for match in _WORDS.finditer(plain))
        return next((words for words in found if not self.original_names.keys() & set(words.split())), None)

    def _check_ambiguity(self, form: str, quoted: bool) -> None:
        """Raise if a name without quotes can also be read as a sum of other names."""
        parts = [part for part in _OPERATOR.split(form) if part]
        others = {_normalise(name) for name in self.original_names.values()}
        if not quoted and len(parts) > 1 and all(part in others or _is_number(part) for part in parts):
            rule = "a name must not be a sum of other names"
            raise InputError(rule, repr(form), f"write it in quotes, '{form}', if you mean the parameter")


def _normalise(name: str) -> str:
    """Return the form of a name by which it is found: composed letters, single spaces, and one micro sign."""
    return " ".join(unicodedata.normalize("NFC", name).replace("\u00b5", "\u03bc").split())


def _is_identifier(form: str) -> bool:
    return form.isidentifier() and not iskeyword(form) and not any(sign in form for sign in _SIGNS)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _match_spaces(form: str) -> str:
    """Return a pattern of a name with any white space between its words."""
    return r"\s+".join(map(re.escape, form.split()))


def _translate_signs(text: str) -> str:
    return _SINGLE_EQUALS.sub("==", text.translate(_TRANSLATION))


def _list_names_remedy(names: Sequence[str]) -> str:
    if not names:
        return "write names as single words, as in '2*a + b <= 10', or give the names with spaces in them"
    more = ", ..." if len(names) > _NAMED else ""
    return f"write the parameters as they are named: {', '.join(map(repr, names[:_NAMED]))}{more}"


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
        rule = "a double inequality must have a number at each end"
        raise InputError(rule, repr(text), EXAMPLE)
    first, (weights, constant), last = terms[0][1], terms[1], terms[2][1]
    lower, upper = (first, last) if kinds[0] == "<=" else (last, first)
    return weights, lower - constant, upper - constant


def _read_operator(text: str, op: ast.cmpop) -> str:
    kinds = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "=="}
    strict = {ast.Lt: "<", ast.Gt: ">"}
    if type(op) in strict:
        sign = strict[type(op)]
        raise InputError(f"a comparison must include its ends, so {sign} is not allowed", repr(text), f"use {sign}=")
    if type(op) not in kinds:
        raise InputError("a constraint must use <=, >= or ==", repr(text), EXAMPLE)
    return kinds[type(op)]


def _read_sum(text: str, node: ast.expr) -> _Sum:
    """Return the weights and the constant term of a sum."""
    found: _Sum | None = None
    match node:
        case ast.Name(id=name):
            found = {name: 1.0}, 0.0
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            found = {}, as_float("a number in a comparison", value)
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
        rule = "a sum must be linear: parameters times numbers, added up"
        raise InputError(rule, f"{ast.unparse(node)!r} in {text!r}", EXAMPLE)
    return found


def _scale(part: _Sum, factor: float) -> _Sum:
    return _add(({}, 0.0), part, factor)


def _add(first: _Sum, second: _Sum, times: float) -> _Sum:
    weights = dict(first[0])
    for name, weight in second[0].items():
        weights[name] = weights.get(name, 0.0) + times * weight
    return weights, first[1] + times * second[1]
