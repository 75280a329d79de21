"""LayerNormalization and RMSNormalization over the last axis, where a model has them in pieces."""

from __future__ import annotations

from collections.abc import Sequence

from opmill._model.graph import Node
from opmill._rewrite.pattern import Match, name_of
from opmill._rewrite.rule import RefusedError, Rule, call, check_type, floats, scalar
from opmill._rewrite.view import View, newest

_CENTRED = "Sub(x, ReduceMean(x, *axes))"
_SQUARES = (f"Pow({_CENTRED}, 2)", f"Mul({_CENTRED}, {_CENTRED})")
_NORMALIZED = tuple(
    f"Div({_CENTRED}, Sqrt(Add(ReduceMean({square}, *axes), epsilon)))" for square in _SQUARES
)

_OWN_SQUARES = ("Pow(x, 2)", "Mul(x, x)")
_ROOTS = tuple(f"Sqrt(Add(ReduceMean({square}, *axes), epsilon))" for square in _OWN_SQUARES)
_SCALED = (
    *(f"Mul(x, Reciprocal({root}))" for root in _ROOTS),
    *(f"Mul(x, Div(1, {root}))" for root in _ROOTS),
    *(f"Div(x, {root})" for root in _ROOTS),
)


def _check(match: Match, view: View, operator: str) -> None:
    """Require means over the last axis, and a scale that has this axis and no other.

    Raises:
        RefusedError: a condition does not hold.
    """
    x = match.numbers["x"]
    check_type(view, newest(operator), x)
    type_ = view.type(x)
    if type_ is None or not type_.shape:
        raise RefusedError("the rank of its input is not known")
    for node in match.nodes:
        if name_of(node) == "ReduceMean" and _axes(node, view) not in (
            [-1],
            [len(type_.shape) - 1],
        ):
            raise RefusedError("a mean is over other axes than the last one")
        if name_of(node) == "ReduceMean" and not node.attributes.get("keepdims", 1):
            raise RefusedError("a mean drops its axis")
    scale = floats(view, match.numbers["scale"], "the scale")
    if scale.shape != type_.shape[-1:]:
        raise RefusedError("the scale has another shape than the last axis")


def _axes(node: Node, view: View) -> list[int] | None:
    """The axes of a reduction, an attribute or a constant input."""
    if len(node.inputs) > 1:
        value = view.constant(node.inputs[1])
        return None if value is None else [int(one) for one in value.reshape(-1)]
    axes = node.attributes.get("axes")
    return None if axes is None else [int(axis) for axis in axes]


def _epsilon(match: Match, view: View) -> float:
    return scalar(view, match.numbers["epsilon"], "epsilon")


def _layer_normalization(match: Match, view: View) -> Sequence[Node]:
    _check(match, view, "LayerNormalization")
    scale, bias = match.numbers["scale"], match.numbers["bias"]
    if floats(view, bias, "the bias").shape != floats(view, scale, "the scale").shape:
        raise RefusedError("the bias has another shape than the scale")
    inputs = [match.numbers["x"], scale, bias]
    return [call(match, "LayerNormalization", inputs, {"epsilon": _epsilon(match, view)})]


def _rms_normalization(match: Match, view: View) -> Sequence[Node]:
    _check(match, view, "RMSNormalization")
    inputs = [match.numbers["x"], match.numbers["scale"]]
    return [call(match, "RMSNormalization", inputs, {"epsilon": _epsilon(match, view)})]


RULES = (
    Rule(
        "LayerNormalization",
        tuple(f"Add(Mul({text}, scale), bias)" for text in _NORMALIZED),
        _layer_normalization,
    ),
    Rule("RMSNormalization", tuple(f"Mul({text}, scale)" for text in _SCALED), _rms_normalization),
)
