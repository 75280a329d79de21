"""Calls of Dropout: copies and random ones, with ratios of any size."""

from __future__ import annotations

from dataclasses import replace

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, rank

RATIOS = (0.5, 0.25, 0.75, 0.0, 0.125, 0.875)
"""Those that every type has."""
SEEDS = (0, 1, -1, 2**32, 2**63 - 1, -(2**63))


def legal(draw: Draw, *, rule: str, attributes: frozenset[str]) -> Call:
    """By the version's attributes or inputs; now and then a ratio that only the kernel refuses."""
    call = Call({"data": dims(draw, rank(draw), 600)})
    if rule == "training_mode":
        ratio = choice(draw, (*RATIOS, 1.0, -0.5)) if happens(draw, 80) else None
        mode = choice(draw, (True, False)) if happens(draw, 80) else None
        inputs = {
            "ratio": None if ratio is None else Contents((), (ratio,)),
            "training_mode": None if mode is None else Contents((), (mode,)),
        }
        call = call.but(inputs, seed=choice(draw, SEEDS) if happens(draw, 70) else None)
    elif happens(draw, 70):
        call = call.but(ratio=choice(draw, RATIOS))
    if "is_test" in attributes and happens(draw, 50):
        call = call.but(is_test=0)  # a copy has no mask, and any call may be asked for one
    if "consumed_inputs" in attributes and happens(draw, 20):
        call = call.but(consumed_inputs=[0])
    return call


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """A ratio out of range, a mask of a copy, inputs that are no scalars."""
    call = Call({"data": (2, 3)}, outputs=1)
    if rule == "is_test":
        if happens(draw, 50):
            return Illegal(
                replace(call, outputs=2).but(is_test=choice(draw, (1, -1))), "ShapeError"
            )
        return Illegal(call.but(ratio=choice(draw, (1.0, -0.25, 2.0))), "AttributeValueError")
    if rule == "inference":
        return Illegal(call.but(ratio="0.5"), "AttributeValueError")
    shape = choice(draw, ((1,), (2,), (1, 1), (0,)))
    name = choice(draw, ("ratio", "training_mode"))
    value = 0.5 if name == "ratio" else True
    count = 0 if 0 in shape else max(shape)
    inputs = {"ratio": None, "training_mode": None, name: Contents(shape, (value,) * count)}
    return Illegal(call.but(inputs), "ShapeError")
