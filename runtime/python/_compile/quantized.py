"""Nodes between DequantizeLinear and QuantizeLinear as one call on 8-bit integers.

The floats between them would take four times the memory. A compact kernel computes each from the
integers where it needs it, in the operations and the order of the nodes, so that bits are the same:
sums, means and what is a function of one element, which becomes a table of 256 bytes.

A node whose output may turn out to be needed by no call is put off until another node reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opmill._compile.compact import (
    BYTES,
    SHORT,
    compact_entry,
    reduced_count,
    reduces_last_axes,
    takes_windows,
)
from opmill._compile.direct import direct_entry, scale_member
from opmill._compile.network import Call, Value
from opmill._model.graph import ABSENT
from opmill._model.plan import Program
from opmill._model.steps import Step
from opmill._model.views import passes_elements
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array, TensorType, dtype_of

if TYPE_CHECKING:
    from opmill._compile.front import Front

_DEQUANTIZE, _QUANTIZE = "opmill_dequantize_compute", "opmill_quantize_compute"
_MEAN, _POOL = "opmill_reduce_mean_compute", "opmill_pool_mean_compute"
_ADD, _MAX_POOL = "opmill_elementwise_binary_add_compute", "opmill_max_pool_compute"

_MAX_SCALE = 1e30
"""Sums of windows of 8-bit integers with this scale are finite."""


class Planned(NamedTuple):
    """A node with fixed shapes.

    Args:
        step: the node.
        operator: its operator version.
        entry: how its kernel is called.
        types: of the outputs.
        plan: what the rule derives.
        position: of its step in the program.
    """

    step: Step
    operator: Operator
    entry: Mapping[str, Any]
    types: Sequence[TensorType]
    plan: Mapping[str, Any]
    position: int

    @property
    def function(self) -> str:
        """The library's function."""
        return str(self.entry["function"])

    @property
    def is_unary(self) -> bool:
        """True if each element of the output depends on one of the first input."""
        unary = "opmill_elementwise_" in self.function
        return self.function == "opmill_clip_compute" or (
            unary and "_binary_" not in self.function and "_variadic_" not in self.function
        )

    @property
    def passes(self) -> bool:
        """True if the output has the elements of the first input."""
        return passes_elements(self.operator)


class _Linear(NamedTuple):
    """A dequantized tensor: the node, and its scale."""

    one: Planned
    scale: float


