"""One operator version that can be called: checks, the rule, the result's memory, the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from operator import lt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opmill._runtime import messages
from opmill._runtime.arguments import array_of, present, spread, tensor_of
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.backend import backend_name
from opmill._runtime.buffers import check_apart, check_out, shape_text, targets_of
from opmill._runtime.containers import NO_CONTENTS, Container, TensorSequence
from opmill._runtime.errors import ContentsError, OpError, ShapeError
from opmill._runtime.explanation import Explanation
from opmill._runtime.inputs import InputReader, Slot
from opmill._runtime.memory import reserve
from opmill._runtime.native import kernel_of
from opmill._runtime.outputs import Output, OutputReader
from opmill._runtime.prepared import Prepared, is_packed, unpacked
from opmill._runtime.public import public
from opmill._runtime.rule_support import (
    Derived,
    Int64OverflowError,
    TooManyValuesError,
    ValueNeededError,
)
from opmill._runtime.schema import Parameter, Schema, value_name
from opmill._runtime.types import Array, TensorType

if TYPE_CHECKING:
    from opmill._native import Kernel as NativeKernel

NO_ATTRIBUTES: dict[str, Any] = {}
"""What a call of an operator without attributes passes, instead of a new dictionary each time."""

Rules = Callable[..., Derived]
Kernel = Callable[..., None]
Measure = Callable[..., tuple[tuple[int, ...], ...]]


class _Call(NamedTuple):
    """A call that has passed every check."""

    arguments: list[Any]
    attributes: dict[str, Any]
    outputs: list[Output]
    plan: dict[str, Any]
    held: Container | None = None
    """A sequence or an optional among the inputs; then there are neither outputs nor a plan."""


@public
class Operator:
    """One version of one operator, which ``opmill.operator`` returns.

    It is called with a list of inputs and a dict of attributes, and returns a tuple of outputs. It
    can be pickled.
    """

    def __init__(
        self,
        schema: Schema,
        rules: Rules,
        compute: Kernel,
        *,
        measure: Measure | None = None,
        bounded: frozenset[str] = frozenset(),
        counts_outputs: bool = False,
        kernel_inputs: tuple[int | None, ...] | None = None,
        checks_contents: bool = False,
        compute_any: Callable[..., tuple[Any, ...]] | None = None,
        tensors: tuple[str, ...] = (),
        prepares: Mapping[str, tuple[str, ...]] = NO_ATTRIBUTES,
        takes_limits: bool = False,
        elementwise: tuple[str, ...] = (),
        selects_along: str = "",
        native: bool = False,
    ) -> None:
        """Collect what computes the version.

        Where the C library has it, its kernel is called first and does plain calls from end to end;
        the Python of this package computes what it declines, and everything elsewhere.

        Args:
            schema: what the operator version is.
            rules: the rule of its family; checks a call and derives the shapes.
            compute: the NumPy kernel of its family.
            measure: for a family that only bounds its shapes, returns the actual ones.
            bounded: the outputs whose shapes are bounds.
            counts_outputs: whether the rule needs the number of outputs that a call requests.
            kernel_inputs: where the kernel receives other inputs than all of them, the position of
                each, ``None`` for one that this version does not have.
            checks_contents: whether the kernel refuses contents of inputs where outputs are empty
                too.
            compute_any: for a schema with sequences or optionals, computes the calls that give one:
                takes the inputs and returns the outputs.
            tensors: the attributes that the rule takes as tensors, by its names.
            prepares: the inputs that the C kernel can take packed, by the rule's names; for each
                the inputs that its packed form depends on.
            takes_limits: whether the C kernel can limit the elements of its output.
            elementwise: the inputs of which an element of the output depends on one element each,
                by the rule's names; see the property.
            selects_along: the attribute that names the axis of slices; see the property.
            native: whether the C library has this operator version, by the same rules.
        """
        self.schema = schema
        """The version as data."""
        self._label = schema.label
        self._rules = rules
        self._compute = compute
        self._measure = measure
        self._counts_outputs = counts_outputs
        self._kernel_inputs = kernel_inputs
        self._checks_contents = checks_contents
        self._compute_any = compute_any
        optionals = [
            one for one in schema.outputs if not (schema.is_tensor(one) or schema.is_sequence(one))
        ]
        self._optional = optionals[0] if optionals else None
        self._aliases = {a.name: a.alias for a in schema.attributes if a.alias}
        kinds = {a.alias or a.name: a.kind for a in schema.attributes}
        self._tensors = {name: kinds[name] for name in tensors if name in kinds}
        self._inputs = InputReader(schema)
        self._outputs = OutputReader(schema, bounded)
        places = {one.alias or one.name: k for k, one in enumerate(schema.inputs)}
        self._prepares = {
            places[name]: tuple(places[other] for other in others if other in places)
            for name, others in prepares.items()
            if name in places
        }
        self._kernel = kernel_of(schema, self._results) if native else None
        self._takes_limits = takes_limits and self._kernel is not None
        self._elementwise = tuple(places[name] for name in elementwise)
        self._selects_along = selects_along
        self.result: Callable[[Sequence[Any], Mapping[str, Any], Any], Array] = (
            self._result if self._kernel is None else self._kernel.result
        )
        """A call of an operator with one output: inputs, attributes and ``out``, as below."""
        self.results: Callable[
            [Sequence[Any], Mapping[str, Any], Any, int | None], tuple[Array, ...]
        ] = self._results if self._kernel is None else self._kernel.results
        """A call: inputs, attributes, ``out`` and ``outputs``, as below."""

    def __repr__(self) -> str:
        return f"<Operator {self._label} of {self.schema.domain}>"

    def __call__(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        *,
        out: Array | Sequence[Array] | None = None,
        outputs: int | None = None,
    ) -> tuple[Array, ...]:
        """Compute the outputs.

        Args:
            inputs: arrays in schema order, ``None`` for an absent optional one; the values of a
                variadic input follow each other.
            attributes: values by ONNX's names; ``None`` is an absent attribute.
            out: an array for the result, or one for each output.
            outputs: the number of outputs to return; needed for variadic and for optional outputs.

        Returns:
            The outputs, in schema order.

        Raises:
            OpError: the call is not legal; the message says why. Nothing has been written then.
        """
        return self.results(inputs, attributes, out, outputs)

    def __reduce__(self) -> tuple[Callable[..., Operator], tuple[str, int, str]]:
        from opmill._runtime.registry import operator

        return operator, (self.schema.name, self.schema.since_version, self.schema.domain)

    def __copy__(self) -> Operator:
        """The operator itself, which does not change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Operator:
        """The operator itself, which does not change."""
        return self

    @property
    def backends(self) -> tuple[str, ...]:
        """The backends that compute this operator version here, the default first."""
        return ("numpy",) if self._kernel is None else ("c", "numpy")

    @property
    def native_kernel(self) -> NativeKernel | None:
        """The kernel of the C library; ``None`` where it has none."""
        return self._kernel

    @property
    def preparable(self) -> Mapping[int, tuple[int, ...]]:
        """The inputs that ``pack`` can pack, and for each those that its packed form depends on."""
        return self._prepares

    @property
    def elementwise(self) -> tuple[int, ...]:
        """The inputs of which an element of the output depends on one element each, broadcast as
        NumPy does it; it depends on no other input, where these have one element and rank 0 or 1.
        Empty where this is not known."""
        return self._elementwise

    @property
    def selects_along(self) -> str:
        """The attribute that names an axis, where the output is slices of the first input along
        it, at the positions that the second input lists; empty for other operators."""
        return self._selects_along

    def prepare(
        self, given: Mapping[str, Any], attributes: Mapping[str, Any] = NO_ATTRIBUTES
    ) -> Prepared:
        """Give some inputs and all attributes now and the other inputs in each call.

        What the C kernel would arrange anew in every call, as weights, is packed once. Results have
        the very bits of a call without ``prepare``.

        Args:
            given: arrays by the inputs' names, which are copied.
            attributes: as for a call.

        Raises:
            OpError: no input has such a name, or what is given is not legal.
        """
        return Prepared(self, given, attributes)

    def pack(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], position: int
    ) -> Any | None:
        """The input at a position in a packed form, which calls take in its place.

        A call on another backend or instruction set uses the array itself.

        Args:
            inputs: as for a call, ``None`` for those that are not known yet.
            attributes: as for a call.
            position: the position of an input in the schema.

        Returns:
            What to give in place of the array, which must not change any more; ``None`` where
            nothing is gained by packing it.

        Raises:
            OpError: what is given is not legal.
        """
        if self._kernel is None or position not in self._prepares or backend_name() != "c":
            return None
        bound = bind_attributes(self._label, self.schema.attributes, attributes)
        given = {name: value for name, value in bound.items() if value is not None}
        return self._kernel.prepare(tuple(inputs), given, position)

    @property
    def takes_limits(self) -> bool:
        """True if ``limited`` computes calls here."""
        return self._takes_limits

    def limited(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], low: float, high: float
    ) -> Array | None:
        """The only output with its elements limited, as Clip limits them, while it is stored.

        With 0 and infinity the bits are also those of Relu. An element that is NaN remains.

        Args:
            inputs: as for a call.
            attributes: as for a call.
            low: what elements below it become; not NaN.
            high: what elements above it become; not NaN.

        Returns:
            The output; ``None`` where the C kernel does not compute the call, nothing having been
            computed then.

        Raises:
            OpError: the call is not legal, or its output is not of type float32.
        """
        if self._kernel is None or not self._takes_limits:
            return None
        return self._kernel.limited(inputs, attributes, low, high)

    def infer(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> tuple[TensorType, ...]:
        """Return the types and shapes of the outputs, without computing them.

        Args:
            inputs: as for a call, where a ``TensorType`` may stand for an array.
            attributes: as for a call.
            outputs: as for a call.

        Raises:
            OpError: the call is not legal, or the shapes depend on a value that is not given.
        """
        call = self._prepare(inputs, attributes, outputs, allow_types=True)
        if call.held is not None:
            raise OpError(
                self._label,
                messages.WRONG_TYPE.format(call.held.name, call.held.type, "a tensor for infer"),
            )
        return tuple(output.described() for output in call.outputs)

    def planned(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> tuple[tuple[TensorType, ...], Mapping[str, Any]]:
        """As ``infer``, and what the rule derives for the kernels beside the shapes, by name."""
        call = self._prepare(inputs, attributes, outputs, allow_types=True)
        return tuple(output.described() for output in call.outputs), call.plan

    def reserved_results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> tuple[Array, ...]:
        """A call whose outputs are allocated as far as the context permits; see ``memory``.

        Raises:
            OpError: the call is not legal.
            MemoryError: the outputs exceed the limit.
        """
        return self._results(inputs, attributes, out, outputs)

    def first_or_all(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Array | Sequence[Array] | None,
        outputs: int | None,
    ) -> Array | tuple[Array, ...]:
        """A call: the first output, or where ``outputs`` counts them a tuple."""
        if outputs is None:
            return self.results(inputs, attributes, out, 1)[0]
        return self.results(inputs, attributes, out, outputs)

    def infer_first_or_all(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], outputs: int | None
    ) -> TensorType | tuple[TensorType, ...]:
        """As ``infer``: the first output, or where ``outputs`` counts them a tuple."""
        if outputs is None:
            return self.infer(inputs, attributes, 1)[0]
        return self.infer(inputs, attributes, outputs)

    def type_attribute(self, name: str, given: Any) -> Any:
        """The value of an attribute that names a type, which functions take in other forms too.

        Args:
            name: the attribute.
            given: ONNX's number or name of a type, or a NumPy dtype or its name.

        Raises:
            AttributeValueError: it is no element type.
        """
        kind = next(one.kind for one in self.schema.attributes if one.name == name)
        return self._outputs.type_attribute(name, kind, given)

    def explain(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> Explanation:
        """Return how a call would be computed now, by which backend and kernel; compute nothing.

        Args:
            inputs: as for a call.
            attributes: as for a call.
            outputs: as for a call.

        Raises:
            OpError: the call is not legal.
        """
        backend = self._backend()
        call = self._prepare(inputs, attributes, outputs, allow_types=False)
        if call.held is None and backend == "c" and self._kernel is not None:
            arrays = list(inputs) if any(map(is_packed, inputs)) else spread(call.arguments)
            variant = self._kernel.explain(arrays, call.attributes, len(call.outputs))
            if variant is not None:
                return Explanation("c", *variant)
        return Explanation("numpy", None, None, 1)

    def _result(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Array | Sequence[Array] | None,
    ) -> Array:
        return self._results(inputs, attributes, out, None)[0]

    def _results(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Array | Sequence[Array] | None,
        outputs: int | None,
    ) -> tuple[Array, ...]:
        """A call, checked here; a kernel of either backend computes."""
        backend = self._backend()
        call = self._prepare(inputs, attributes, outputs, allow_types=False)
        if call.held is not None:
            return self._results_of_any(call, call.held, out)
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
        if not (empty or (backend == "c" and self._run_in_c(call, targets))):
            try:
                self._compute(
                    *self._input_arguments(call), *self._output_arguments(targets), **call.plan
                )
            except ContentsError as refused:
                raise OpError(self._label, str(refused)) from None
        for buffer, target in zip(buffers, targets, strict=True):
            if buffer is not target:
                np.copyto(buffer, target)
        return tuple(buffers)

    def _results_of_any(self, call: _Call, held: Container, out: Any) -> tuple[Any, ...]:
        """A call with a sequence or an optional, which NumPy computes on every backend."""
        if out is not None:
            raise OpError(
                self._label, f"out is given, expected none where {held.name} is {held.type}"
            )
        assert self._compute_any is not None
        try:
            results = self._compute_any(*call.arguments)
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        return tuple(
            TensorSequence(result, held.element or None) if isinstance(result, list) else result
            for result in results
        )

    def _sequence(self, call: _Call, out: Any) -> Any:
        """A call whose only output is a sequence: the kernel puts arrays into an empty list."""
        (output,) = call.outputs
        if out is not None:
            name = output.parameter.name
            raise OpError(self._label, f"out is given, expected none where {name} is a sequence")
        sequence = TensorSequence((), output.type or None)
        assert output.items is not None
        reserve(sum(map(prod, output.items)) * output.dtype.itemsize)
        try:
            self._compute(*self._input_arguments(call), sequence, **call.plan)
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        found = tuple(array.shape for array in sequence)
        if found != output.items:
            text = f"internal error: shapes of the kernel are {found}, expected {output.items}"
            raise OpError(self._label, text)
        return sequence

    def _backend(self) -> str:
        """The backend that computes now: NumPy where the chosen one lacks this operator."""
        backend = backend_name()
        return backend if backend in self.backends else "numpy"

    def _run_in_c(self, call: _Call, targets: list[Array]) -> bool:
        """Whether the C kernel has computed: the module does not take tensors of some types."""
        if self._kernel is None:
            return False
        return self._kernel.run(spread(call.arguments), call.attributes, targets)

    def _prepare(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        count: int | None,
        *,
        allow_types: bool,
    ) -> _Call:
        slots, bound = self._inputs.read(unpacked(inputs), allow_types=allow_types)
        values = bind_attributes(self._label, self.schema.attributes, attributes)
        wanted = self._outputs.wanted(count)
        tensors = self._by_parameter(slots)
        for _, given in slots:
            if isinstance(given, Container):
                return _Call([array_of(tensor) for tensor in tensors], values, [], {}, given)
        requested = {"outputs": len(wanted)} if self._counts_outputs else {}
        derived = self._derived(tensors, values, requested)
        if self._optional is not None and all(tensor is None for tensor in tensors):
            return self._without_contents(self._optional, tensors, values)
        return _Call(
            [array_of(tensor) for tensor in tensors],
            values,
            self._outputs.typed(wanted, derived, slots, bound, values),
            derived.plan,
        )

    def _derived(
        self, tensors: list[Any], values: dict[str, Any], requested: dict[str, int]
    ) -> Derived:
        """What the rule finds of a call, or its refusal."""
        named = {self._aliases.get(k, k): v for k, v in values.items()} if self._aliases else values
        if self._tensors:
            named = {
                k: tensor_of(k, self._tensors[k], v) if k in self._tensors else v
                for k, v in named.items()
            }
        try:
            return self._rules(self._label, *tensors, **named, **requested)
        except Int64OverflowError:
            raise ShapeError(self._label, messages.OVERFLOW) from None
        except TooManyValuesError as found:
            raise ShapeError(self._label, messages.VALUES_MANY.format(*found.args)) from None
        except ValueNeededError as needed:
            raise OpError(self._label, messages.VALUE_NEEDED.format(needed)) from None
        except IndexError:
            raise OpError(self._label, messages.RULE_INDEX) from None

    def _without_contents(
        self, parameter: Parameter, tensors: list[Any], values: dict[str, Any]
    ) -> _Call:
        """A call that returns an optional without contents."""
        self._outputs.check_other(parameter, values)
        held = Container(parameter.name, NO_CONTENTS, None)
        return _Call(tensors, values, [], {}, held)

    def _by_parameter(self, slots: list[Slot]) -> list[Any]:
        """One tensor for each parameter, or the list of a variadic one."""
        parameters = self.schema.inputs
        if not parameters or parameters[-1].option != "variadic":
            return [tensor for _, tensor in slots]
        fixed = len(parameters) - 1
        return [tensor for _, tensor in slots[:fixed]] + [[tensor for _, tensor in slots[fixed:]]]

    def _actual_shapes(self, call: _Call) -> list[tuple[int, ...]]:
        shapes = [output.shape for output in call.outputs]
        if self._measure is None:
            return shapes
        try:
            measured = list(self._measure(*self._input_arguments(call), **call.plan)[: len(shapes)])
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        for bound, shape in zip(shapes, measured, strict=True):
            if len(shape) != len(bound) or any(map(lt, bound, shape)):
                text = messages.MEASURED_SHAPE.format(shape_text(shape), shape_text(bound))
                raise OpError(self._label, text)
        return measured

    def _buffers(
        self, call: _Call, shapes: list[tuple[int, ...]], out: Array | Sequence[Array] | None
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
        names = [value_name(self.schema.outputs, place) for place in range(len(given))]
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
            name = value_name(self.schema.outputs, position)
            found = f"{name} has shape {shape_text(shape)} and type {output.type}"
            raise ShapeError(
                self._label, f"{found}, expected an output that fits into memory"
            ) from None

    def _input_arguments(self, call: _Call) -> list[Any]:
        """The inputs that the kernel receives."""
        if self._kernel_inputs is None:
            return call.arguments
        return [None if k is None else call.arguments[k] for k in self._kernel_inputs]

    def _output_arguments(self, arrays: list[Array]) -> list[Any]:
        """An array for each output parameter, ``None`` if not requested, a list if variadic."""
        parameters = self.schema.outputs
        if parameters and parameters[-1].option == "variadic":
            fixed = len(parameters) - 1
            return [*arrays[:fixed], arrays[fixed:]]
        return [*arrays, *[None] * (len(parameters) - len(arrays))]
