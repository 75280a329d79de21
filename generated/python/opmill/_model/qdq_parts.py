"""Parts of patterns in QDQ form, and why a node is none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from opmill._model.graph import Node
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array


class Refusal(Exception):
    """A condition of the pattern does not hold."""


class Linear(NamedTuple):
    """A quantized tensor: its number, its scales and zero points, and their axis."""

    number: int
    scale: Array
    zero: Array
    axis: int

    @property
    def is_uniform(self) -> bool:
        return self.scale.size == 1


class Output(NamedTuple):
    """The QuantizeLinear at the end of a pattern, and the lowest and largest integers before it."""

    node: Node
    scale: Array
    zero: Array
    low: Array | None
    high: Array | None


def name_of(node: Node) -> str:
    """ONNX's name of an operator of its own domain; empty for others."""
    if not isinstance(node.operator, Operator) or node.domain != "ai.onnx":
        return ""
    return node.operator.schema.name


def channels_of_gemm(node: Node, weights: Array) -> int:
    """The axis of B that is an axis of the output."""
    for name, default, wanted in (("transA", 0, 0), ("alpha", 1.0, 1.0), ("beta", 1.0, 1.0)):
        given = node.attributes.get(name, default)
        if given != wanted:
            raise Refusal(f"{name} is {given}, expected {wanted}")
    if weights.ndim != 2 or weights.size == 0:
        raise Refusal(f"B has shape {list(weights.shape)}, expected two dims of at least 1")
    return 0 if node.attributes.get("transB", 0) else 1


def check_type(dtype: Any, what: str) -> None:
    if dtype not in (np.int8, np.uint8):
        raise Refusal(f"{what} has type {dtype}, expected int8 or uint8")


def is_normal(scales: Array) -> bool:
    """Return whether scales are positive, neither subnormal nor infinite nor NaN."""
    return bool(np.all((scales >= np.finfo(np.float32).tiny) & (scales < np.inf)))


def one_or_list(scales: Array) -> Array:
    return scales.reshape(() if scales.size == 1 else (-1,))
