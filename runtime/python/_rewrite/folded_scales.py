"""BatchNormalization, Mul and Add of channels, computed by the weights of the layer before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from opmill._model.graph import ABSENT, Node
from opmill._rewrite.pattern import Match, name_of
from opmill._rewrite.rule import RefusedError, Rule, floats
from opmill._rewrite.view import View
from opmill._runtime.types import Array

_EPSILON = 1e-5
"""The default of BatchNormalization's attribute, in every version."""


def _channel_axis(layer: Node) -> int:
    """The axis of the weights along which they have a row for each channel of the output."""
    if name_of(layer) == "ConvTranspose":
        if layer.attributes.get("group", 1) != 1:
            raise RefusedError("ConvTranspose has groups")
        return 1
    if name_of(layer) == "Gemm":
        return 0 if layer.attributes.get("transB", 0) else 1
    return 0


def _scaled(match: Match, view: View, factor: Array, offset: Array) -> Sequence[Node]:
    """The layer with weights and a bias that multiply and add for each channel.

    Args:
        match: the match.
        view: the graph.
        factor: a number for each channel, in double.
        offset: likewise.
    """
    layer = match.nodes[-1]
    weights = floats(view, layer.inputs[1], "the weight")
    axis = _channel_axis(layer)
    channels = weights.shape[axis]
    if factor.size != channels or offset.size != channels:
        raise RefusedError("its numbers are not one for each channel")
    bias = np.zeros(channels)
    if len(layer.inputs) > 2 and layer.inputs[2] != ABSENT:
        given = floats(view, layer.inputs[2], "the bias")
        if given.ndim > 1 or given.size not in (1, channels):
            raise RefusedError("the bias is not a number for each channel")
        bias = bias + given * layer.attributes.get("beta", 1.0)
    shape = [1] * weights.ndim
    shape[axis] = channels
    with np.errstate(all="ignore"):
        scaled = (weights * factor.reshape(shape)).astype(weights.dtype)
        moved = (bias * factor + offset).astype(weights.dtype)
    if not (np.isfinite(scaled).all() and np.isfinite(moved).all()):
        raise RefusedError("a weight would not be finite")
    attributes = {name: v for name, v in layer.attributes.items() if name != "beta"}
    inputs = (layer.inputs[0], view.add_constant(scaled), view.add_constant(moved))
    return [replace(layer, inputs=inputs, attributes=attributes, outputs=match.end.outputs[:1])]


def _check_alpha(match: Match) -> None:
    """Require a Gemm that multiplies by 1 only, and adds in the way that Gemm-7 broadcasts."""
    layer = match.nodes[-1]
    if name_of(layer) == "Gemm" and layer.attributes.get("alpha", 1.0) != 1.0:
        raise RefusedError("Gemm has another alpha than 1")


def _batch_normalization(match: Match, view: View) -> Sequence[Node]:
    _check_alpha(match)
    node = match.end
    if node.attributes.get("training_mode", 0) or not node.attributes.get("spatial", 1):
        raise RefusedError("BatchNormalization trains, or has numbers for each element")
    names = ("scale", "bias", "mean", "variance")
    scale, bias, mean, variance = (floats(view, match.numbers[name], name) for name in names)
    if not scale.ndim == bias.ndim == mean.ndim == variance.ndim == 1:
        raise RefusedError("BatchNormalization has numbers that are no list")
    with np.errstate(all="ignore"):
        deviation = np.sqrt(variance.astype(float) + node.attributes.get("epsilon", _EPSILON))
        factor = scale / deviation
        return _scaled(match, view, factor, bias - mean * factor)


def _channels(match: Match, view: View, number: int) -> Array:
    """A constant with a number for each channel of the layer, or one number."""
    layer = match.nodes[-1]
    weights = floats(view, layer.inputs[1], "the weight")
    value = floats(view, number, "the operand")
    channels = weights.shape[_channel_axis(layer)]
    if value.ndim > weights.ndim:
        raise RefusedError("the operand has a larger rank than the result")
    if value.size == 1:
        return np.full(channels, value.reshape(())[()], float)
    channel_axis = value.ndim - (weights.ndim - 1)  # of the axis of channels, 1 of the result
    if not 0 <= channel_axis < value.ndim or value.size != value.shape[channel_axis]:
        raise RefusedError("the operand has other axes than that of the channels")
    return value.reshape(-1).astype(float)


def _multiplied(match: Match, view: View) -> Sequence[Node]:
    _check_alpha(match)
    factor = _channels(match, view, match.numbers["operand"])
    return _scaled(match, view, factor, np.zeros_like(factor))


def _added(match: Match, view: View) -> Sequence[Node]:
    _check_alpha(match)
    offset = _channels(match, view, match.numbers["operand"])
    return _scaled(match, view, np.ones_like(offset), offset)


_LAYERS = ("Conv", "ConvTranspose", "Gemm")

RULES = (
    Rule(
        "a layer with other weights",
        tuple(
            f"BatchNormalization({layer}(x, *rest), scale, bias, mean, variance)"
            for layer in _LAYERS
        ),
        _batch_normalization,
    ),
    Rule(
        "a layer with other weights",
        tuple(f"Mul({layer}(x, *rest), operand)" for layer in _LAYERS),
        _multiplied,
    ),
    Rule(
        "a layer with another bias",
        tuple(f"Add({layer}(x, *rest), operand)" for layer in _LAYERS),
        _added,
    ),
)
