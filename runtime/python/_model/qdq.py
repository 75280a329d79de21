"""Computes quantized convolutions and products in integers, where a model requests that.

In the QDQ form of a quantized model, a Conv, Gemm or MatMul reads DequantizeLinear and a
QuantizeLinear reads it. Here QLinearConv and QLinearMatMul take the place of all of them; a Gemm is
a QLinearConv of one position, which adds a bias. They round once, where the float nodes round every
product, sum and quotient: results may differ by a step of the output.
Everything else that could make a difference is a reason to leave the nodes as they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from opmill._model.graph import ABSENT, Graph, Node, live_nodes
from opmill._model.qdq_parts import (
    Linear,
    Output,
    Refusal,
    channels_of_gemm,
    check_type,
    is_normal,
    name_of,
    one_or_list,
)
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.public import public
from opmill._runtime.registry import operator, operators
from opmill._runtime.types import Array

_INTEGERS = {"MatMul": "QLinearMatMul", "Conv": "QLinearConv", "Gemm": "QLinearConv"}

_MIN_RANKS = {"MatMul": 1, "Conv": 3, "Gemm": 2}
"""Of weights."""

_BIAS_TOLERANCE = 2.0**-22
"""Maximum relative error of the scale of a bias: by roundings of the product of scales."""

_OUTPUT_TYPES = {0: np.dtype(np.uint8), 2: np.dtype(np.uint8), 3: np.dtype(np.int8)}
"""The values of QuantizeLinear's output_dtype that mean a type of 8 bits, without a zero point."""


@public
class Unfused(NamedTuple):
    """A node between DequantizeLinear and others that ``fuse_qdq`` leaves in floats.

    Args:
        node: the node's location in the model, as ``node 2 'conv'``.
        operator: the operator version, as ``Conv-11``.
        reason: why no operator on integers computes it.
    """

    node: str
    operator: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.operator} is not fused: {self.reason}"


def fuse_qdq(graph: Graph, opset: int) -> tuple[Graph, tuple[Unfused, ...]]:
    """Replace what QLinearConv and QLinearMatMul compute, in a model's graph.

    Args:
        graph: the graph; its subgraphs are left as they are.
        opset: the version of ai.onnx that the model imports.

    Returns:
        The changed graph, and the nodes that read DequantizeLinear and stay.
    """
    return _Fusion(graph, opset).result()


