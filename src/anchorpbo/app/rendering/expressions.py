"""Expressions in templates: arithmetic, comparisons and conditionals over the parameters of a design.

::

    numbers and texts     12.5, "left", True, False
    parameters            margin
    arithmetic            + - * / %        of numbers; + also joins texts
    comparisons           == != < <= > >=  and, or, not
    conditionals          "start" if align == "left" else "middle"
    functions             min max round abs

Python's parser reads an expression; `_evaluate` walks the syntax tree. Only the node types on this list are allowed: no
attributes, indices, powers or other calls. Numbers, texts and the size of the tree are bounded, so evaluating an
untrusted expression takes microseconds.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeGuard

from anchorpbo.errors import InputError

MAX_EXPRESSION_CHARACTERS, MAX_NODES, MAX_DEPTH = 500, 100, 20
"""Maximum number of characters, nodes and levels of an expression."""
MAX_TEXT_CHARACTERS = 1_000
MAX_NUMBER = 1e12
"""Largest absolute value of a number, including intermediate results."""

Value: TypeAlias = bool | int | float | str
_Operators: TypeAlias = dict[type[ast.AST], Callable[[Any, Any], Any]]

FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": abs, "max": max, "min": min, "round": round}
_ARITHMETIC: _Operators = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_COMPARATORS: _Operators = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ALLOWED = "an expression may have numbers, texts, parameters, + - * / %, comparisons, if-else and min max round abs"
_PARAMETER_NAME = re.compile(r"[^\W\d]\w*(?: \w+)*")
_ARGUMENTS = {"abs": (1, 1), "max": (2, 20), "min": (2, 20), "round": (1, 2)}


@dataclass(frozen=True)
class Expression:
    """An expression, checked at construction. Immutable, so safe to share between threads.

    Parameters
    ----------
    text
        The expression, or the name of one parameter, which may contain spaces.

    Examples
    --------
    >>> Expression("20 + 3 * margin")({"margin": 4})
    32
    >>> Expression('"start" if align == "left" else "middle"')({"align": "centre"})
    'middle'
    """

    text: str

    def __post_init__(self) -> None:
        if len(self.text) > MAX_EXPRESSION_CHARACTERS:
            rule = f"an expression must have at most {MAX_EXPRESSION_CHARACTERS} characters"
            raise InputError(rule, f"{len(self.text)}", "split it into several placeholders")
        nodes = list(ast.walk(self._tree))
        if len(nodes) > MAX_NODES or _depth(self._tree) > MAX_DEPTH:
            rule = f"an expression must have at most {MAX_NODES} parts, nested at most {MAX_DEPTH} deep"
            raise InputError(rule, self.text, "split it into several placeholders")
        _check(self._tree, self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """Parameters that the expression uses."""
        return frozenset(node.id for node in _operands(self._tree) if isinstance(node, ast.Name))

    def check(self, names: Iterable[str]) -> None:
        """Raise if the expression uses a parameter that is not in `names`."""
        known = tuple(names)
        for name in sorted(self.names.difference(known)):
            rule = f"an expression may use the parameters {', '.join(known)}"
            raise InputError(rule, f"{name} in {{{{ {self.text} }}}}", "check the spelling, and put texts in quotes")

    def __call__(self, design: Mapping[str, Any]) -> Value:
        """Return the value of the expression for a design."""
        self.check(design)
        return _evaluate(self._tree, design, self.text)

    @cached_property
    def _tree(self) -> ast.expr:
        text = self.text.strip()
        if "\\" in text or "\x00" in text:  # Python would interpret escapes, and warn about invalid ones
            raise InputError("an expression must not contain backslashes", self.text, "write the character itself")
        try:
            return ast.parse(text.replace("\n", " "), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            if _PARAMETER_NAME.fullmatch(text):
                return ast.Name(text, ast.Load())
            raise InputError(_ALLOWED, self.text, "correct the syntax") from error


def _depth(tree: ast.AST) -> int:
    """Return the depth of a tree, computed without recursion."""
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def _operands(node: ast.AST) -> Iterable[ast.AST]:
    """Yield all nodes except the names of called functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Call) and child is node.func):
            yield from _operands(child)


