"""Calls of ImageDecoder: small images as PNG, BMP and portable formats, some of them cut."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer, vector

FORMATS = ("RGB", "BGR", "Grayscale")
DEPTHS = ((2, 8), (0, 8), (0, 1), (0, 2), (0, 4), (0, 16), (2, 16), (3, 8), (3, 4), (4, 8), (6, 8))


def some_bytes(draw: Draw, count: int) -> bytes:
    return bytes(choice(draw, (0, 255, 1, 18, 100, 127, 128, 200)) for _ in range(count))


def chunk(kind: bytes, content: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum


def png(draw: Draw, width: int, height: int) -> bytes:
    color, bits = choice(draw, DEPTHS)
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    size = (width * channels * bits + 7) // 8
    lines = [bytes((integer(draw, 0, 4),)) + some_bytes(draw, size) for _ in range(height)]
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    palette = chunk(b"PLTE", some_bytes(draw, 3 * 2**bits)) if color == 3 else b""
    if color == 3 and happens(draw, 30):
        palette += chunk(b"tRNS", some_bytes(draw, 2))
    content = chunk(b"IDAT", zlib.compress(b"".join(lines)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + content + chunk(b"IEND", b"")


def bmp(draw: Draw, width: int, height: int) -> bytes:
    content = some_bytes(draw, (width * 3 + 3) // 4 * 4 * height)
    signed = -height if happens(draw, 30) else height
    head = struct.pack("<IiiHHIIiiII", 40, width, signed, 1, 24, 0, len(content), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(content), 0, 0, 54) + head + content


def portable(draw: Draw, width: int, height: int) -> bytes:
    kind = integer(draw, 1, 6)
    head = f"P{kind}\n{width} {height}\n".encode()
    count = width * height * (3 if kind in (3, 6) else 1)
    if kind in (2, 3, 5, 6):
        head += b"255\n"
    if kind == 4:
        return head + some_bytes(draw, (width + 7) // 8 * height)
    if kind > 4:
        return head + some_bytes(draw, count)
    limit = 2 if kind == 1 else 256
    return head + b" ".join(b"%d" % (one % limit) for one in some_bytes(draw, count))


def legal(draw: Draw) -> Call:
    """A whole image, its first part, or bytes of none."""
    width, height = integer(draw, 1, 5), integer(draw, 1, 4)
    data = choice(draw, (png, bmp, portable))(draw, width, height)
    if happens(draw, 10):
        data = data[: integer(draw, 0, 15)] if data[:1] != b"P" else data[:4]
    attributes: dict[str, Any] = {}
    if happens(draw, 60):
        attributes["pixel_format"] = choice(draw, FORMATS)
    return Call({"encoded_stream": vector(data)}, attributes)


def illegal(draw: Draw) -> Illegal:
    """Another rank, or an unknown format of pixels."""
    if happens(draw, 50):
        return Illegal(Call({"encoded_stream": choice(draw, ((), (1, 3)))}), "ShapeError")
    attributes = {"pixel_format": choice(draw, ("RGBA", "rgb", "GRAYSCALE", ""))}
    return Illegal(Call({"encoded_stream": (3,)}, attributes), "AttributeValueError")
