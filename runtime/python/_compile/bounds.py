"""Shapes that are known when the network runs only: the bounds that its memory is planned for.

A size is open where the caller chooses it, up to a maximum, or where data decide it. The shapes of
all values that depend on open sizes are derived here at many sizes, the maxima among them, by the
rules of the operators. The memory of a value is the largest that one of these needs. The network
derives the shapes again in each run, and a run that needs more memory than planned is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from opmill._compile.maxima import Maxima
from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT
from opmill._model.segments import READING_SHAPES
from opmill._model.steps import Step
from opmill._runtime.errors import Error
from opmill._runtime.operator import Operator
from opmill._runtime.prepared import unpacked
from opmill._runtime.types import TensorType, dtype_of

_MAX_DERIVED = 40_000
"""Number of nodes times sizes below which the shapes of a network are derived at every size."""

_MAX_KNOWN = 1 << 16
"""A value is computed for the shapes that depend on it if it has at most so many bytes."""

Dims = tuple["int | str", ...]
"""The dims of an input: sizes, and names of those that are open."""


class Derived(NamedTuple):
    """Bounds of a node's outputs.

    Args:
        types: the element types.
        shapes: the largest size of each axis.
        bytes: the largest size of each output.
        workspace: the largest scratch memory.
    """

    types: list[str]
    shapes: list[tuple[int, ...]]
    bytes: list[int]
    workspace: int


def sizes_to_try(maxima: Mapping[str, int], steps: int) -> list[dict[str, int]]:
    """The sizes at which shapes are derived, the maxima first.

    Args:
        maxima: by name.
        steps: the number of nodes.
    """
    names = sorted(maxima)
    ranges: list[Iterable[int]] = [range(maxima[name], -1, -1) for name in names]
    if prod(maxima[name] + 1 for name in names) * max(steps, 1) > _MAX_DERIVED:
        ranges = [_chosen(maxima[name]) for name in names]
    if prod(len(list(one)) for one in ranges) * max(steps, 1) <= _MAX_DERIVED:
        return [dict(zip(names, sizes, strict=True)) for sizes in product(*ranges)]
    found = [dict(maxima)]
    for name, sizes in zip(names, ranges, strict=True):  # one of them differs, or all but one
        for size in sizes:
            found.append({**maxima, name: size})
            found.append({**{other: min(1, maxima[other]) for other in names}, name: size})
    return found


def _chosen(maximum: int) -> list[int]:
    """Sizes around powers of two and fractions of a maximum, in descending order."""
    found = {0, 1, 2, 3, maximum, maximum - 1, maximum // 2, maximum // 3}
    power = 4
    while power <= maximum:
        found |= {power - 1, power, power + 1}
        power *= 2
    return sorted((one for one in found if 0 <= one <= maximum), reverse=True)


class Bounds:
    """The values that depend on open sizes, at each of the sizes that are tried.

    Args:
        maxima: of the open sizes, and of values that decide on sizes.
        steps: the number of nodes.
    """

    def __init__(self, maxima: Maxima, steps: int) -> None:
        self.maxima = maxima
        self.sizes = sizes_to_try(maxima.sizes, steps)
        self.valid = [True for _ in self.sizes]
        """Whether all shapes can be derived, at each of the sizes."""
        self.whole = [maxima.are_whole(sizes) for sizes in self.sizes]
        self.values: list[dict[int, Any]] = [{} for _ in self.sizes]
        self.numbers: set[int] = set()

    def add_input(self, number: int, type_: str, dims: Dims) -> None:
        """Add an input with open dims."""
        self.numbers.add(number)
        for sizes, values in zip(self.sizes, self.values, strict=True):
            values[number] = TensorType(type_, shape_at(dims, sizes))

    def add_value(self, number: int, type_: str, shape: tuple[int, ...], name: str) -> None:
        """Let the elements of a value be the maxima that are stated for them.

        Args:
            number: of the value.
            type_: ONNX's name of the element type.
            shape: its shape, where this is fixed.
            name: by which the maxima are stated.

        Raises:
            ModelError: the maxima are not as many as the elements.
        """
        is_open = number in self.numbers
        self.numbers.add(number)
        for sizes, values in zip(self.sizes, self.values, strict=True):
            if not is_open or number in values:
                dims = tuple(values[number].shape) if is_open else shape
                values[number] = self.maxima.values(name, type_, dims, sizes)

    def depend(self, numbers: Iterable[int]) -> bool:
        """Return whether one of the values depends on open sizes."""
        return not self.numbers.isdisjoint(numbers)

    def derive(self, step: Step, operator: Operator, given: Sequence[Any], fixed: bool) -> Derived:
        """The bounds of a node's outputs, which depend on open sizes from now on.

        Args:
            step: the node.
            operator: its operator version.
            given: its inputs; those that depend on open sizes are replaced.
            fixed: whether the outputs may be computed beforehand for the shapes behind them.

        Raises:
            Error: the node is not valid at the maxima.
        """
        found: Derived | None = None
        refusal: Error = ModelError(f"{step.node.label} has no sizes at which it is valid")
        is_refused, is_valid = False, False
        for position, (whole, values) in enumerate(zip(self.whole, self.values, strict=True)):
            if any(n in self.numbers and n not in values for n in step.node.inputs):
                continue
            arguments = [
                values[n] if n in self.numbers else value
                for n, value in zip(step.node.inputs, given, strict=True)
            ]
            try:
                types, one = self._derive_at(step, operator, arguments, fixed, values)
            except Error as error:  # as a run with these sizes reports
                if whole and not is_refused:
                    refusal, is_refused = error, True
                self.valid[position] = False
                continue
            is_valid = is_valid or whole
            found = one if found is None else _larger(found, one)
            for number, type_ in zip(step.outputs, types, strict=True):
                if number != ABSENT:
                    values.setdefault(number, type_)
        self.numbers.update(number for number in step.outputs if number != ABSENT)
        if found is None or not is_valid:
            raise refusal
        return found

    def _derive_at(
        self,
        step: Step,
        operator: Operator,
        given: Sequence[Any],
        fixed: bool,
        values: dict[int, Any],
    ) -> tuple[list[TensorType], Derived]:
        schema, node = operator.schema, step.node
        plain = unpacked(given)
        described, _ = operator.planned(plain, step.attributes, node.count)
        types = [TensorType(one.type, _bound(one)) for one in described]
        shapes = [tuple(dim or 0 for dim in one.shape) for one in types]
        sizes = [
            prod(shape) * dtype_of(one.type).itemsize
            for one, shape in zip(types, shapes, strict=True)
        ]
        arrays = [stand_in(value) for value in given]
        kernel = operator.native_kernel
        workspace = None
        if kernel is not None:
            workspace = kernel.workspace(tuple(arrays), dict(step.attributes), len(types))
        if workspace is None:
            raise ModelError(f"{schema.label} has no kernel in C for these types")
        of_shapes = schema.domain == "ai.onnx" and schema.name in READING_SHAPES
        known = of_shapes or not any(isinstance(value, TensorType) for value in given)
        if fixed and known and sum(sizes) <= _MAX_KNOWN:
            results = operator.results(unpacked(arrays), step.attributes, None, node.count)
            values.update((n, one) for n, one in zip(step.outputs, results, strict=True) if n)
        return types, Derived([one.type for one in types], shapes, sizes, workspace)


def shape_at(dims: Dims, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of an input at given sizes."""
    return tuple(sizes[dim] if isinstance(dim, str) else dim for dim in dims)


def stand_in(value: Any) -> Any:
    """An array in place of a type. Its memory is never touched, so it costs none."""
    if not isinstance(value, TensorType):
        return value
    return np.zeros(tuple(dim or 0 for dim in value.shape), dtype_of(value.type))


def _bound(type_: TensorType) -> tuple[int, ...]:
    if None in type_.shape:
        if type_.bound is None:
            raise ModelError("an output has no upper bound")
        return type_.bound
    return tuple(dim for dim in type_.shape if dim is not None)


def _larger(one: Derived, other: Derived) -> Derived:
    if [len(shape) for shape in one.shapes] != [len(shape) for shape in other.shapes]:
        raise ModelError("the rank of an output depends on sizes that are open")
    shapes = [
        tuple(map(max, mine, theirs)) for mine, theirs in zip(one.shapes, other.shapes, strict=True)
    ]
    sizes = list(map(max, one.bytes, other.bytes))
    return Derived(one.types, shapes, sizes, max(one.workspace, other.workspace))