class _Fusion:
    def __init__(self, graph: Graph, opset: int) -> None:
        self._graph = graph
        self._opset = opset
        self._nodes = live_nodes(graph.nodes, graph.results)
        self._makers = {number: node for node in self._nodes for number in node.outputs}
        self._readers: dict[int, list[Node]] = {}
        for node in self._nodes:
            for number in node.inputs:
                self._readers.setdefault(number, []).append(node)
        self._results = Counter(graph.results)
        # An initializer that is an input may be given another value in a run.
        inputs = set(graph.numbers)
        self._fixed = {n: value for n, value in graph.constants.items() if n not in inputs}
        self._constants = dict(graph.constants)
        self._size = graph.size

    def result(self) -> tuple[Graph, tuple[Unfused, ...]]:
        unfused: list[Unfused] = []
        replacements: dict[int, list[Node]] = {}
        for node in self._nodes:
            if name_of(node) not in _INTEGERS or not self._reads_dequantized(node):
                continue
            try:
                end, nodes = self._fused(node)
            except Refusal as refusal:
                unfused.append(Unfused(node.location, node.label, str(refusal)))
            else:
                replacements[end.outputs[0]] = nodes
        nodes = [
            new
            for node in self._nodes
            for new in replacements.get((*node.outputs, ABSENT)[0], [node])
        ]
        graph = replace(
            self._graph,
            nodes=tuple(live_nodes(nodes, self._graph.results)),
            constants=self._constants,
            size=self._size,
        )
        return graph, tuple(unfused)

    def _reads_dequantized(self, node: Node) -> bool:
        maker = self._makers.get(node.inputs[0])
        return maker is not None and name_of(maker) == "DequantizeLinear"

    def _fused(self, node: Node) -> tuple[Node, list[Node]]:
        """The last node of the pattern, and the nodes that compute its output."""
        name = name_of(node)
        x_name, w_name, bias_name = ("X", "W", "B") if name == "Conv" else ("A", "B", "C")
        integers = self._operator(_INTEGERS[name])
        x = self._dequantized(node.inputs[0], x_name)
        w = self._dequantized(node.inputs[1], w_name)
        if not x.is_uniform:
            raise Refusal(f"{x_name} has {x.scale.size} scales, expected 1")
        weights = self._value(w.number)
        if weights is None:
            raise Refusal(f"{w_name} is not constant")
        if weights.ndim < _MIN_RANKS[name]:
            raise Refusal(f"{w_name} has rank {weights.ndim}")
        channels = 0 if name == "Conv" else weights.ndim - 1
        if name == "Gemm":
            channels = channels_of_gemm(node, weights)
        if not w.is_uniform:
            axis = w.axis + weights.ndim if w.axis < 0 else w.axis
            if axis != channels or (name == "MatMul" and weights.ndim == 1):
                raise Refusal(f"{w_name} has scales along axis {axis}, expected {channels}")
            if w.scale.size != weights.shape[channels]:
                raise Refusal(f"{w_name} has {w.scale.size} scales")
        if name == "Gemm":
            weights = (weights if channels == 0 else weights.T)[..., None]
        output = self._quantized(node)
        with np.errstate(all="ignore"):
            products = x.scale * w.scale
            factors = products / output.scale
        if not (is_normal(products) and is_normal(factors)):
            raise Refusal("a product of the scales is not a normal number")
        bias = None
        if len(node.inputs) > 2 and node.inputs[2] != ABSENT:
            bias = self._bias(node.inputs[2], products, bias_name, weights.shape[0])
        is_conv = name != "MatMul"
        self._check_sums(is_conv, x, w, weights, None if bias is None else self._fixed[bias])
        number = self._new(weights) if name == "Gemm" else w.number
        inputs = [x.number, self._new(x.scale.reshape(())), self._new(x.zero.reshape(()))]
        inputs += [number, self._new(one_or_list(w.scale)), self._new(one_or_list(w.zero))]
        inputs += [self._new(output.scale.reshape(())), self._new(output.zero.reshape(()))]
        if bias is not None:
            inputs.append(bias)
        return output.node, self._computed(node, integers, tuple(inputs), output)

    def _computed(
        self, node: Node, integers: Operator, inputs: tuple[int, ...], output: Output
    ) -> list[Node]:
        """The node in integers, and the Clip behind it where its range is not the type's."""
        last, location = output.node.outputs, output.node.location
        before: list[Node] = []
        after: list[Node] = []
        attributes = node.attributes
        if name_of(node) == "Gemm":
            reshape, attributes, inside = self._operator("Reshape"), {}, self._number()
            shape = self._new(np.array([0, 0, 1], np.int64))  # 0: as before
            before = [Node(node.location, reshape, (inputs[0], shape), {}, (inside,), None)]
            inputs = (inside, *inputs[1:])
            shape, outside = self._new(np.array([0, 0], np.int64)), self._number()
            after = [Node(location, reshape, (outside, shape), {}, last, None)]
            last = (outside,)
        if output.low is not None or output.high is not None:
            clip = self._operator("Clip", output.zero.dtype)
            bounds = [ABSENT if one is None else self._new(one) for one in output[3:]]
            between = self._number()
            after = [Node(location, clip, (between, *bounds), {}, last, None), *after]
            last = (between,)
        return [*before, Node(node.location, integers, inputs, attributes, last, None), *after]

    def _operator(self, name: str, type_: Any = None) -> Operator:
        """The version of an operator that the model's opset means, which allows a type."""
        versions = [
            version
            for domain, known, version in operators()
            if (domain, known) == ("ai.onnx", name) and version <= self._opset
        ]
        if not versions:
            raise Refusal(f"{name} is not available at opset {self._opset}")
        found = operator(name, max(versions))
        types = found.schema.type_constraints.get(found.schema.inputs[0].type, ())
        if type_ is not None and f"tensor({type_})" not in types:
            raise Refusal(f"{found.schema.label} does not allow {type_}")
        return found

    def _dequantized(self, number: int, what: str) -> Linear:
        """The quantized tensor behind an input."""
        node = self._makers.get(number)
        if node is None or name_of(node) != "DequantizeLinear":
            raise Refusal(f"{what} is not the output of a DequantizeLinear")
        if node.attributes.get("block_size", 0):
            raise Refusal(f"{what} is quantized in blocks")
        scale, zero = self._scales(node, what)
        if zero is None:
            type_ = self._type(node.inputs[0])
            if type_ is None:
                raise Refusal(f"{what} has no zero point that gives its type")
            zero = np.zeros(scale.shape, type_)
        return Linear(node.inputs[0], scale, zero, node.attributes.get("axis", 1))

    def _scales(self, node: Node, what: str) -> tuple[Array, Array | None]:
        """The scales and zero points of a DequantizeLinear or a QuantizeLinear."""
        scale = self._fixed.get(node.inputs[1])
        given = node.inputs[2] if len(node.inputs) > 2 else ABSENT
        zero = self._fixed.get(given)
        if scale is None or (given != ABSENT and zero is None):
            raise Refusal(f"{what} has a scale or a zero point that is not constant")
        if scale.dtype != np.float32:
            raise Refusal(f"{what} has scales of type {scale.dtype}, expected float32")
        if scale.ndim > 1 or (zero is not None and zero.shape != scale.shape):
            raise Refusal(f"{what} has scales of rank {scale.ndim}, expected 0 or 1")
        if not is_normal(scale):
            raise Refusal(f"{what} has a scale that is not a positive normal number")
        return scale, zero

    def _type(self, number: int) -> Any:
        """The element type of a quantized tensor, where it is evident."""
        if number in self._constants:
            return self._constants[number].dtype
        node = self._makers.get(number)
        if node is None or name_of(node) != "QuantizeLinear":
            return None
        if len(node.inputs) > 2 and node.inputs[2] != ABSENT:
            zero = self._constants.get(node.inputs[2])
            return None if zero is None else zero.dtype
        return _OUTPUT_TYPES.get(node.attributes.get("output_dtype", 0))

    def _value(self, number: int) -> Array | None:
        """A constant, or what a QuantizeLinear makes of constants."""
        node = self._makers.get(number)
        if number in self._fixed or node is None or name_of(node) != "QuantizeLinear":
            return self._fixed.get(number)
        assert isinstance(node.operator, Operator)
        inputs = [self._fixed.get(one) for one in node.inputs]
        if any(value is None and n != ABSENT for value, n in zip(inputs, node.inputs, strict=True)):
            return None
        try:
            value: Array = node.operator(inputs, node.attributes)[0]
        except OpError:  # which a run reports
            return None
        return value

    def _bias(self, number: int, products: Array, what: str, count: int) -> int:
        """The number of a bias in int32, in steps of the products of scales."""
        bias = self._dequantized(number, what)
        value = self._fixed.get(bias.number)
        if value is None or value.dtype != np.int32 or value.ndim != 1:
            raise Refusal(f"{what} is not a constant list of int32")
        if what == "C" and value.size != count:
            raise Refusal(f"{what} has {value.size} elements, expected {count}")
        if bias.zero.any():
            raise Refusal(f"{what} has a zero point that is not 0")
        if not bias.is_uniform and bias.axis not in (0, -1):
            raise Refusal(f"{what} has scales along axis {bias.axis}, expected 0")
        if bias.scale.size not in (1, value.size) or not np.allclose(
            bias.scale.astype(float), products.astype(float), rtol=_BIAS_TOLERANCE, atol=0
        ):
            factors = "A and B" if what == "C" else "X and W"
            raise Refusal(f"{what} has a scale that is not the product of the scales of {factors}")
        return bias.number

    def _quantized(self, node: Node) -> Output:
        """The end of a pattern."""
        reader = self._only_reader(node)
        bounds: tuple[float | None, float | None] = (None, None)
        if name_of(reader) in ("Relu", "Clip"):
            bounds = self._bounds(reader)
            reader = self._only_reader(reader)
        if name_of(reader) != "QuantizeLinear":
            raise Refusal(f"its output is read by {reader.label}, expected QuantizeLinear")
        attributes = reader.attributes
        scale, zero = self._scales(reader, "the output")
        if scale.size != 1:
            raise Refusal(f"the output has {scale.size} scales, expected 1")
        if attributes.get("block_size", 0) or attributes.get("precision", 0) not in (0, 1):
            raise Refusal("the output is quantized in blocks or in another precision")
        if zero is None:
            type_ = _OUTPUT_TYPES.get(attributes.get("output_dtype", 0))
            if type_ is None:
                raise Refusal("the output is not of type int8 or uint8")
            zero = np.zeros(scale.shape, type_)
        check_type(zero.dtype, "the output")
        low, high = (self._bound(reader, bound, scale, zero) for bound in bounds)
        limits = np.iinfo(zero.dtype)
        return Output(
            reader,
            scale,
            zero,
            None if low is None or low == limits.min else low,
            None if high is None or high == limits.max else high,
        )

    def _only_reader(self, node: Node) -> Node:
        """The only node that reads the output of another, as its first input."""
        (number,) = node.outputs
        readers = self._readers.get(number, [])
        if self._results[number]:
            raise Refusal("a value before QuantizeLinear is an output of the graph")
        if len(readers) != 1:
            raise Refusal(f"its output is read {len(readers)} times, expected once")
        if readers[0].inputs[0] != number:
            raise Refusal(f"its output is read by {readers[0].label}, expected QuantizeLinear")
        return readers[0]

    def _bounds(self, node: Node) -> tuple[float | None, float | None]:
        """The range that a Relu or Clip leaves."""
        if name_of(node) == "Relu":
            return 0.0, None
        bounds: list[float | None] = []
        for position, name in ((1, "min"), (2, "max")):
            number = node.inputs[position] if position < len(node.inputs) else ABSENT
            bound = node.attributes.get(name)
            if number != ABSENT:
                value = self._fixed.get(number)
                if value is None or value.size != 1:
                    raise Refusal(f"{node.label} has a bound that is not constant")
                bound = float(value.reshape(())[()])
            if bound is not None and np.isnan(bound):
                raise Refusal(f"{node.label} has a bound that is NaN")
            bounds.append(bound)
        return bounds[0], bounds[1]

    def _bound(self, node: Node, bound: float | None, scale: Array, zero: Array) -> Array | None:
        """A bound after QuantizeLinear, which keeps the order of numbers."""
        if bound is None:
            return None
        assert isinstance(node.operator, Operator)
        inputs = [np.array(bound, np.float32), scale.reshape(()), zero.reshape(())]
        quantized: Array = node.operator(inputs, {})[0]
        return quantized

    def _check_sums(
        self, is_conv: bool, x: Linear, w: Linear, weights: Array, bias: Array | None
    ) -> None:
        """Refuse types other than those of 8 bits, and sums that int32 cannot hold."""
        for what, linear in zip("XW" if is_conv else "AB", (x, w), strict=True):
            check_type(linear.zero.dtype, what)
        limits, zero = np.iinfo(x.zero.dtype), int(x.zero.reshape(())[()])
        channels = 0 if is_conv else -1
        shape = [1] * weights.ndim
        shape[channels] = -1
        factors = weights.astype(np.int64) - w.zero.astype(np.int64).reshape(shape)
        ends = factors * (limits.min - zero), factors * (limits.max - zero)
        along = tuple(range(1, weights.ndim)) if is_conv else max(weights.ndim - 2, 0)
        low, high = np.minimum(*ends).sum(axis=along), np.maximum(*ends).sum(axis=along)
        if bias is not None and bias.shape == low.shape:
            low, high = low + bias, high + bias
        if low.size and (low.min() < -(2**31) or high.max() >= 2**31):
            raise Refusal("its sums may be out of the range of int32")

    def _new(self, value: Array) -> int:
        """The number of a new constant."""
        number = self._number()
        self._constants[number] = np.ascontiguousarray(value).reshape(value.shape)
        return number

    def _number(self) -> int:
        self._size += 1
        return self._size - 1
