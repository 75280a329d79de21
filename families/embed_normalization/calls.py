"""Calls of embeddings: with segments, positions and a mask or without, and wrong indices."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, happens, integer

TABLES = ("word_embedding", "position_embedding", "segment_embedding", "gamma", "beta")


def indices(draw: Draw, shape: Dims, rows: int) -> Contents:
    """Rows of a table; seldom one that it lacks."""
    count = 1
    for dim in shape:
        count *= dim
    items = [integer(draw, 0, rows - 1) for _ in range(count)]
    if items and happens(draw, 4):
        items[integer(draw, 0, count - 1)] = choice(draw, (-1, rows, 2**31 - 1))
    return Contents(shape, tuple(items))


def legal(draw: Draw, *, rule: str) -> Call:
    """One to three tables."""
    batch, steps = integer(draw, 0, 3), integer(draw, 0, 4)
    length = integer(draw, 1, 9) if happens(draw, 80) else integer(draw, 10, 40)
    words, places, kinds = integer(draw, 1, 5), steps + integer(draw, 0, 3), integer(draw, 1, 3)
    ids = (batch, steps)
    has_segments = happens(draw, 60)
    suffix = "_quant" if rule == "quantized" else ""
    drawn: dict[str, Any] = {
        "input_ids": indices(draw, ids, words),
        f"word_embedding{suffix}": (words, length),
        f"position_embedding{suffix}": (max(places, 1), length),
        f"gamma{suffix}": (length,),
        f"beta{suffix}": (length,),
        "segment_ids": indices(draw, ids, kinds) if has_segments else None,
        "segment_embedding": (kinds, length) if has_segments else None,
        "mask": indices(draw, ids, 2) if happens(draw, 60) else None,
    }
    if drawn["mask"] is not None and happens(draw, 30):
        drawn["mask"] = Contents(ids, tuple(integer(draw, -1, 2) for _ in range(batch * steps)))
    call = Call(drawn)
    if rule == "quantized":
        call = call.but(scales(draw, has_segments))
    elif happens(draw, 50):
        if happens(draw, 30):
            call = call.but({"segment_ids": None})
        shape = (choice(draw, (1, batch)), steps)
        call = call.but({"position_ids": indices(draw, shape, max(places, 1))})
    else:
        call = call.but({"position_ids": None})
    if rule == "floats" and happens(draw, 20):
        call = call.but(mask_index_type=choice(draw, (0, 1, 2)))
    return call.but(epsilon=0.25) if happens(draw, 30) else call


def scales(draw: Draw, has_segments: bool) -> dict[str, Any]:
    """A scale and a zero point for each table and vector."""
    drawn: dict[str, Any] = {}
    for name in TABLES:
        given = name != "segment_embedding" or has_segments
        shape: Dims = choice(draw, ((), (1,)))
        scale = Contents(shape, (choice(draw, (0.5, 0.1, 0.0625)),))
        drawn[f"{name}_scale"] = scale if given else None
        zero = Contents(choice(draw, ((), (1,))), (integer(draw, 0, 9),))
        drawn[f"{name}_zero_point"] = zero if given else None
    return drawn


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """Tables, vectors and indices of other shapes; a negative epsilon; half of the segments."""
    suffix = "_quant" if rule == "quantized" else ""
    word, place = f"word_embedding{suffix}", f"position_embedding{suffix}"
    gamma, beta = f"gamma{suffix}", f"beta{suffix}"
    call = Call(
        {
            "input_ids": Contents((2, 3), (0,) * 6),
            word: (4, 5),
            place: (6, 5),
            gamma: (5,),
            beta: (5,),
            "segment_ids": Contents((2, 3), (0,) * 6),
            "segment_embedding": (2, 5),
            "mask": None,
        }
    )
    call = call.but(scales(draw, True) if rule == "quantized" else {"position_ids": None})
    shapes: dict[str, tuple[Dims, ...]] = {
        "input_ids": ((3,), (2, 3, 1), (1, 3), (2, 7)),
        word: ((4, 6), (5,), (4, 0), (1, 4, 5)),
        place: ((6, 4), (2, 5), (5,)),
        "segment_embedding": ((2, 4), (5,)),
        gamma: ((4,), (1, 5), ()),
        beta: ((6,), (1,)),
        "mask": ((2,), (1, 3), (2, 4)),
        "segment_ids": ((1, 3), (2, 2), (2,)),
    }
    if rule == "floats":
        shapes["position_ids"] = ((2, 2), (3, 3), (1, 2))
    else:
        for name in TABLES:
            shapes[f"{name}_scale"] = shapes[f"{name}_zero_point"] = ((2,), (1, 1), (0,))
    if happens(draw, 10):
        return Illegal(call.but(epsilon=-0.5), "AttributeValueError")
    if happens(draw, 10):
        return Illegal(call.but({"segment_embedding": None}), "ShapeError")
    name = choice(draw, tuple(shapes))
    shape = choice(draw, shapes[name])
    if name in ("input_ids", "segment_ids", "position_ids", "mask"):
        count = 1
        for dim in shape:
            count *= dim
        return Illegal(call.but({name: Contents(shape, (0,) * count)}), "ShapeError")
    return Illegal(call.but({name: shape}), "ShapeError")
