"""Calls of GatherBlockQuantized: codes of each width, blocks along any axis."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
)

SMALL_FLOATS = (
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "float4e2m1",
)
FAR = (0, 1, 2**15, 2**30)


def legal(draw: Draw) -> Call:
    """Bytes that hold codes, elements of 4 bits, or floats of 8 and 4 bits."""
    type = choice(draw, ("uint8", "uint8", "int4", "uint4", choice(draw, SMALL_FLOATS)))
    given: dict[str, Any] = {}
    if type == "uint8":
        return packed(draw)
    shape = dims(draw, integer(draw, 1, 3), 300)
    if happens(draw, 30):
        shape = (*shape[:-1], integer(draw, 16, 40))
    first, along = (integer(draw, 0, len(shape) - 1) for _ in range(2))
    block = choice(draw, (16, 32, 128, 2**40))
    if type in SMALL_FLOATS and happens(draw, 40):
        block = 0
    length = shape[along]
    blocks = -(-length // (block or max(1, length)))
    table = [blocks if axis == along else dim for axis, dim in enumerate(shape)]
    if type in SMALL_FLOATS:
        for axis in range(len(shape)):
            if axis != along and happens(draw, 40):
                table[axis] = 1
    given["gather_axis"] = first - len(shape) if happens(draw, 30) else first
    given["quantize_axis"] = along - len(shape) if happens(draw, 30) else along
    given["block_size"] = block
    if type in SMALL_FLOATS and happens(draw, 20):
        given["bits"] = choice(draw, (3, 8))
    has_points = type not in SMALL_FLOATS and happens(draw, 50)
    return Call(
        {
            "data": shape,
            "indices": selected(draw, shape[first]),
            "scales": tuple(table),
            "zero_points": tuple(table) if has_points else None,
        },
        given,
        types={"T1": type},
    )


def packed(draw: Draw) -> Call:
    """Codes in bytes, whose rows are the last axis."""
    bits, block = choice(draw, (4, 2, 8)), choice(draw, (16, 32))
    shape = (*dims(draw, integer(draw, 1, 2), 12), integer(draw, 0, 20))
    blocks = -(-shape[-1] * 8 // bits // block)
    points = (*shape[:-1], -(-blocks * bits // 8))
    given: dict[str, Any] = {
        "block_size": block,
        "quantize_axis": choice(draw, (-1, len(shape) - 1)),
    }
    if bits != 4 or happens(draw, 30):
        given["bits"] = bits
    return Call(
        {
            "data": shape,
            "indices": selected(draw, shape[0]),
            "scales": (*shape[:-1], blocks),
            "zero_points": points if happens(draw, 50) else None,
        },
        given,
        types={"T1": "uint8"},
    )


def selected(draw: Draw, size: int) -> Contents:
    """Indices from either end, now and then one that selects nothing."""
    shape: Dims = dims(draw, choice(draw, (1, 0, 2)), 6)
    items = []
    for _ in range(prod(shape)):
        item = integer(draw, -size, size - 1) if size else 0
        if happens(draw, 10):
            beyond = choice(draw, FAR)
            item = size + beyond if happens(draw, 50) else -size - 1 - beyond
        items.append(item)
    return Contents(shape, tuple(items))


def illegal(draw: Draw) -> Illegal:
    """Axes and blocks that there are not, tables of another shape."""
    call = Call(
        {
            "data": (3, 20),
            "indices": Contents((2,), (0, 2)),
            "scales": (3, 2),
            "zero_points": None,
        },
        {"block_size": 16},
        types={"T1": "int4"},
    )
    stored = replace(call.but({"data": (3, 10)}), types={"T1": "uint8"})
    kind = choice(draw, ("attribute", "stored", "scales", "points", "floats"))
    if kind == "attribute":
        changes: tuple[dict[str, Any], ...] = (
            {"gather_axis": choice(draw, (2, -3, 2**63 - 1))},
            {"quantize_axis": choice(draw, (2, -3, -(2**63)))},
            {"block_size": choice(draw, (0, 8, 17, 24, -16, 2**63 - 1, -(2**63)))},
            {"bits": choice(draw, (2, 8, 0))},
        )
        return Illegal(call.but(**choice(draw, changes)), "AttributeValueError")
    if kind == "stored":
        changes = (
            {"gather_axis": choice(draw, (1, -1))},
            {"quantize_axis": choice(draw, (0, -2))},
            {"block_size": choice(draw, (0, 8, 48))},
            {"bits": choice(draw, (1, 3, 16, 0, -4))},
        )
        return Illegal(stored.but(**choice(draw, changes)), "AttributeValueError")
    if kind == "scales":
        table = choice(draw, ((3, 1), (3, 3), (2, 2), (1, 2), (3,), (3, 2, 1), ()))
        return Illegal(choice(draw, (call, stored)).but({"scales": table}), "ShapeError")
    if kind == "points":
        if happens(draw, 50):
            table = choice(draw, ((3, 1), (1, 2), (3, 3), (6,)))
            return Illegal(call.but({"zero_points": table}), "ShapeError")
        table = choice(draw, ((3, 2), (2, 1), (3,)))
        return Illegal(stored.but({"zero_points": table}), "ShapeError")
    floats = replace(call, types={"T1": choice(draw, SMALL_FLOATS)})
    table = choice(draw, ((3, 1), (2, 2), (2,)))
    if happens(draw, 40):
        return Illegal(floats.but({"zero_points": (3, 2)}), "ShapeError")
    return Illegal(floats.but({"scales": table}), "ShapeError")
