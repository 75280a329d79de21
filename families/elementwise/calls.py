"""Calls of operators that compute each element by itself: every shape is legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank

VALUES = {"FLOAT": (0.0, 0.5, -1.5, 0.01, 3.0), "INT": (0, 1, 2), "INTS": ([0], [1, -1])}
"""What attributes may be, by their kind: any number, any list of `consumed_inputs`."""


def legal(draw: Draw, *, inputs: Sequence[str], kinds: Mapping[str, str]) -> Call:
    """Any shape; the attributes that are drawn, others at their defaults."""
    call = Call({inputs[0]: dims(draw, rank(draw))})
    return call.but(
        **{
            name: choice(draw, VALUES[kind])
            for name, kind in kinds.items()
            if kind in VALUES and happens(draw, 50)
        }
    )


def illegal(draw: Draw, *, inputs: Sequence[str], kinds: Mapping[str, str]) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute that there is not."""
    call = legal(draw, inputs=inputs, kinds=kinds)
    names = [name for name in ("alpha", "axis", "consumed_input") if name not in kinds]
    return Illegal(call.but(**{choice(draw, names): integer(draw, 0, 1)}), "AttributeValueError")
