"""Files of tables: their text, and its encoding, which a CSV file of a spreadsheet does not name."""

from __future__ import annotations

import codecs
import re
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from anchorpbo.errors import InputError

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
"""Encodings by their byte order marks; the longer marks come first."""
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0e-\x1f]")


class SupportsRead(Protocol):
    """An open file."""

    def read(self) -> Any:
        """Read the rest of the file, as text or as bytes in UTF-8."""


def read_text(source: str | PathLike[str] | SupportsRead) -> tuple[str, str]:
    """Return the text of a file, given by its path or open, and its encoding."""
    try:
        found = Path(source).read_bytes() if isinstance(source, str | PathLike) else source.read()
        return _decode(found) if isinstance(found, bytes) else (str(found).removeprefix("\ufeff"), "utf-8")
    except AttributeError as error:
        remedy = "give its path, or the open file"
        raise InputError("a table must be a file", repr(source), remedy) from error
    except FileNotFoundError as error:
        raise InputError("a table must be a file that exists", str(source), "check the path") from error
    except UnicodeError as error:
        rule, remedy = "a table must be in UTF-8", "in Excel, choose 'CSV UTF-8' when you save it"
        raise InputError(rule, f"{describe_source(source)} in another encoding", remedy) from error
    except (OSError, ValueError) as error:
        received = f"{describe_source(source)}: {error}"
        raise InputError("a table must be a file that can be read", received, "check it") from error


def describe_source(source: object) -> str:
    """Return the path or the name of a file, for errors."""
    return str(source) if isinstance(source, str | PathLike) else str(getattr(source, "name", "the file"))


def _decode(content: bytes) -> tuple[str, str]:
    """Return the text of a file and its encoding: UTF-8, UTF-16 or UTF-32 by their marks, or Windows-1252.

    Excel saves plain CSV in the code page of the system, which is Windows-1252 in Western Europe and America. Raises
    `UnicodeError` for mostly valid UTF-8 with some invalid bytes, and for a file that is no text, such as a workbook.
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding), encoding
    try:
        return content.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        replaced, text = content.decode("utf-8", errors="replace"), content.decode("cp1252")
        beyond_ascii = len(replaced) - len(replaced.encode("ascii", errors="ignore"))
        if 2 * replaced.count("\ufffd") < beyond_ascii or _CONTROL_CHARACTER.search(text):
            raise
        return text, "cp1252"
