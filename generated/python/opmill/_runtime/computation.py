"""The course of a checked call: the shapes and the memory of its outputs, and the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.arguments import present, spread
from opmill._runtime.buffers import check_apart, check_out, shape_text, targets_of
from opmill._runtime.call_checks import CheckedCall
from opmill._runtime.containers import Container, TensorSequence
from opmill._runtime.errors import ContentsError, OpError, ShapeError
from opmill._runtime.memory import reserve
from opmill._runtime.outputs import Output
from opmill._runtime.schema import Schema, value_name
from opmill._runtime.types import Array

if TYPE_CHECKING:
    from opmill._native import Kernel as NativeKernel

Kernel = Callable[..., None]
Measure = Callable[..., tuple[tuple[int, ...], ...]]
ComputeAny = Callable[..., tuple[Any, ...]]


class Computation:
    """Computes the checked calls of one operator version.

    Args:
        schema: the operator version.
        compute: the NumPy kernel of its family.
        measure: for a family that only bounds its shapes, returns the actual ones.
        kernel_inputs: where the kernel receives other inputs than all of them, the position of
            each, ``None`` for one that this version does not have.
        checks_contents: whether the kernel refuses contents of inputs where outputs are empty too.
        compute_any: for a schema with sequences or optionals, computes the calls that give one:
            takes the inputs and returns the outputs.
    """

    def __init__(
        self,
        schema: Schema,
        compute: Kernel,
        *,
        measure: Measure | None,
        kernel_inputs: tuple[int | None, ...] | None,
        checks_contents: bool,
        compute_any: ComputeAny | None,
    ) -> None:
        self.compute = compute
        self.measure = measure
        self._schema = schema
        self._label = schema.label
        self._kernel_inputs = kernel_inputs
        self._checks_contents = checks_contents
        self._compute_any = compute_any

    def results(
        self,
        call: CheckedCall,
        out: Array | Sequence[Array] | None,
        native: NativeKernel | None,
    ) -> tuple[Any, ...]:
        """Compute the outputs.

        Args:
            call: the call.
            out: an array for the result, or one for each output.
            native: the C kernel, if it shall compute what it takes.

        Raises:
            OpError: ``out``, or what a sequence or the data contain, is not legal.
        """
        if call.container is not None:
            return self._results_of_any(call, call.container, out)
        if any(output.items is not None for output in call.outputs):
            return (self._sequence(call, out),)
        shapes = self._actual_shapes(call)
        buffers = self._buffers(call, shapes, out)
        targets = buffers
        if out is not None:
            targets = targets_of(buffers, present(call.arguments, call.attributes))
        # An empty result needs no kernel but to check contents: the shapes in between may be too
        # large for NumPy.
        empty = not self._checks_contents and not any(target.size for target in targets)
        if not (empty or _computed_in_c(native, call, targets)):
            self._run(call, self._output_arguments(targets))
        for buffer, target in zip(buffers, targets, strict=True):
            if buffer is not target:
                np.copyto(buffer, target)
        return tuple(buffers)

    def _run(self, call: CheckedCall, outputs: list[Any]) -> None:
        """Call the NumPy kernel."""
        try:
            self.compute(*self._input_arguments(call), *outputs, **call.plan)
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None

    def _results_of_any(self, call: CheckedCall, container: Container, out: Any) -> tuple[Any, ...]:
        """A call with a sequence or an optional that the C kernel does not take."""
        if out is not None:
            found = f"{container.name} is {container.type}"
            raise OpError(self._label, f"out is given, expected none where {found}")
        assert self._compute_any is not None
        try:
            results = self._compute_any(*call.arguments)
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        element = container.element or None
        return tuple(
            TensorSequence(result, element) if isinstance(result, list) else result
            for result in results
        )

    def _sequence(self, call: CheckedCall, out: Any) -> Any:
        """A call whose only output is a sequence: the kernel puts arrays into an empty list."""
        (output,) = call.outputs
        if out is not None:
            name = output.parameter.name
            raise OpError(self._label, f"out is given, expected none where {name} is a sequence")
        sequence = TensorSequence((), output.type or None)
        assert output.items is not None
        reserve(sum(map(prod, output.items)) * output.dtype.itemsize)
        self._run(call, [sequence])
        found = tuple(array.shape for array in sequence)
        if found != output.items:
            text = f"internal error: shapes of the kernel are {found}, expected {output.items}"
            raise OpError(self._label, text)
        return sequence

    def _actual_shapes(self, call: CheckedCall) -> list[tuple[int, ...]]:
        shapes = [output.shape for output in call.outputs]
        if self.measure is None:
            return shapes
        try:
            measured = list(self.measure(*self._input_arguments(call), **call.plan)[: len(shapes)])
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        for bound, shape in zip(shapes, measured, strict=True):
            if len(shape) != len(bound) or any(map(lt, bound, shape)):
                text = messages.MEASURED_SHAPE.format(shape_text(shape), shape_text(bound))
                raise OpError(self._label, text)
        return measured

    def _buffers(
        self, call: CheckedCall, shapes: list[tuple[int, ...]], out: Array | Sequence[Array] | None
    ) -> list[Array]:
        if out is None:
            pairs = zip(shapes, call.outputs, strict=True)
            reserve(sum(prod(shape) * output.dtype.itemsize for shape, output in pairs))
            return [
                self._allocated(position, shape, output)
                for position, (shape, output) in enumerate(zip(shapes, call.outputs, strict=True))
            ]
        given: list[Any] = list(out) if isinstance(out, (list, tuple)) else [out]
        if len(given) != len(call.outputs):
            raise OpError(
                self._label,
                f"number of arrays in out is {len(given)}, expected {len(call.outputs)}",
            )
        names = [value_name(self._schema.outputs, position) for position in range(len(given))]
        for name, buffer, shape, output in zip(names, given, shapes, call.outputs, strict=True):
            check_out(self._label, name, buffer, output.dtype, shape)
        check_apart(self._label, names, given)
        return given

    def _allocated(self, position: int, shape: tuple[int, ...], output: Output) -> Array:
        """Memory for an output.

        Raises:
            ShapeError: there is not enough.
        """
        try:
            return np.empty(shape, output.dtype)
        except (MemoryError, ValueError):
            name = value_name(self._schema.outputs, position)
            found = f"{name} has shape {shape_text(shape)} and type {output.type}"
            raise ShapeError(
                self._label, f"{found}, expected an output that fits into memory"
            ) from None

    def _input_arguments(self, call: CheckedCall) -> list[Any]:
        """The inputs that the kernel receives."""
        if self._kernel_inputs is None:
            return call.arguments
        return [None if k is None else call.arguments[k] for k in self._kernel_inputs]

    def _output_arguments(self, arrays: list[Array]) -> list[Any]:
        """An array for each output parameter, ``None`` if not requested, a list if variadic."""
        parameters = self._schema.outputs
        if parameters and parameters[-1].option == "variadic":
            fixed = len(parameters) - 1
            return [*arrays[:fixed], arrays[fixed:]]
        return [*arrays, *[None] * (len(parameters) - len(arrays))]


def _computed_in_c(native: NativeKernel | None, call: CheckedCall, targets: list[Array]) -> bool:
    """Return whether the C kernel has computed: the module does not take tensors of some types."""
    return native is not None and native.run(spread(call.arguments), call.attributes, targets)
