"""Calls of RotaryEmbedding: tables by position or by token, heads apart or side by side."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """Positions in range; now and then one that the kernels must refuse."""
    batch, length = choice(draw, (2, 1, 0, 3)), choice(draw, (3, 1, 2, 0))
    heads, size = choice(draw, (2, 1, 3)), choice(draw, (4, 2, 6, 8, 0))
    if happens(draw, 10):
        size = 600
    rotated = choice(draw, (0, 2, 4)) if happens(draw, 40) else 0
    rotated = rotated if rotated <= size else 0
    pairs = (rotated or size) // 2
    given: dict[str, object] = {}
    if rotated or happens(draw, 20):
        given["rotary_embedding_dim"] = rotated
    if happens(draw, 50):
        given["interleaved"] = choice(draw, (1, 0, 2, -1))
    if happens(draw, 50):
        x: tuple[int, ...] = (batch, heads, length, size)
        if happens(draw, 30):
            given["num_heads"] = choice(draw, (heads, 0, 7))
    else:
        x = (batch, length, heads * size)
        given["num_heads"] = heads
    table: tuple[int, ...] = (batch, length, pairs)
    positions: Given = None
    if happens(draw, 60):
        rows = integer(draw, 1, 6)
        table = (rows, pairs)
        items = [integer(draw, 0, rows - 1) for _ in range(batch * length)]
        if items and happens(draw, 10):
            wrong = choice(draw, (rows, -1, 2**32, 2**63 - 1, -(2**63)))
            items[integer(draw, 0, len(items) - 1)] = wrong
        positions = Contents((batch, length), tuple(items))
    if "X" not in inputs:
        return first_positions(draw, x, length, pairs, given)
    return Call({"X": x, "cos_cache": table, "sin_cache": table, "position_ids": positions}, given)


def first_positions(
    draw: Draw, x: tuple[int, ...], length: int, pairs: int, given: dict[str, object]
) -> Call:
    """A call of com.microsoft's operator: positions of all tokens, or of the first one."""
    rows = length + integer(draw, 1, 4)
    last = rows - (length if happens(draw, 50) else 1)
    if last == rows - 1:
        count = x[0] * length
        positions = Contents((x[0], length), tuple(integer(draw, 0, last) for _ in range(count)))
    else:
        wrong = happens(draw, 10)
        start = choice(draw, (last + 1, -1, 2**63 - 1)) if wrong else integer(draw, 0, last)
        positions = Contents((1,), (start,))
    if given.get("rotary_embedding_dim"):
        given.setdefault("num_heads", 1)
        given["num_heads"] = given["num_heads"] or 1
    elif len(x) == 3 and pairs and happens(draw, 30):
        del given["num_heads"]
    table = (rows, pairs)
    inputs = {"input": x, "position_ids": positions, "cos_cache": table, "sin_cache": table}
    return Call(inputs, given)


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """Tables or positions that do not fit X, heads that cannot be."""
    if "X" not in inputs:
        return illegal_first(draw)
    zeros = Contents((1, 2), (0, 0))
    table: Given = (5, 2)
    four: dict[str, Given] = {
        "X": (1, 3, 2, 4),
        "cos_cache": table,
        "sin_cache": table,
        "position_ids": zeros,
    }
    flat: dict[str, Given] = {**four, "X": (1, 2, 12)}
    kind = choice(draw, ("heads", "rotated", "tables", "positions", "X"))
    if kind == "heads":
        heads = choice(draw, (None, 0, -1, 5, 24, 2**63 - 1, -(2**63)))
        call = Call(flat, {} if heads is None else {"num_heads": heads})
        return Illegal(call, "AttributeValueError")
    if kind == "rotated":
        rotated = choice(draw, (-2, 1, 3, 6, 2**63 - 1, -(2**63)))
        return Illegal(Call(four, {"rotary_embedding_dim": rotated}), "AttributeValueError")
    if kind == "tables":
        name = choice(draw, ("cos_cache", "sin_cache"))
        wrong = choice(draw, ((5, 3), (5,), (1, 2, 2), (0, 2)))
        return Illegal(Call({**four, name: wrong}), "ShapeError")
    if kind == "positions":
        changed = choice(draw, (Contents((2,), (0, 0)), Contents((1, 3), (0, 0, 0)), None))
        return Illegal(Call({**four, "position_ids": changed}), "ShapeError")
    shape = choice(draw, ((1, 12), (1, 3, 2, 5), (1, 3, 3, 4), (1, 1, 3, 2, 4)))
    return Illegal(Call({**four, "X": shape}), "ShapeError")


def illegal_first(draw: Draw) -> Illegal:
    """Heads, tables or positions that do not fit, of com.microsoft's operator."""
    table: Given = (5, 2)
    four: dict[str, Given] = {
        "input": (1, 3, 2, 4),
        "position_ids": Contents((1, 2), (0, 0)),
        "cos_cache": table,
        "sin_cache": table,
    }
    flat: dict[str, Given] = {**four, "input": (1, 2, 12)}
    kind = choice(draw, ("heads", "rotated", "tables", "positions", "input"))
    if kind == "heads":
        heads = choice(draw, (-1, 5, 24, 2**63 - 1, -(2**63)))
        return Illegal(Call(flat, {"num_heads": heads}), "AttributeValueError")
    if kind == "rotated":
        rotated = choice(draw, (-2, 1, 3, 6, 2**63 - 1, -(2**63)))
        given = {"rotary_embedding_dim": rotated, "num_heads": 3}
        return Illegal(Call(four, given), "AttributeValueError")
    if kind == "tables":
        name = choice(draw, ("cos_cache", "sin_cache"))
        wrong = choice(draw, ((5, 3), (5,), (1, 2, 2), (0, 2), (5, 0)))
        return Illegal(Call({**four, name: wrong}), "ShapeError")
    if kind == "positions":
        changed = choice(draw, (Contents((2,), (0, 0)), Contents((1, 3), (0, 0, 0)), ()))
        return Illegal(Call({**four, "position_ids": changed}), "ShapeError")
    shape = choice(draw, ((1, 12), (1, 3, 2, 5), (1, 3, 3, 4), (1, 1, 3, 2, 4), (1, 2, 10)))
    return Illegal(Call({**four, "input": shape}), "ShapeError")
