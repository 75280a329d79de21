"""Calls of Fourier transforms: lengths of all kinds, signals that are cut or extended."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Draw,
    Given,
    Illegal,
    choice,
    happens,
    integer,
)

SMALL = (4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16)
LARGE = (20, 25, 27, 30, 32, 49, 60, 64, 75, 77, 97, 100, 120, 128)


def scalar(draw: Draw, value: int) -> Contents:
    """A number of rank 0, now and then of rank 1."""
    return Contents((1,) if happens(draw, 20) else (), (value,))


def legal(draw: Draw, *, rule: str) -> Call:
    """Long lines are in double, where other runtimes are accurate too."""
    large = happens(draw, 25)
    length = choice(draw, LARGE if large else SMALL)
    call = frames(draw, length) if rule == "frames" else along_axis(draw, length, rule)
    return Call(call.inputs, call.attributes, {"T1": "double"} if large else {})


def along_axis(draw: Draw, length: int, rule: str) -> Call:
    rank = choice(draw, (3, 2, 4))
    shape = [choice(draw, (1, 2, 3, 0)) for _ in range(rank - 1)]
    if happens(draw, 20):
        shape[integer(draw, 0, rank - 2)] = 9  # more lines than are transformed together
    axis = integer(draw, 0, rank - 2)
    kind = choice(draw, ("complex", "real", "half", "real signal"))
    size = length // 2 + 1 if kind == "real signal" else length
    given: Given = None
    if kind == "real signal" and length % 2:
        given = scalar(draw, length)
    if happens(draw, 40):
        size = max(0, size + choice(draw, (1, -1, 3, -3, -length)))
        given = scalar(draw, length)
    if given is None and happens(draw, 5):
        size = 0
    shape[axis] = size
    attributes: dict[str, Any] = {}
    if kind in ("half", "real signal"):
        attributes["onesided"] = 1
    elif happens(draw, 30):
        attributes["onesided"] = 0
    if kind == "real signal":
        attributes["inverse"] = choice(draw, (1, 2, -1))
    elif kind != "half" and happens(draw, 50):
        attributes["inverse"] = choice(draw, (1, 0, -3))
    last = 2 if kind in ("complex", "real signal") else 1
    inputs: dict[str, Given] = {"input": (*shape, last), "dft_length": given}
    named = axis - rank if happens(draw, 40) else axis
    if rule == "axis_attribute":
        if named != 1 or happens(draw, 50):
            attributes["axis"] = named
    else:
        inputs["axis"] = scalar(draw, named)
        if axis == rank - 2 and happens(draw, 50):
            inputs["axis"] = None
    return Call(inputs, attributes)


def frames(draw: Draw, length: int) -> Call:
    batch = choice(draw, (1, 2, 0, 3))
    kind = choice(draw, ("window", "length", "both", "neither"))
    size = length if kind == "neither" else length + choice(draw, (5, 0, 1, 17, 40))
    parts = choice(draw, (1, 2))
    inputs: dict[str, Given] = {
        "signal": (batch, size, parts),
        "frame_step": scalar(draw, choice(draw, (1, 2, 3, 7, 50, 2**31 - 1))),
        "window": (length,) if kind in ("window", "both") else None,
        "frame_length": scalar(draw, length) if kind in ("length", "both") else None,
    }
    if parts == 2:
        return Call(inputs, {"onesided": 0})
    if happens(draw, 20):
        inputs["signal"] = (batch, size)
    return Call(inputs, {"onesided": choice(draw, (0, 1))} if happens(draw, 50) else {})


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """Axes, lengths and shapes out of range, halves of what has none."""
    if rule == "frames":
        return wrong_frames(draw)
    call = Call({"input": (2, 5, 3, 2), "dft_length": None}, {})
    if rule != "axis_attribute":
        call = call.but({"axis": None})
    kind = choice(draw, ("length", "axis", "shape", "onesided"))
    if kind == "length":
        wrong = choice(
            draw,
            (
                Contents((), (0,)),
                Contents((), (-1,)),
                Contents((1,), (-(2**31),)),
                Contents((2,), (4, 4)),
                Contents((0,), ()),
                Contents((1, 1), (4,)),
            ),
        )
        return Illegal(call.but({"dft_length": wrong}), "ShapeError")
    if kind == "axis":
        axis = choice(draw, (-1, 3, 4, -5, *HUGE, -(2**63)))
        if rule == "axis_attribute":
            return Illegal(call.but(axis=axis), "AttributeValueError")
        given: Given = Contents((), (axis,))
        if happens(draw, 30):
            given = Contents((2,), (0, 1))
        return Illegal(call.but({"axis": given}), "ShapeError")
    if kind == "shape":
        shape = choice(draw, ((2, 5, 3, 3), (2, 5, 3, 0), (2,), (), (2, 5, 3, 4)))
        return Illegal(call.but({"input": shape}), "ShapeError")
    attributes = choice(draw, ({"onesided": 1}, {"onesided": 2}, {"onesided": -1}))
    if happens(draw, 30):
        call = call.but({"input": (2, 5, 3, 1)})
        attributes = {"onesided": 1, "inverse": 1}
    return Illegal(call.but(None, **attributes), "AttributeValueError")


def wrong_frames(draw: Draw) -> Illegal:
    one = Contents((), (1,))
    inputs: dict[str, Given] = {
        "signal": (2, 9, 1),
        "frame_step": one,
        "window": (4,),
        "frame_length": Contents((), (4,)),
    }
    call = Call(inputs)
    if happens(draw, 25):
        attributes = choice(draw, ({"onesided": 2}, {"onesided": -1}, {}))
        return Illegal(call.but({"signal": (2, 9, 2)}, **attributes), "AttributeValueError")
    changed: dict[str, Given] = choice(
        draw,
        (
            {"signal": (9,)},
            {"signal": (2, 9, 1, 1)},
            {"signal": (2, 9, 3)},
            {"signal": (2, 9, 0)},
            {"signal": (2, 3, 1)},
            {"signal": (2, 0, 1), "window": None, "frame_length": None},
            {"frame_step": Contents((), (0,))},
            {"frame_step": Contents((), (-1,))},
            {"frame_step": Contents((2,), (1, 1))},
            {"window": (5,)},
            {"window": (4, 1)},
            {"window": ()},
            {"window": (0,), "frame_length": None},
            {"window": (10,), "frame_length": None},
            {"window": None, "frame_length": Contents((), (0,))},
            {"window": None, "frame_length": Contents((), (10,))},
            {"window": None, "frame_length": Contents((2,), (4, 4))},
        ),
    )
    return Illegal(call.but(changed), "ShapeError")
