"""Every error this library raises on purpose.

::

    AnchorPBOError
    ├── InputError (ValueError)          a value breaks a rule: NaN, out of range, empty
    │   ├── ShapeError                   an array has the wrong shape
    │   ├── UnknownNameError             a name is not one of those on offer
    │   ├── UnknownStudyError            there is no study, or participant, of this name
    │   └── NothingLeftError             all that could be chosen is excluded
    ├── IncompatibleError (ValueError)   two choices do not go together, such as HB with a logistic link
    ├── NumericalError (ArithmeticError) numbers are too large or too small to compute with
    ├── NotFittedError (RuntimeError)    a result is asked for before there is one
    ├── UnsupportedError (TypeError)     an object cannot do what is asked, such as a gradient in a fingerprint
    ├── ConflictError (RuntimeError)     someone else was faster: what this was meant for is no longer so
    ├── RunError (RuntimeError)          work was cut short: a worker died, a cluster does not answer
    │   └── TimeLimitError               work took longer than it may
    └── DataError (OSError)              a file is missing, damaged or cannot be written

Each message has the same three parts: the rule, what was received, what to do.
"""

from collections.abc import Iterable

_LONGEST = 160


class AnchorPBOError(Exception):
    """Base of the tree: catch this to catch them all.

    Parameters
    ----------
    rule
        What must hold, as a sentence without its full stop.
    received
        What came instead, or ``None`` where nothing came in.
    remedy
        What to do about it.
    """

    def __init__(self, rule: str, received: object = None, remedy: str = "") -> None:
        self.rule: str = rule
        self.received: object = received
        self.remedy: str = remedy
        parts = [rule, "" if received is None else f"received {_brief(received)}", remedy]
        super().__init__("; ".join(part for part in parts if part) + ".")

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call __init__ with the finished message as the rule.
        return type(self), (self.rule, self.received, self.remedy)


def _brief(value: object) -> str:
    """As much of a value as fits a sentence."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


class InputError(AnchorPBOError, ValueError):
    """A value breaks a rule."""


class ShapeError(InputError):
    """An array has the wrong shape."""


class UnknownNameError(InputError):
    """A name is not one of those on offer."""

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> "UnknownNameError":
        """Say which names of this kind there are."""
        return cls(f"{kind} must be one of {', '.join(sorted(known))}", repr(name), "check the spelling")


class UnknownStudyError(InputError):
    """There is no study, or participant, of this name."""


class NothingLeftError(InputError):
    """All that could be chosen is excluded."""


class IncompatibleError(AnchorPBOError, ValueError):
    """Two choices do not go together."""


class NumericalError(AnchorPBOError, ArithmeticError):
    """Numbers are too large or too small to compute with."""


class NotFittedError(AnchorPBOError, RuntimeError):
    """A result is asked for before there is one."""


class UnsupportedError(AnchorPBOError, TypeError):
    """An object cannot do what is asked of it."""


class DataError(AnchorPBOError, OSError):
    """A file is missing, damaged or cannot be written."""


class ConflictError(AnchorPBOError, RuntimeError):
    """Someone else was faster: what this was meant for is no longer so."""


class RunError(AnchorPBOError, RuntimeError):
    """Work was cut short, or could not be begun."""


class TimeLimitError(RunError):
    """Work took longer than it may."""
