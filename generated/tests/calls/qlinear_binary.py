"""Calls of quantised sums and products: shapes that broadcast, scales of usual sizes."""

from __future__ import annotations

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, dims, happens, rank

SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)


def legal(draw: Draw) -> Call:
    """Either side may have 1 for a dim, or lack axes in front; zero points are absent at times."""
    result = dims(draw, rank(draw), 500)
    sides: list[Dims] = []
    for _ in range(2):
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        sides.append(tuple(side))
    call = Call({"A": sides[0], "A_scale": (), "A_zero_point": (), "B": sides[1], "B_scale": ()})
    call = call.but({"B_zero_point": (), "C_scale": (), "C_zero_point": ()})
    for name in "ABC":
        shape: Dims = (1,) if happens(draw, 15) else ()
        call = call.but({f"{name}_scale": Contents(shape, (choice(draw, SCALES),))})
        if happens(draw, 20):
            call = call.but({f"{name}_zero_point": None})
    return call


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not broadcast, or a value that is no single one."""
    call = legal(draw)
    if happens(draw, 40):
        return Illegal(call.but({"A": (2, 3), "B": (2,)}), "ShapeError")
    name = choice(draw, ("A_scale", "B_scale", "C_scale", "A_zero_point", "B_zero_point"))
    return Illegal(call.but({name: choice(draw, ((2,), (1, 1), (0,)))}), "ShapeError")
