"""The exceptions of this library.

::

    AnchorPBOError
    ├── InputError (ValueError)          a value breaks a rule: NaN, out of range, empty
    │   ├── ShapeError                   an array has the wrong shape
    │   ├── UnknownNameError             a name is unknown
    │   ├── UnknownStudyError            no study or participant has this id or name
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
and on `field`, the part of the input that the error is about; never on the message.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

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
    """

    code: ClassVar[str] = "error"
    """Name of the kind of error, for programs."""

    def __init__(self, rule: str, received: object = None, remedy: str = "") -> None:
        self.rule: str = rule
        self.received: object = received
        self.remedy: str = remedy
        self.field: str | None = None
        """Path of the part of the input that the error is about, such as ``space.constraints``; see `at_field`."""
        parts = [rule, "" if received is None else f"received {_format_received(received)}", remedy]
        super().__init__("; ".join(part for part in parts if part) + ".")

    def __reduce__(self) -> tuple[object, ...]:
        # The default would pass the whole message as the rule.
        return type(self), (self.rule, self.received, self.remedy), {"field": self.field}


@contextmanager
def at_field(name: str) -> Iterator[None]:
    """Prepend a name to the field of each error that is raised within."""
    try:
        yield
    except AnchorPBOError as error:
        error.field = name if error.field is None else f"{name}.{error.field}"
        raise


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