def _check(node: ast.AST, text: str) -> None:
    """Raise if a node is not allowed."""
    match node:
        case ast.Constant(value=value):
            if not isinstance(value, bool | int | float | str):
                raise InputError(_ALLOWED, f"{value!r} in {text}", "leave it out")
            _check_bounds(value, text)
        case ast.Name():
            if node.id.startswith("__"):
                raise InputError(_ALLOWED, f"{node.id} in {text}", "leave it out")
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            fewest, most = _ARGUMENTS[name]
            if not fewest <= len(arguments) <= most:
                raise InputError(f"{name} takes {fewest} to {most} numbers", text, "add or remove arguments")
        case ast.BinOp(op=sign) if type(sign) in _ARITHMETIC:
            pass
        case ast.Compare(ops=signs) if all(type(sign) in _COMPARATORS for sign in signs):
            pass
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not()) | ast.BoolOp() | ast.IfExp():
            pass
        case _:
            raise InputError(_ALLOWED, f"{_NODE_NAMES.get(type(node), type(node).__name__)} in {text}", "leave it out")
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.operator | ast.cmpop | ast.unaryop | ast.boolop | ast.expr_context):
            _check(child, text)


_NODE_NAMES: dict[type[ast.AST], str] = {
    ast.Attribute: "an attribute",
    ast.Subscript: "an index",
    ast.Call: "another call",
    ast.BinOp: "another operator",
    ast.Compare: "another comparison",
    ast.JoinedStr: "a formatted text",
}


def _evaluate(node: ast.AST, design: Mapping[str, Any], text: str) -> Value:
    """Evaluate a node that passed `_check`."""
    result: Value

    def of(part: ast.AST) -> Value:
        return _evaluate(part, design, text)

    match node:
        case ast.Constant(value=bool() | int() | float() | str() as literal):
            result = literal
        case ast.Name(id=name):
            result = "" if design[name] is None else design[name]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            result = _call(name, [_require_number(of(each), text) for each in arguments])
        case ast.BinOp(left=left, op=sign, right=right):
            result = _combine(sign, of(left), of(right), text)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            result = not of(operand)
        case ast.UnaryOp(op=sign, operand=operand):
            number = _require_number(of(operand), text)
            result = -number if isinstance(sign, ast.USub) else number
        case ast.BoolOp(op=sign, values=values):
            truths = (bool(of(each)) for each in values)
            result = all(truths) if isinstance(sign, ast.And) else any(truths)
        case ast.Compare(left=left, ops=signs, comparators=others):
            result = _compare(signs, [of(each) for each in (left, *others)], text)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            result = of(body if of(test) else orelse)
        case _:  # unreachable: `_check` raises on other nodes
            raise InputError(_ALLOWED, text, "leave the rest out")
    return _check_bounds(result, text)


def _call(name: str, numbers: list[float]) -> Value:
    if name == "round":
        return round(numbers[0], min(max(round(numbers[1]), 0), 12)) if len(numbers) > 1 else round(numbers[0])
    result: float = FUNCTIONS[name](*numbers)
    return result


def _combine(sign: ast.operator, left: Value, right: Value, text: str) -> Value:
    if isinstance(sign, ast.Add) and isinstance(left, str) and isinstance(right, str):
        return left + right
    first, second = _require_number(left, text), _require_number(right, text)
    if isinstance(sign, ast.Div | ast.Mod) and second == 0:
        raise InputError("an expression must not divide by 0", text, "add a little to the divisor")
    result: float = _ARITHMETIC[type(sign)](first, second)
    return result


def _compare(signs: list[ast.cmpop], values: list[Value], text: str) -> bool:
    for sign, left, right in zip(signs, values, values[1:], strict=False):
        ordered = not isinstance(sign, ast.Eq | ast.NotEq)
        if ordered and isinstance(left, str) != isinstance(right, str):
            raise InputError("a text and a number have no order", text, "compare two texts or two numbers")
        if not _COMPARATORS[type(sign)](left, right):
            return False
    return True


def _require_number(value: Value, text: str) -> float:
    if isinstance(value, str):
        rule = "arithmetic needs numbers; texts can be compared, and joined to texts by +"
        raise InputError(rule, f"{value!r} in {text}", "leave the text out, or use two placeholders")
    return value


def _check_bounds(value: object, text: str) -> Value:
    """Return a value; raise if it is too large."""
    if isinstance(value, str):
        if len(value) > MAX_TEXT_CHARACTERS:
            raise InputError(
                f"a text must have at most {MAX_TEXT_CHARACTERS} characters", f"{len(value)}", "shorten it"
            )
        return value
    if not _is_number(value):
        raise InputError("a value must be text or a number", repr(value), "leave it out of the template")
    if not abs(value) <= MAX_NUMBER:  # true for nan, too
        raise InputError(f"numbers must lie within {MAX_NUMBER:g}", f"another in {text}", "use smaller ones")
    return value


def _is_number(value: object) -> TypeGuard[bool | int | float]:
    return isinstance(value, int | float)
