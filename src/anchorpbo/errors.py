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

Each message has three parts: the rule, the value received, and the remedy.
"""

from collections.abc import Iterable

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

    def __init__(self, rule: str, received: object = None, remedy: str = "") -> None:
        self.rule: str = rule
        self.received: object = received
        self.remedy: str = remedy
        parts = [rule, "" if received is None else f"received {_format_received(received)}", remedy]
        super().__init__("; ".join(part for part in parts if part) + ".")

    def __reduce__(self) -> tuple[object, ...]:
        # The default would pass the whole message as the rule.
        return type(self), (self.rule, self.received, self.remedy)


def _format_received(value: object) -> str:
    """Format a value on one line, truncated to `_MAX_LENGTH` characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 4] + " ..."


class InputError(AnchorPBOError, ValueError):
    """A value breaks a rule."""


class ShapeError(InputError):
    """An array has the wrong shape."""


class UnknownNameError(InputError):
    """A name is unknown."""

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> "UnknownNameError":
        """Return an error that lists the known names."""
        return cls(f"{kind} must be one of {', '.join(sorted(known))}", repr(name), "check the spelling")


class UnknownStudyError(InputError):
    """No study or participant has this id or name."""


class NothingLeftError(InputError):
    """No design is left to choose."""


class IncompatibleError(AnchorPBOError, ValueError):
    """Two options exclude each other."""


class NumericalError(AnchorPBOError, ArithmeticError):
    """Numbers are too large or too small to compute with."""


class NotFittedError(AnchorPBOError, RuntimeError):
    """A result was requested before the model was fitted."""


class UnsupportedError(AnchorPBOError, TypeError):
    """An operation is not supported."""


class DataError(AnchorPBOError, OSError):
    """A file is missing, damaged or cannot be written."""


class ConflictError(AnchorPBOError, RuntimeError):
    """Stale write: another change came first."""


class RunError(AnchorPBOError, RuntimeError):
    """Work was interrupted or could not be started."""


class TimeLimitError(RunError):
    """Work exceeded its time limit."""
