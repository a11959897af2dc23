"""Audio and video clips as designs: their formats, recognised by content, and their limits.

A clip is WAV, MP3, Ogg, MP4 or WebM. Its name says nothing about its content; the first bytes do::

    WAV     RIFF....WAVE
    MP3     two consecutive frame headers of layer III, after an ID3 tag if there is one
    Ogg     OggS
    MP4     ....ftyp, except QuickTime, with a track of audio or video: pictures of phones have the same beginning
    WebM    1A 45 DF A3, with document type webm

Containers of Ogg, MP4 and WebM hold audio or video: the codecs or handlers named in them tell which.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from anchorpbo.errors import InputError

MAX_CLIP_BYTES = 10_000_000
"""Maximum size of a clip in bytes."""
MAX_STUDY_CLIP_BYTES = 200_000_000
"""Maximum size of all clips of a study in bytes."""
MAX_CLIP_NAME_LENGTH = 200
ClipKind = Literal["audio", "video"]
_FORMATS = "WAV, MP3, Ogg, MP4 or WebM"
_REMEDY = "convert it, for example with ffmpeg -i in.flac out.mp3"
_HEAD_BYTES = 65_536
"""Number of bytes in which the codecs of Ogg and WebM are named."""
_OTHER_FORMATS = {
    b"fLaC": "FLAC", b"FORM": "AIFF", b"MThd": "MIDI", b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF",
    b"FLV": "FLV", b"0&\xb2u": "WMA or WMV", b"PK\x03\x04": "ZIP", b"#!AMR": "AMR", b"caff": "CAF",
}  # fmt: skip
"""Formats that people send as well, by their first bytes; named in the error."""


@dataclass(frozen=True)
class ClipFormat:
    """Format of a clip."""

    name: str
    kind: ClipKind

    @property
    def type(self) -> str:
        """The MIME type."""
        subtype = {"MP3": "mpeg"}.get(self.name, self.name.lower())
        return f"{self.kind}/{subtype}"


def check_clip_name(name: str) -> None:
    """Raise unless a name can be part of an address and of an archive."""
    if not 1 <= len(name) <= MAX_CLIP_NAME_LENGTH or re.search(r"[/\\\0]", name) or name in (".", ".."):
        rule = f"the name of a clip must have 1 to {MAX_CLIP_NAME_LENGTH} characters without / and \\"
        raise InputError(rule, repr(name[:220]), "rename the file, also in the table")


def check_clip_size(name: str, size: int) -> None:
    """Raise if a clip has more than `MAX_CLIP_BYTES`."""
    if size > MAX_CLIP_BYTES:
        rule = f"the clip {name!r} must have at most {MAX_CLIP_BYTES / 1e6:g} MB"
        raise InputError(rule, f"{size:,} bytes", "shorten it, or encode it with a lower bit rate")


def detect_format(name: str, content: bytes) -> ClipFormat:
    """Return the format of a clip by its content; raise if it is none of those that browsers play."""
    check_clip_size(name, len(content))
    for format_name, detect in _DETECTORS.items():
        kind = detect(content)
        if kind is not None:
            return ClipFormat(format_name, kind)
    rule = f"the clip {name!r} must be a {_FORMATS} file"
    raise InputError(rule, _describe_other(content), _REMEDY)


def _describe_other(content: bytes) -> str:
    if not content:
        return "an empty file"
    other = next((what for magic, what in _OTHER_FORMATS.items() if content.startswith(magic)), None)
    if content[4:12] == b"ftypqt  ":
        other = "QuickTime"
    elif content[4:8] == b"ftyp":
        other = f"{content[8:12].decode('latin-1').strip().upper()} picture or MP4 without audio and video"
    elif content.startswith(b"RIFF"):
        other = f"RIFF {content[8:12].decode('latin-1')!r}"
    elif content.startswith(_EBML):
        other = "Matroska"
    begins = f"a file that begins with {content[:8]!r}"
    return begins if other is None else f"a {other} file"


# -- formats ----------------------------------------------------------------------------------------------------------


def _detect_wav(content: bytes) -> ClipKind | None:
    return "audio" if content[:4] == b"RIFF" and content[8:12] == b"WAVE" else None


_BIT_RATES = {
    True: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    False: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Bit rates of layer III in kbit/s, by whether the version is MPEG-1."""
_SAMPLE_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
"""Sample rates in Hz, by the two bits of the version."""


def _detect_mp3(content: bytes) -> ClipKind | None:
    at = 0
    if content[:3] == b"ID3" and len(content) >= 10:
        size = content[6:10]
        if any(byte & 0x80 for byte in size):
            return None
        at = 10 + (size[0] << 21 | size[1] << 14 | size[2] << 7 | size[3])
        at = len(content) - len(content[at:].lstrip(b"\0"))  # behind the padding
    length = _read_mp3_frame(content[at : at + 4])
    if length is None:
        return None
    following = content[at + length : at + length + 4]
    # A clip of a single frame ends with it.
    return "audio" if len(following) < 4 or _read_mp3_frame(following) is not None else None


def _read_mp3_frame(header: bytes) -> int | None:
    """Return the length of a frame of layer III, or ``None`` if this is not its header."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return None
    version, rate, sample = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or rate in (0, 15) or sample == 3:
        return None
    is_first = version == 3
    samples = 144 if is_first else 72
    return samples * 1000 * _BIT_RATES[is_first][rate - 1] // _SAMPLE_RATES[version][sample] + (header[2] >> 1 & 1)


def _detect_ogg(content: bytes) -> ClipKind | None:
    if content[:4] != b"OggS":
        return None
    return "video" if b"\x80theora" in content[:_HEAD_BYTES] else "audio"


def _detect_mp4(content: bytes) -> ClipKind | None:
    if content[4:8] != b"ftyp" or content[8:12] == b"qt  ":
        return None
    # The handler of a track: its atom has 4 bytes of version and 4 of zeros before the type.
    handlers = set(re.findall(rb"hdlr.{8}(vide|soun)", content, re.DOTALL))
    return "video" if b"vide" in handlers else "audio" if handlers else None


_EBML = b"\x1a\x45\xdf\xa3"


def _detect_webm(content: bytes) -> ClipKind | None:
    if content[:4] != _EBML or not re.search(rb"\x42\x82.{1,8}webm", content[:100], re.DOTALL):
        return None
    return "video" if re.search(rb"V_(VP8|VP9|AV1)", content[:_HEAD_BYTES]) else "audio"


_DETECTORS: dict[str, Callable[[bytes], ClipKind | None]] = {
    "WAV": _detect_wav, "MP3": _detect_mp3, "Ogg": _detect_ogg, "MP4": _detect_mp4, "WebM": _detect_webm,
}  # fmt: skip
