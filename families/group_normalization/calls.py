"""Calls of InstanceNormalization and GroupNormalization: channels, and groups that divide them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank


def legal(draw: Draw, *, per_group: bool, inputs: Sequence[str], kinds: Mapping[str, str]) -> Call:
    """Groups of every size that divides the channels."""
    shape = dims(draw, max(rank(draw), 2))
    x, scale, bias = inputs
    length = shape[1]
    attributes: dict[str, object] = {}
    if "num_groups" in kinds:
        divisors = [n for n in range(1, max(length, 1) + 1) if length % n == 0]
        attributes["num_groups"] = choice(draw, divisors)
        length = attributes["num_groups"] if per_group else length
    if "stash_type" in kinds and happens(draw, 20):
        attributes["stash_type"] = choice(draw, (1, 10, 11, 16))
    if "consumed_inputs" in kinds and happens(draw, 20):
        attributes["consumed_inputs"] = choice(draw, ([0, 0, 0], []))
    if happens(draw, 30):
        attributes["epsilon"] = choice(draw, (0.25, 1e-3))
    return Call({x: shape, scale: (length,), bias: (length,)}, attributes)


def illegal(
    draw: Draw, *, per_group: bool, inputs: Sequence[str], kinds: Mapping[str, str]
) -> Illegal:
    """A scale of another length or rank, an input without channels, groups that divide nothing."""
    call = legal(draw, per_group=per_group, inputs=inputs, kinds=kinds)
    x, scale, bias = inputs
    (length,) = call.dims_of(scale)
    if "num_groups" in kinds and happens(draw, 40):
        groups = choice(draw, (0, -1, -(2**63)))
        return Illegal(call.but(num_groups=groups), "AttributeValueError")
    if happens(draw, 20):
        return Illegal(call.but({x: choice(draw, ((), (3,)))}), "ShapeError")
    wrong = choice(draw, ((length + 1,), (length, 1), ()))
    return Illegal(call.but({choice(draw, (scale, bias)): wrong}), "ShapeError")
