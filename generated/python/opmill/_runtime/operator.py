"""One operator version that can be called: checks, the rule, the result's memory, the kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opmill._runtime import messages
from opmill._runtime.arguments import spread
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.backend import backend_name
from opmill._runtime.call_checks import CallChecker, Rules
from opmill._runtime.computation import Computation, ComputeAny, Kernel, Measure
from opmill._runtime.errors import OpError
from opmill._runtime.explanation import Explanation
from opmill._runtime.native import kernel_of
from opmill._runtime.prepared import Prepared, is_packed
from opmill._runtime.public import public
from opmill._runtime.schema import Schema
from opmill._runtime.types import Array, TensorType

if TYPE_CHECKING:
    from opmill._native import Kernel as NativeKernel

NO_ATTRIBUTES: dict[str, Any] = {}
"""What a call of an operator without attributes passes, instead of a new dictionary each time."""


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
        compute_any: ComputeAny | None = None,
        tensors: tuple[str, ...] = (),
        widened: tuple[str, ...] = (),
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
            widened: the integer attributes that the rule takes as floats, by its names.
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
        self._checker = CallChecker(
            schema,
            rules,
            bounded=bounded,
            counts_outputs=counts_outputs,
            tensors=tensors,
            widened=widened,
        )
        self._computation = Computation(
            schema,
            compute,
            measure=measure,
            kernel_inputs=kernel_inputs,
            checks_contents=checks_contents,
            compute_any=compute_any,
        )
        positions = {one.alias or one.name: k for k, one in enumerate(schema.inputs)}
        self._prepares = {
            positions[name]: tuple(positions[other] for other in others if other in positions)
            for name, others in prepares.items()
            if name in positions
        }
        self._kernel = kernel_of(schema, self._results) if native else None
        self._takes_limits = takes_limits and self._kernel is not None
        self._elementwise = tuple(positions[name] for name in elementwise)
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
        call = self._checker.check(inputs, attributes, outputs, allow_types=True)
        given = call.container
        if given is not None:
            text = messages.WRONG_TYPE.format(given.name, given.type, "a tensor for infer")
            raise OpError(self._label, text)
        return tuple(output.described() for output in call.outputs)

    def planned(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> tuple[tuple[TensorType, ...], Mapping[str, Any]]:
        """As ``infer``, and what the rule derives for the kernels beside the shapes, by name."""
        call = self._checker.check(inputs, attributes, outputs, allow_types=True)
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
        return self._checker.outputs.type_attribute(name, kind, given)

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
        call = self._checker.check(inputs, attributes, outputs, allow_types=False)
        if backend_name() == "c" and self._kernel is not None:
            as_given = call.container is not None or any(
                isinstance(one, list | tuple) or is_packed(one) for one in inputs
            )
            arrays = list(inputs) if as_given else spread(call.arguments)
            count = len(call.outputs if call.container is None else self.schema.outputs)
            variant = self._kernel.explain(arrays, call.attributes, count)
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
        native = self._kernel if backend_name() == "c" else None
        call = self._checker.check(inputs, attributes, outputs, allow_types=False)
        return self._computation.results(call, out, native)
