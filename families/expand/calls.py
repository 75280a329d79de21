"""Calls of Expand: shapes that broadcast, and shapes that do not."""

from __future__ import annotations

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Draw,
    Illegal,
    bounded,
    choice,
    dims,
    happens,
    integer,
    rank,
    vector,
)


def legal(draw: Draw) -> Call:
    """An output shape first; either side may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw))
    source = [1 if happens(draw, 35) else dim for dim in result]
    pairs = zip(result, source, strict=True)
    target = [1 if dim == own and happens(draw, 30) else dim for dim, own in pairs]
    shorter = choice(draw, (source, target))
    while shorter and happens(draw, 25):
        other = target if shorter is source else source
        if other[len(other) - len(shorter)] != result[len(result) - len(shorter)]:
            break
        del shorter[0]
    return Call({"input": tuple(source), "shape": vector(target)})


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
    source, values = call.dims_of("input"), call.items_of("shape")
    wrong = choice(draw, ("negative", "pair", "matrix", "scalar", "rank", "overflow"))
    if wrong == "negative":
        values.insert(integer(draw, 0, len(values)), choice(draw, (-1, -2, -(2**63))))
        changed = vector(values[-64:])
        if not any(value < 0 for value in changed.items):
            changed = vector([-1])
    elif wrong == "pair":
        source = (*bounded(source[:-1], 100), choice(draw, (0, 2, 3)))
        changed = vector([*values[:-1], source[-1] + choice(draw, (2, 3, 7))])
    elif wrong == "matrix":
        changed = Contents((1, len(values)), tuple(values))
    elif wrong == "scalar":
        changed = Contents((), (1,))
    elif wrong == "rank":
        changed = vector([1] * choice(draw, (65, 66, 200)))
    else:
        source = (1,) * len(source)
        changed = vector([choice(draw, HUGE[1:]), 2**31, 2**31][: choice(draw, (2, 3))])
        if changed.items[0] < 2**62 and len(changed.items) < 3:
            changed = vector([*changed.items, 0, 2**31])
    return Illegal(call.but({"input": source, "shape": changed}), "ShapeError")
