"""The exceptions of this library.

::

    AnchorPBOError
    ├── InputError (ValueError)          a value breaks a rule: NaN, out of range, empty
    │   ├── ShapeError                   an array has the wrong shape
    │   ├── UnknownNameError             a name is unknown
    │   ├── UnknownStudyError            no study or participant has this id or name
    │   ├── InfeasibleError              a design violates a constraint
    │   └── NothingLeftError             no design is left to choose
    ├── IncompatibleError (ValueError)   two options exclude each other, such as HB with a logistic likelihood
    ├── NumericalError (ArithmeticError) numbers are too large or too small to compute with
    ├── NotFittedError (RuntimeError)    a result was requested before the model was fitted
    ├── UnsupportedError (TypeError)     an operation is not supported, such as the gradient of a fingerprint kernel
    ├── ConflictError (RuntimeError)     stale write: another change came first
    ├── RunError (RuntimeError)          work was interrupted: a worker died, a cluster does not respond
    │   └── TimeLimitError               work exceeded its time limit
    └── DataError (OSError)              a file is missing, damaged or cannot be written

Each message has three parts: the rule, the value received, and the remedy. Programs branch on `code`, one per class,
on `field`, the part of the input that the error is about, and on `value`, what that part holds; never on the message.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

MAX_VALUE_LENGTH = 500
"""Largest length of an error's value as JSON, in characters."""
_MAX_LENGTH = 160


class AnchorPBOError(Exception):
    """Base class of all exceptions of this library.

    Parameters
    ----------
    rule
        The rule that was broken, as a sentence without its full stop.
    received
        The value received; ``None`` leaves this part out.
    remedy
        What to do.
    value
        The value that breaks the rule; kept if it is JSON data of at most 500 characters.
    field
        Path of the part of the input that the error is about.
    """

    code: ClassVar[str] = "error"
    """Name of the kind of error, for programs."""

    def __init__(
        self, rule: str, received: object = None, remedy: str = "", *, value: object = None, field: str | None = None
    ) -> None:
        self.rule: str = rule
        self.received: object = received
        self.remedy: str = remedy
        self.value: Any = to_json_value(value)
        """The value that breaks the rule, as JSON data; ``None`` without one."""
        self.field: str | None = field
        """Path of the part of the input that the error is about, such as ``space.constraints.1``; see `at_field`."""
        parts = [rule, "" if received is None else f"received {_format_received(received)}", remedy]
        super().__init__("; ".join(part for part in parts if part) + ".")

    def __reduce__(self) -> tuple[object, ...]:
        # The default would pass the whole message as the rule.
        return type(self), (self.rule, self.received, self.remedy), {"value": self.value, "field": self.field}

    def about(self, subject: str) -> Self:
        """Return the same error whose rule begins with a subject, such as the line of a file."""
        rule = f"{subject}: {self.rule}"
        return type(self)(rule, self.received, self.remedy, value=self.value, field=self.field)


@contextmanager
def at_field(name: str | int, value: object = None) -> Iterator[None]:
    """Prepend a name or an index to the field of each error that is raised within, and set a value if it has none."""
    try:
        yield
    except AnchorPBOError as error:
        error.field = str(name) if error.field is None else f"{name}.{error.field}"
        error.value = to_json_value(value) if error.value is None else error.value
        raise


def to_json_value(value: object) -> Any:
    """Return a value that is JSON data of limited length, and ``None`` for any other."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return None
    return value if len(text) <= MAX_VALUE_LENGTH else None


def _format_received(value: object) -> str:
    """Format a value on one line, truncated to `_MAX_LENGTH` characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 4] + " ..."


class InputError(AnchorPBOError, ValueError):
    """A value breaks a rule."""

    code = "input"


class ShapeError(InputError):
    """An array has the wrong shape."""

    code = "shape"


class UnknownNameError(InputError):
    """A name is unknown."""

    code = "unknown_name"

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> "UnknownNameError":
        """Return an error that lists the known names."""
        return cls(f"{kind} must be one of {', '.join(sorted(known))}", repr(name), "check the spelling")


class UnknownStudyError(InputError):
    """No study or participant has this id or name."""

    code = "unknown_study"


class InfeasibleError(InputError):
    """A design violates a constraint.

    `value` has the ``coefficients``, ``lower`` and ``upper`` of the constraint, and the ``total`` of the design.
    """

    code = "infeasible"


class NothingLeftError(InputError):
    """No design is left to choose."""

    code = "nothing_left"


class IncompatibleError(AnchorPBOError, ValueError):
    """Two options exclude each other."""

    code = "incompatible"


class NumericalError(AnchorPBOError, ArithmeticError):
    """Numbers are too large or too small to compute with."""

    code = "numerical"


class NotFittedError(AnchorPBOError, RuntimeError):
    """A result was requested before the model was fitted."""

    code = "not_fitted"


class UnsupportedError(AnchorPBOError, TypeError):
    """An operation is not supported."""

    code = "unsupported"


class DataError(AnchorPBOError, OSError):
    """A file is missing, damaged or cannot be written."""

    code = "data"


class ConflictError(AnchorPBOError, RuntimeError):
    """Stale write: another change came first."""

    code = "conflict"


class RunError(AnchorPBOError, RuntimeError):
    """Work was interrupted or could not be started."""

    code = "run"


class TimeLimitError(RunError):
    """Work exceeded its time limit."""

    code = "time_limit"
