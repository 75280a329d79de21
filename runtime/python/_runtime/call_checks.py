"""The checks of a call: its inputs, its attributes, the rule of the family, the outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from opmill._runtime import messages
from opmill._runtime.arguments import array_of, tensor_of
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.containers import NO_CONTENTS, Container
from opmill._runtime.errors import OpError, ShapeError
from opmill._runtime.inputs import InputReader, Slot
from opmill._runtime.outputs import Output, OutputReader
from opmill._runtime.prepared import unpacked
from opmill._runtime.rule_support import (
    Derived,
    Int64OverflowError,
    TooManyValuesError,
    ValueNeededError,
)
from opmill._runtime.schema import Parameter, Schema

Rules = Callable[..., Derived]


class CheckedCall(NamedTuple):
    """A call that has passed every check."""

    arguments: list[Any]
    attributes: dict[str, Any]
    outputs: list[Output]
    plan: dict[str, Any]
    container: Container | None = None
    """A sequence or an optional among the inputs; then there are neither outputs nor a plan."""


class CallChecker:
    """Checks the calls of one operator version.

    Args:
        schema: the operator version.
        rules: the rule of its family; checks a call and derives the shapes.
        bounded: the outputs whose shapes are bounds.
        counts_outputs: whether the rule needs the number of outputs that a call requests.
        tensors: the attributes that the rule takes as tensors, by its names.
        widened: the integer attributes that the rule takes as floats, by its names.
    """

    def __init__(
        self,
        schema: Schema,
        rules: Rules,
        *,
        bounded: frozenset[str],
        counts_outputs: bool,
        tensors: tuple[str, ...],
        widened: tuple[str, ...],
    ) -> None:
        self.rules = rules
        self.outputs = OutputReader(schema, bounded)
        self._schema = schema
        self._label = schema.label
        self._inputs = InputReader(schema)
        self._counts_outputs = counts_outputs
        optionals = [
            one for one in schema.outputs if not (schema.is_tensor(one) or schema.is_sequence(one))
        ]
        self._optional = optionals[0] if optionals else None
        self._aliases = {a.name: a.alias for a in schema.attributes if a.alias}
        kinds = {a.alias or a.name: a.kind for a in schema.attributes}
        self._tensors = {name: kinds[name] for name in tensors if name in kinds}
        self._widened = widened

    def check(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        count: int | None,
        *,
        allow_types: bool,
    ) -> CheckedCall:
        """Check a call.

        Args:
            inputs: as for ``Operator``.
            attributes: as for ``Operator``.
            count: the number of outputs that the call requests.
            allow_types: whether a ``TensorType`` may stand for an array.

        Raises:
            OpError: the call is not legal.
        """
        slots, bound = self._inputs.read(unpacked(inputs), allow_types=allow_types)
        values = bind_attributes(self._label, self._schema.attributes, attributes)
        wanted = self.outputs.wanted(count)
        tensors = self._by_parameter(slots)
        for _, given in slots:
            if isinstance(given, Container):
                return CheckedCall([array_of(tensor) for tensor in tensors], values, [], {}, given)
        requested = {"outputs": len(wanted)} if self._counts_outputs else {}
        derived = self._derived(tensors, values, requested)
        if self._optional is not None and all(tensor is None for tensor in tensors):
            return self._without_contents(self._optional, tensors, values)
        return CheckedCall(
            [array_of(tensor) for tensor in tensors],
            values,
            self.outputs.typed(wanted, derived, slots, bound, values),
            derived.plan,
        )

    def check_untyped(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        count: int | None,
        *,
        allow_types: bool,
    ) -> CheckedCall:
        """Check a call of whose outputs only the kernel knows types and shapes; see ``check``."""
        slots, _ = self._inputs.read(inputs, allow_types=allow_types)
        values = bind_attributes(self._label, self._schema.attributes, attributes)
        if count is not None:
            self.outputs.wanted(count)
        tensors = self._by_parameter(slots)
        plan = self._derived(tensors, values, {}).plan
        return CheckedCall([array_of(tensor) for tensor in tensors], values, [], plan)

    def _derived(
        self, tensors: list[Any], values: dict[str, Any], requested: dict[str, int]
    ) -> Derived:
        """Return the rule's result for a call, or raise its error."""
        named = {self._aliases.get(k, k): v for k, v in values.items()} if self._aliases else values
        if self._tensors:
            named = {
                k: tensor_of(k, self._tensors[k], v) if k in self._tensors else v
                for k, v in named.items()
            }
        if self._widened:
            named = {k: float(v) if k in self._widened else v for k, v in named.items()}
        try:
            return self.rules(self._label, *tensors, **named, **requested)
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
    ) -> CheckedCall:
        """A call that returns an optional without contents."""
        self.outputs.check_other(parameter, values)
        container = Container(parameter.name, NO_CONTENTS, None)
        return CheckedCall(tensors, values, [], {}, container)

    def _by_parameter(self, slots: list[Slot]) -> list[Any]:
        """One tensor for each parameter, or the list of a variadic one."""
        parameters = self._schema.inputs
        if not parameters or parameters[-1].option != "variadic":
            return [tensor for _, tensor in slots]
        fixed = len(parameters) - 1
        return [tensor for _, tensor in slots[:fixed]] + [[tensor for _, tensor in slots[fixed:]]]