class Fusion:
    """The nodes that are put off, and the calls that take the place of several."""

    def __init__(self, front: Front, program: Program) -> None:
        self.front = front
        self.taken: dict[int, Planned] = {}
        self.waiting: dict[int, Planned] = {}
        steps = program.joined_steps
        self.readers = Counter(number for step in steps for number in step.node.inputs)
        fixed = set(program.results)
        for step in steps:
            if not isinstance(step.node.operator, Operator):
                fixed.update(step.node.inputs)
        self.fixed = fixed

    def take(self, one: Planned) -> bool:
        """Put a node off, or add the call that ends with it; ``False`` where neither is done."""
        number = one.step.outputs[0]
        if self.front.depth or len(one.step.outputs) != 1 or number in self.taken:
            return False
        if one.function == _QUANTIZE:
            return self._add_call(one)
        if number in self.fixed:
            return False
        if one.function != _DEQUANTIZE and not self._goes_on(one):
            return False
        self.taken[number] = self.waiting[number] = one
        return True

    def _goes_on(self, one: Planned) -> bool:
        """True if a node may be a part of a call: it reads such a node, and one node reads it."""
        inputs = [number for number in one.step.node.inputs if number != ABSENT]
        if self.readers[one.step.outputs[0]] != 1 or inputs[0] not in self.taken:
            return False
        if one.function == _ADD:
            return len(inputs) == 2 and inputs[1] in self.taken
        known = all(number in self.front.known for number in inputs[1:])
        return known and (one.is_unary or one.passes or one.function in (_MEAN, _POOL, _MAX_POOL))

    def _add_call(self, end: Planned) -> bool:
        node, y = end.step.node, end.types[0]
        if y.type not in BYTES or end.plan["quotient"] != "float" or not self._scale(end):
            return False
        chain: list[Planned] = []
        one = self.taken.get(node.inputs[0])
        while one is not None and (one.is_unary or one.passes):
            chain.insert(0, one)
            one = self.taken.get(one.step.node.inputs[0])
        if one is None:
            return False
        if one.function == _DEQUANTIZE:
            return self._add_table(one, chain, end)
        sources = [self._linear(number) for number in one.step.node.inputs]
        if None in sources:
            return False
        found = [source for source in sources if source is not None]
        shapes = {source.one.types[0].shape for source in found}
        limits = _limits(self.front, chain)
        if one.function == _MAX_POOL:
            return not chain and self._add_max_pool(one, found[0].one, end)
        if limits is None or (one.function != _MEAN and any(link.passes for link in chain)):
            return False
        end_scale = {"y": self._scale_member(end, y.type)}
        dims = _dims(found[0].one.types[0])
        if one.function == _MEAN and reduces_last_axes(one.plan):
            length = reduced_count(dims, one.plan)
            plan = {"rows": prod(dims) // length, "length": length, "x": self._source(found[0])}
            is_short = found[0].scale <= _MAX_SCALE and length <= SHORT
            self._add_direct(
                one, end, chain, "reduce_mean_quantized", plan | end_scale, limits,
                ending="_short" if is_short else "",
            )  # fmt: skip
            return True
        if one.function == _ADD and shapes == {y.shape}:
            left, right = map(self._source, found)
            plan = {"count": prod(dims), "a": left, "b": right}
            self._add_direct(one, end, chain, "add_quantized", plan | end_scale, limits)
            return True
        if (
            one.function != _POOL
            or found[0].scale > _MAX_SCALE
            or not takes_windows(dims, one.plan)
        ):
            return False
        numbers = [*_operands(found[0].one.step), *_operands(end.step)[1:]]
        entry = _entry(one, "pool", "compact.h", "opmill_pool_mean_quantized", len(numbers))
        self._add(one, end, (*chain, end), numbers, limits, entry)
        return True

    def _add_direct(
        self,
        one: Planned,
        end: Planned,
        chain: Sequence[Planned],
        name: str,
        plan: Mapping[str, Any],
        limits: tuple[float, float],
        *,
        ending: str = "",
    ) -> None:
        """Add a call of a kernel whose plan has all scales."""
        members = [
            ("opmill_compact_scale" if isinstance(member, dict) else "int32_t", key)
            for key, member in plan.items()
        ]
        entry = direct_entry(
            one.entry, one.entry["plan"], f"{name}_compact", members, ending=ending, limits=True
        )
        starts = [self.taken[n] for n in one.step.node.inputs if n in self.taken]
        numbers = [start.step.node.inputs[0] for start in starts]
        self._add(one, end, (*chain, end), numbers, limits, entry, plan)

    def _source(self, linear: _Linear) -> dict[str, Any]:
        return self._scale_member(linear.one, self._type(linear.one.step.node.inputs[0]))

    def _scale_member(self, one: Planned, type_: str) -> dict[str, Any]:
        """The scale of a node that quantizes or dequantizes with one constant."""
        zero = _operands(one.step)[2]
        number = 0 if zero == ABSENT else int(self.front.known[zero].reshape(()))
        return scale_member(self._scale(one), number, type_)

    def _add_max_pool(self, one: Planned, start: Planned, end: Planned) -> bool:
        """Add the maxima of the integers, where these are quantized as they were."""
        x, y = start.step.node.inputs[0], end.types[0]
        if not _is_identity(self._table(start, [], end)):
            return False
        values = [Value(self._type(x), _dims(start.types[0]), "arena", 0)]
        results = [Value(y.type, _dims(y), "arena", 0)]
        entry = compact_entry(one.entry, values, results, one.plan)
        if entry is None:
            return False
        self._add(one, end, (end,), (x,), (-inf, inf), entry)
        return True

    def _add_table(self, start: Planned, chain: Sequence[Planned], end: Planned) -> bool:
        """Add a function of one element, which may be none at all."""
        if self._linear(start.step.outputs[0]) is None:
            return False
        table = self._table(start, chain, end)
        x, y = start.step.node.inputs[0], end.step.outputs[0]
        if _is_identity(table) and y not in self.front.owners:
            root = self.front.values[self.front.number(x)]
            self.front.values[y] = root._replace(type=end.types[0].type, shape=_dims(end.types[0]))
            return True
        number = self.front.new_number()
        self.front.known[number] = table
        named = "compact_table.h", "opmill_quantize_compact_table"
        entry = _entry(end, "quantize", *named, 2)
        self._add(end, end, (start, *chain), (x, number), (-inf, inf), entry)
        return True

    def _table(self, start: Planned, chain: Sequence[Planned], end: Planned) -> Array:
        """The bits of the last output for all bits of the first input."""
        type_ = self._type(start.step.node.inputs[0])
        values: Any = np.arange(256, dtype=np.uint8).view(dtype_of(type_))
        for one in (start, *chain, end):
            if not one.passes:
                others = [self.front.known.get(number) for number in one.step.node.inputs[1:]]
                (values,) = one.operator.results([values, *others], one.step.attributes, None, 1)
        return np.ascontiguousarray(values).view(np.uint8)

    def _linear(self, number: int) -> _Linear | None:
        """A node that is put off and dequantizes 8-bit integers with one scale."""
        one = self.taken.get(number)
        if one is None or one.function != _DEQUANTIZE or one.types[0].type != "float":
            return None
        scale = self._scale(one)
        return (
            _Linear(one, scale) if self._type(one.step.node.inputs[0]) in BYTES and scale else None
        )

    def _type(self, number: int) -> str:
        """The element type of a value that a run computes; nothing of a constant."""
        found = self.front.argument(number)
        return found.type if isinstance(found, TensorType) else ""

    def _scale(self, one: Planned) -> float:
        """The scale of a node that quantizes or dequantizes; 0 where it is not one constant."""
        numbers = [number for number in one.step.node.inputs[1:] if number != ABSENT]
        values = [self.front.known[number] for number in numbers if number in self.front.known]
        if len(values) < len(numbers) or any(value.size != 1 for value in values):
            return 0.0
        return float(values[0].reshape(())) if values[0].dtype == np.float32 else 0.0

    def _add(
        self,
        one: Planned,
        end: Planned,
        others: Sequence[Planned],
        numbers: Sequence[int],
        limits: tuple[float, float],
        entry: Mapping[str, Any],
        plan: Mapping[str, Any] | None = None,
    ) -> None:
        front, y, node = self.front, end.types[0], one.step.node
        inputs = tuple(None if n == ABSENT else front.number(n) for n in numbers)
        output = front.output(end.step.outputs[0], y.type, _dims(y), front.owners, front.position)
        behind = ", ".join(other.step.node.label for other in others)
        call = Call(
            node.location, node.label, behind, entry, inputs, (output,), plan or one.plan,
            None if limits == (-inf, inf) else limits, 0, -1, (), "compact", end.position,
        )  # fmt: skip
        front.add(call)


def _entry(one: Planned, family: str, header: str, function: str, inputs: int) -> dict[str, Any]:
    """Text of a call of a compact kernel that takes inputs in order."""
    return {
        "files": one.entry["files"],
        "plan": one.entry["plan"],
        "header": f"families/{family}/{header}",
        "folder": f"src/families/{family}",
        "function": function,
        "arguments": [*(f"i{k}" for k in range(inputs)), "o0"],
    }


def _operands(step: Step) -> list[int]:
    """The input, the scale and the zero point of a node that quantizes or dequantizes."""
    return [*step.node.inputs, ABSENT][:3]


def _dims(type_: TensorType) -> tuple[int, ...]:
    return tuple(dim for dim in type_.shape if dim is not None)


def _is_identity(table: Array) -> bool:
    return bool((table == np.arange(256)).all())


def _limits(front: Front, chain: Sequence[Planned]) -> tuple[float, float] | None:
    """The range that Relu or Clip, one at most, leaves; ``None`` where there are other nodes."""
    links = [one for one in chain if not one.passes]
    if not links:
        return -inf, inf
    one, node = links[0], links[0].step.node
    if len(links) > 1:
        return None
    if one.function == "opmill_elementwise_relu_compute":
        return 0.0, inf
    if one.function != "opmill_clip_compute":
        return None
    bounds = []
    for position, name, default in ((1, "min", -inf), (2, "max", inf)):
        number = node.inputs[position] if position < len(node.inputs) else ABSENT
        given = node.attributes.get(name, default)
        bounds.append(float(front.known[number].reshape(())) if number != ABSENT else given)
    return bounds[0], bounds[1]
