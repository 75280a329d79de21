"""MatMul with a bias or a factor behind it, in one product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opmill._model.graph import Node
from opmill._rewrite.pattern import Match
from opmill._rewrite.rule import RefusedError, Rule, call, check_type, floats, scalar
from opmill._rewrite.view import View, newest
from opmill._runtime.registry import operator
from opmill._runtime.types import Array

_SMALLEST = float(np.finfo(np.float32).tiny)


def _weights(match: Match, view: View) -> tuple[Array, Array]:
    """The constant matrix and the constant bias, which has a number for each column.

    Raises:
        RefusedError: they have other shapes.
    """
    weights = floats(view, match.numbers["weights"], "the right operand")
    bias = floats(view, match.numbers["bias"], "the bias")
    if weights.ndim != 2 or weights.shape[1] < 2:
        raise RefusedError("the right operand is not a matrix of two columns or more")
    if bias.shape[-1:] != weights.shape[1:] or bias.size != weights.shape[1]:
        raise RefusedError("the bias is not a number for each column")
    return weights, bias


def _gemm(match: Match, view: View) -> Sequence[Node]:
    x = match.numbers["x"]
    weights, bias = _weights(match, view)
    check_type(view, newest("Gemm"), x)
    type_ = view.type(x)
    if type_ is None or len(type_.shape) < max(2, bias.ndim):
        raise RefusedError("the rank of its input is not known, or too small")
    inner, columns = weights.shape
    if type_.shape[-1] != inner:
        raise RefusedError("the last dim of its input is not known")
    dims = [-1 if dim is None else dim for dim in type_.shape[:-1]]
    if len(dims) > 1 and (dims.count(-1) > 1 or 0 in dims):
        raise RefusedError("several dims of its input are open, or one is 0")
    operands = [match.numbers["weights"], view.add_constant(bias.reshape(-1).copy())]
    if len(dims) == 1:
        return [call(match, "Gemm", [x, *operands])]
    rows, product = view.number(), view.number()
    shapes = [view.add_constant(np.array(s, np.int64)) for s in ([-1, inner], [*dims, columns])]
    return [
        call(match, "Reshape", [x, shapes[0]], output=rows),
        call(match, "Gemm", [rows, *operands], output=product),
        call(match, "Reshape", [product, shapes[1]]),
    ]


def _scaled(match: Match, view: View, factor: float) -> Sequence[Node]:
    """A product with a factor, which is an attribute of float."""
    left, right = match.numbers["left"], match.numbers["right"]
    if view.element(left) != "float":
        raise RefusedError("the type of its input is not float")
    if not _SMALLEST <= abs(factor) <= 1 / _SMALLEST:
        raise RefusedError("the factor is not a normal number of float")
    type_ = view.type(match.node("MatMul").outputs[0])
    value = view.constant(match.numbers["factor"])
    if type_ is None or value is None or value.ndim > len(type_.shape):
        raise RefusedError("the factor may have a larger rank than the product")
    fused = operator("FusedMatMul", 1, "com.microsoft")
    return [call(match, fused, [left, right], {"alpha": factor})]


def _multiplied(match: Match, view: View) -> Sequence[Node]:
    return _scaled(match, view, scalar(view, match.numbers["factor"], "the factor"))


def _divided(match: Match, view: View) -> Sequence[Node]:
    divisor = scalar(view, match.numbers["factor"], "the divisor")
    return _scaled(match, view, 1 / divisor if divisor else 0.0)


RULES = (
    Rule("Gemm", ("Add(MatMul(x, weights), bias)",), _gemm),
    Rule("FusedMatMul", ("Mul(MatMul(left, right), factor)",), _multiplied),
    Rule("FusedMatMul", ("Div(MatMul(left, right), factor)",), _divided),
)
