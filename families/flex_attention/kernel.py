"""The NumPy kernel of FlexAttention: scores, their shares of 1, and what graphs make of both.

All numbers are computed in float64 and rounded to the type of the softmax where a graph could see
them.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.graphs import (
    Graph,
    GraphShapeError,
    check_number,
    check_types,
    described,
    run_graph,
)
from opmill._runtime.kernels.conversion import converted
from opmill._runtime.kernels.scores import wide
from opmill._runtime.memory import reserve
from opmill._runtime.types import Array

_PRECISIONS = {
    1: np.dtype(np.float32),
    10: np.dtype(np.float16),
    11: np.dtype(np.float64),
    16: np.dtype(ml_dtypes.bfloat16),
}


def compute(
    Q: Array,
    K: Array,
    V: Array,
    *,
    prob_mod: Graph | None,
    scale: float | None,
    score_mod: Graph | None,
    softmax_precision: int | None,
    outputs: int | None,
    group: int,
) -> list[Array]:
    """The weighted means of the values."""
    default = 11 if Q.dtype == np.float64 else 1
    precision = _PRECISIONS[default if softmax_precision is None else softmax_precision]
    reserve(2 * 8 * Q[..., 0:1].size * K.shape[2])
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        scores = converted(_scores(Q, np.repeat(K, group, axis=1), scale), precision)
        scores = _modified("score_mod", score_mod, scores)
        shares = converted(_shares(wide(scores)), precision)
        shares = _modified("prob_mod", prob_mod, shares)
        values = wide(np.repeat(converted(V, precision), group, axis=1))
        return [converted(converted(wide(shares) @ values, precision), Q.dtype)]


def _scores(queries: Array, keys: Array, scale: float | None) -> Array:
    """The products of queries and keys, times the scale; 0 for vectors without elements."""
    size = queries.shape[3]
    products = wide(queries) @ wide(keys).swapaxes(2, 3)
    if scale is None:
        scale = 1 / np.sqrt(np.float64(size)) if size else 1.0
    return np.asarray(products * scale)


def _shares(scores: Array) -> Array:
    """Shares of 1 along the last axis, which may be empty."""
    powers = np.exp(scores - scores.max(axis=3, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(axis=3, keepdims=True))


def _modified(name: str, graph: Graph | None, tensor: Array) -> Array:
    """What a graph makes of a tensor: one of the same type and shape.

    Raises:
        ContentsError: it returns something else.
    """
    if graph is None:
        return tensor
    results = run_graph(name, graph, (tensor,))
    check_number(name, results, 1)
    result = results[0]
    if not isinstance(result, np.ndarray):
        raise ContentsError(f"output 0 of {name} is {described(result)}, expected a tensor")
    check_types(name, [tensor], results)
    if result.shape != tensor.shape:
        raise GraphShapeError(
            f"output 0 of {name} is {described(result)}, expected {described(tensor)} (that of its "
            "input)"
        )
    return result
