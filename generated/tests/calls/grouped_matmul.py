"""Calls of GroupedMatMul: rows that select few or many matrices, now and then one that is none."""

from __future__ import annotations

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer

MAX_PRODUCTS = 4000
"""About how many multiplications a call may cost the oracle."""


def side(draw: Draw) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 8):
        return 0
    return integer(draw, 1, 5) if happens(draw, 75) else integer(draw, 6, 40)


def legal(draw: Draw) -> Call:
    """An index that is out of range is refused by the kernels."""
    rows, depth, columns = side(draw), side(draw), side(draw)
    while rows * depth * columns > MAX_PRODUCTS:
        rows, depth, columns = rows // 2 + 1, depth // 2 + 1, columns // 2 + 1
    selections = choice(draw, (1, 2, 3, 0)) if rows * depth * columns < MAX_PRODUCTS // 3 else 1
    count = rows * selections
    groups = integer(draw, 1, 6) if count or happens(draw, 80) else 0
    used = integer(draw, 1, groups) if groups else 0
    items = [integer(draw, 0, used - 1) for _ in range(count)]
    if items and happens(draw, 8):
        wrong = choice(draw, (groups, -1, -groups - 1, 2**15, 2**30))
        items[integer(draw, 0, count - 1)] = wrong
    return Call(
        {
            "input": (rows, depth),
            "weights": (groups, depth, columns),
            "group_indices": Contents((rows, selections), tuple(items)),
            "bias": (groups, columns) if happens(draw, 50) else None,
        }
    )


def illegal(draw: Draw) -> Illegal:
    """Matrices of other shapes, a bias that would be broadcast, nothing to select from."""
    rows, depth, columns = integer(draw, 1, 4), integer(draw, 1, 4), integer(draw, 1, 4)
    groups = integer(draw, 2, 4)
    call = Call(
        {
            "input": (rows, depth),
            "weights": (groups, depth, columns),
            "group_indices": Contents((rows, 1), (0,) * rows),
            "bias": (groups, columns),
        }
    )
    wrong = choice(draw, ("input", "weights", "indices", "rows", "depth", "bias", "groups"))
    if wrong == "input":
        return Illegal(
            call.but({"input": choice(draw, ((depth,), (1, rows, depth)))}), "ShapeError"
        )
    if wrong == "weights":
        return Illegal(call.but({"weights": (depth, columns)}), "ShapeError")
    if wrong == "indices":
        return Illegal(call.but({"group_indices": Contents((rows,), (0,) * rows)}), "ShapeError")
    if wrong == "rows":
        more = Contents((rows + 1, 1), (0,) * (rows + 1))
        return Illegal(call.but({"group_indices": more}), "ShapeError")
    if wrong == "depth":
        return Illegal(call.but({"input": (rows, depth + 1)}), "ShapeError")
    if wrong == "groups":
        empty = {"weights": (0, depth, columns), "bias": (0, columns)}
        return Illegal(call.but(empty), "ShapeError")
    shapes = ((1, columns), (groups, columns + 1), (columns,), (groups, 1, columns))
    return Illegal(call.but({"bias": choice(draw, shapes)}), "ShapeError")
