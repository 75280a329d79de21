"""Calls of QLinearWhere: three shapes that broadcast together, scales of usual sizes."""

from __future__ import annotations

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, dims, happens, rank

NAMES = ("condition", "X", "Y")
SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)


def legal(draw: Draw) -> Call:
    """An output shape first; each input may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw), 500)
    call = Call({})
    for name in NAMES:
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        call = call.but({name: tuple(side)})
        if name != "condition":
            call = with_pair(draw, call, name.lower())
    call = with_pair(draw, call, "z")
    if happens(draw, 20):
        same = {f"{side}_zero_point": Contents((), (5,)) for side in "xz"}
        call = call.but({**same, "x_scale": Contents((), (0.5,)), "z_scale": Contents((), (0.5,))})
    return call


def with_pair(draw: Draw, call: Call, side: str) -> Call:
    """The call with a scale and a zero point of a side."""
    shape: Dims = (1,) if happens(draw, 15) else ()
    scale = Contents(shape, (choice(draw, SCALES),))
    return call.but({f"{side}_scale": scale, f"{side}_zero_point": shape})


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not broadcast, or a value that is no single one.

    No side has the scale of the result: onnxruntime copies such a side, whatever its zero point is.
    """
    call = legal(draw).but({"z_scale": Contents((), (0.25,))})
    if happens(draw, 40):
        wrong = choice(draw, ({"X": (2, 3), "Y": (2,)}, {"condition": (4,), "Y": (3,)}))
        return Illegal(call.but({name: wrong.get(name, ()) for name in NAMES}), "ShapeError")
    name = choice(draw, ("x_scale", "y_scale", "z_scale", "x_zero_point", "z_zero_point"))
    return Illegal(call.but({name: choice(draw, ((2,), (1, 1), (0,)))}), "ShapeError")
