"""Calls of MatMulNBits: a few rows and columns, every width of a code."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, happens, integer


def legal(draw: Draw) -> Call:
    """Packed zero points or none, tables that are flat now and then, a bias or none."""
    depth, columns = integer(draw, 1, 40), integer(draw, 1, 6)
    if happens(draw, 50):
        depth = 16 * integer(draw, 1, 4)
    bits, size = choice(draw, (4, 2, 8)), choice(draw, (16, 32))
    blocks = -(-depth // size)
    row: Dims = (depth,) if happens(draw, 15) else (integer(draw, 0, 5), depth)
    call = Call(
        {
            "A": row,
            "B": (columns, blocks, size * bits // 8),
            "scales": (columns * blocks,) if happens(draw, 20) else (columns, blocks),
            "zero_points": None,
            "g_idx": None,
            "bias": (columns,) if happens(draw, 40) else None,
        },
        {"K": depth, "N": columns, "block_size": size},
        types={"T3": "uint8"},
    )
    if bits != 4 or happens(draw, 30):
        call = call.but(bits=bits)
    if happens(draw, 50):
        call = call.but({"zero_points": (columns, -(-blocks * bits // 8))})
    if happens(draw, 20):
        items = tuple(integer(draw, 0, blocks - 1) for _ in range(depth))
        call = call.but({"g_idx": Contents((depth,), items)})
    return call.but(accuracy_level=choice(draw, (0, 1, 4))) if happens(draw, 20) else call


def illegal(draw: Draw) -> Illegal:
    """An attribute that there is not, or a shape that does not follow from them."""
    call = legal(draw)
    if happens(draw, 50):
        changes: tuple[dict[str, Any], ...] = (
            {"bits": 3},
            {"block_size": 24},
            {"block_size": 8},
            {"K": 0},
        )
        return Illegal(call.but(**choice(draw, changes)), "AttributeValueError")
    depth, columns = call.attributes["K"], call.attributes["N"]
    name, shape = choice(
        draw, (("A", (1, depth + 1)), ("bias", (columns + 1,)), ("scales", (columns + 1, 1)))
    )
    return Illegal(call.but({name: shape}), "ShapeError")
