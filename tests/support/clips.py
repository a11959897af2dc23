"""Audio and video clips for tests: a WAV that plays, and the smallest heads of other formats."""

import io
import math
import struct
import wave

MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)
"""A frame of MPEG-1 layer III: 128 kbit/s at 44.1 kHz, 417 bytes."""
ID3 = b"ID3\x04\x00\x00\x00\x00\x01\x05" + bytes(133)
"""A tag of 133 bytes."""


def wav(seconds=0.05, frequency=440.0, rate=8_000):
    """Return a tone."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        tone = (int(8_000 * math.sin(2 * math.pi * frequency * n / rate)) for n in range(int(seconds * rate)))
        out.writeframes(b"".join(struct.pack("<h", sample) for sample in tone))
    return file.getvalue()


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def mp4(handler=b"vide", brand=b"isom"):
    track = box(b"trak", box(b"mdia", box(b"hdlr", bytes(8) + handler + bytes(13))))
    return box(b"ftyp", brand + bytes(4) + b"isommp42") + box(b"mdat", bytes(64)) + box(b"moov", track)


def webm(codec=b"V_VP8", document=b"webm"):
    head = b"\x42\x86\x81\x01\x42\x82" + bytes([0x80 | len(document)]) + document
    return b"\x1a\x45\xdf\xa3" + bytes([0x80 | len(head)]) + head + b"\x18\x53\x80\x67" + b"\x86" + codec + bytes(64)


def ogg(codec=b"\x01vorbis"):
    return b"OggS" + bytes(22) + b"\x01\x1e" + codec + bytes(64)


CLIPS = {
    "audio/wav": wav(),
    "audio/mpeg": MP3_FRAME * 2,
    "audio/ogg": ogg(),
    "video/ogg": ogg(b"\x80theora"),
    "audio/mp4": mp4(b"soun", b"M4A "),
    "video/mp4": mp4(),
    "audio/webm": webm(b"A_OPUS"),
    "video/webm": webm(),
}
"""A clip of each type."""
