"""Reference of MurmurHash3: the published algorithm over the bytes of one element, in integers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value, bits_of

FORMATS = {
    "int32": "<i",
    "uint32": "<I",
    "int64": "<q",
    "uint64": "<Q",
    "float": "<I",
    "double": "<Q",
}
"""How numbers are stored; of floats their bits."""


def turn(number: int, bits: int) -> int:
    text = f"{number % 2**32:032b}"
    return int(text[bits:] + text[:bits], 2)


def hash_of(data: bytes, seed: int) -> int:
    """The hash of some bytes, from 0 to 2^32 - 1."""
    state = seed % 2**32
    for at in range(0, len(data), 4):
        piece = data[at : at + 4]
        number = sum(byte * 256**k for k, byte in enumerate(piece))
        state ^= turn(number * 0xCC9E2D51, 15) * 0x1B873593 % 2**32
        if len(piece) == 4:
            state = (turn(state, 13) * 5 + 0xE6546B64) % 2**32
    state ^= len(data)
    state = (state ^ state // 2**16) * 0x85EBCA6B % 2**32
    state = (state ^ state // 2**13) * 0xC2B2AE35 % 2**32
    return state ^ state // 2**16


def bytes_of(x: Value) -> list[bytes]:
    if x.type == "string":
        return [text.encode("utf-8", "surrogatepass") for text in x.items]
    items = x.items
    if x.type in ("float", "double"):
        items = tuple(x.bits if x.bits is not None else bits_of(x.to_array().reshape(-1)))
    return [struct.pack(FORMATS[x.type], item) for item in items]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    hashes = [hash_of(data, attributes.get("seed", 0)) for data in bytes_of(x)]
    if attributes.get("positive", 1) == 1:
        return {"Y": Value("uint32", x.shape, tuple(hashes))}
    signed = [one - 2**32 if one >= 2**31 else one for one in hashes]
    return {"Y": Value("int32", x.shape, tuple(signed))}
