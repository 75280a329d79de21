"""Calls of BatchNormalization: in inference and in training, of channels or of each place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank


def legal(
    draw: Draw, *, one_axis: bool, inputs: Sequence[str], kinds: Mapping[str, str], rule: str
) -> Call:
    """Training, as all outputs are asked for; statistics for each channel, or for each place."""
    shape = dims(draw, max(rank(draw), 1 if one_axis else 2))
    statistics = shape[1:2] if len(shape) > 1 else (1,)
    attributes: dict[str, object] = {}
    if "spatial" in kinds and happens(draw, 30):
        attributes["spatial"] = 0
        statistics = shape[1:]
    if rule == "is_test":
        attributes["is_test"] = 0
    elif rule == "training_mode":
        attributes["training_mode"] = 1
    if "consumed_inputs" in kinds:
        attributes["consumed_inputs"] = choice(draw, ([0, 0, 0, 1, 1], []))
    if happens(draw, 30):
        attributes["momentum"] = choice(draw, (0.5, 0.0, 1.0))
    if happens(draw, 30):
        attributes["epsilon"] = choice(draw, (0.25, 1e-3))
    given = {name: statistics for name in inputs if name != "X"}
    return Call({"X": shape, **given}, attributes)


def illegal(
    draw: Draw, *, one_axis: bool, inputs: Sequence[str], kinds: Mapping[str, str], rule: str
) -> Illegal:
    """Statistics of another length or rank, no channels, a flag that is none."""
    call = legal(draw, one_axis=one_axis, inputs=inputs, kinds=kinds, rule=rule)
    flags = [name for name in ("is_test", "spatial", "training_mode") if name in kinds]
    if flags and happens(draw, 30):
        wrong = {choice(draw, flags): choice(draw, (2, -1))}
        return Illegal(call.but(**wrong), "AttributeValueError")
    if happens(draw, 20):
        return Illegal(call.but({"X": ()}), "ShapeError")
    name = choice(draw, [name for name in inputs if name != "X"])
    dims_now = call.dims_of(name)
    wrong_dims = choice(draw, ((*dims_now, 1), tuple(dim + 1 for dim in dims_now), ()))
    return Illegal(call.but({name: wrong_dims}), "ShapeError")
