"""A model as a list of calls: everything that can be found out before there are inputs.

Values are numbered. A run keeps them in a list of its own, so that threads do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import GraphProto, ModelProto, NodeProto

from opmill._onnx.catalog import MAIN_DOMAIN, check_opset, domain_name, domains, resolve
from opmill._onnx.declared import (
    Declared,
    DeclaredOptional,
    DeclaredSequence,
    check_fed,
    check_result,
    copied,
    declared,
    held_outputs,
)
from opmill._onnx.errors import FeedError, Missing, ModelError, NotMilledError, locate
from opmill._onnx.protos import array_of, attributes_of, check_count, constant_of, shown
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array

_ABSENT = 0
"""The number of an optional input that is left out; its value is ``None``."""


@dataclass(frozen=True, slots=True)
class Call:
    """A node: what to call with which values, and what becomes of the results.

    Args:
        place: where the node is, for messages.
        operator: the operator version.
        inputs: the numbers of the inputs.
        attributes: by name.
        outputs: the number of each output; ``_ABSENT`` for one that nobody wants.
        count: how many outputs to ask for; ``None`` where they are all that there are.
        last_used: the numbers that nothing after this call reads.
    """

    place: str
    operator: Operator
    inputs: tuple[int, ...]
    attributes: Mapping[str, Any]
    outputs: tuple[int, ...]
    count: int | None
    last_used: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A model that is ready to run.

    Args:
        inputs: the graph's inputs.
        required: how many of them, in their order, have no initializer: what a run must give.
        slots: the number of each input, in the order of ``inputs``.
        first: the values before a run, by number: initializers and constants, else ``None``.
        calls: the nodes, in order.
        outputs: the graph's outputs.
        results: the number of each output.
        lent: the numbers of inputs and constants, which an output gets a copy of.
    """

    inputs: tuple[Declared, ...]
    required: tuple[int, ...]
    slots: tuple[int, ...]
    first: tuple[Array | None, ...]
    calls: tuple[Call, ...]
    outputs: tuple[Declared, ...]
    results: tuple[int, ...]
    lent: frozenset[int]

    def run(self, given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """Compute the outputs.

        Args:
            given: a value for each input that has no initializer, or for each input, in order;
                or values by the inputs' names.

        Raises:
            FeedError: the inputs are not what the model declares.
            OpError: a node refuses its inputs; the text begins with the node.
            BackendError: the chosen backend lacks an operator; the text begins with the node.
            ModelError: an output is not of the type that the model declares.
        """
        values: list[Any] = list(self.first)
        bound: dict[str, int] = {}
        for position, value in self._fed(given):
            values[self.slots[position]] = check_fed(self.inputs[position], value, bound)
        for call in self.calls:
            arguments = [values[number] for number in call.inputs]
            try:
                results = call.operator.results(arguments, call.attributes, None, call.count)
            except (OpError, BackendError) as error:
                locate(error, call.place, call.operator.schema)
                raise
            for number, result in zip(call.outputs, results, strict=True):
                values[number] = result
            for number in call.last_used:
                values[number] = None
        return [
            self._result(output, number, values[number])
            for output, number in zip(self.outputs, self.results, strict=True)
        ]

    def _fed(self, given: Sequence[Any] | Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """The position of each input that is given, and its value."""
        if isinstance(given, Mapping):
            names = [wanted.name for wanted in self.inputs]
            for name in given:
                if name not in names:
                    raise FeedError(
                        f"the model has no input {shown(str(name))}; it has "
                        f"{', '.join(map(shown, names)) or 'none'}"
                    )
            for position in self.required:
                if names[position] not in given:
                    raise FeedError(f"input {shown(names[position])} is missing")
            return ((names.index(name), value) for name, value in given.items())
        if not isinstance(given, (list, tuple)):
            raise FeedError(
                f"inputs has type {type(given).__name__}, expected a list of arrays, or a dict of "
                "arrays by name"
            )
        if len(given) == len(self.inputs):
            return enumerate(given)
        check_count(given, len(self.required), "the model")
        return zip(self.required, given, strict=True)

    def _result(self, output: Declared, number: int, value: Any) -> Any:
        check_result(output, value)
        return copied(value) if number in self.lent else value


def program_of(model: ModelProto) -> Program:
    """Resolve every node of a model.

    Raises:
        ModelError: the model is not valid, or holds what is not supported.
        NotMilledError: it uses operator versions that there are no kernels of.
        OpError: a node's attributes are not legal, or it is given a sequence or an optional that
            it does not take.
    """
    return _Builder(model.graph, opsets_of(model), _functions(model)).program()


def opsets_of(model: ModelProto) -> dict[str, int]:
    """The version of each domain that a model imports.

    Raises:
        ModelError: a domain is imported twice, or at a version that is unknown.
    """
    opsets: dict[str, int] = {}
    for entry in model.opset_import:
        domain = domain_name(entry.domain)
        if opsets.setdefault(domain, entry.version) != entry.version:
            raise ModelError(
                f"the model imports {domain} at opset {opsets[domain]} and at {entry.version}"
            )
    for domain, opset in opsets.items():
        if domain in domains():
            check_opset(domain, opset)
    return opsets


def place_of(node: NodeProto, position: int) -> str:
    """Where a node is, for messages: its number, counted from 0, and its name."""
    return f"node {position} {shown(node.name)}" if node.name else f"node {position}"


def resolved_call(
    node: NodeProto, place: str, operator: Operator
) -> tuple[dict[str, Any], int | None]:
    """The attributes of a node, checked, and how many outputs it asks for (see ``count_of``).

    Raises:
        ModelError: an attribute cannot be read.
        OpError: an attribute is not legal.
    """
    schema = operator.schema
    try:
        attributes = attributes_of(node, place, schema)
        bind_attributes(schema.label, schema.attributes, attributes)
    except OpError as error:
        locate(error, place, schema)
        raise
    return attributes, count_of(node, operator)


def count_of(node: NodeProto, operator: Operator) -> int | None:
    """How many outputs a node asks for; ``None`` for all of an operator that has no other choice.

    An operator need not look at the number then, which makes its call a quick one.
    """
    wanted = [position for position, name in enumerate(node.output, start=1) if name]
    count = max(wanted, default=0)
    outputs = operator.schema.outputs
    plain = all(parameter.option == "single" for parameter in outputs)
    return None if plain and count == len(outputs) else count


def _functions(model: ModelProto) -> frozenset[tuple[str, str]]:
    return frozenset((domain_name(f.domain), f.name) for f in model.functions)


class _Builder:
    """Goes through a graph once, in the order of its nodes, and numbers its values."""

    def __init__(
        self,
        graph: GraphProto,
        opsets: Mapping[str, int],
        functions: frozenset[tuple[str, str]],
    ) -> None:
        self._graph = graph
        self._opsets = opsets
        self._functions = functions
        self._numbers: dict[str, int] = {"": _ABSENT}
        self._first: list[Array | None] = [None]
        self._held: dict[int, str] = {}
        """The type of each value that is declared to be no tensor, or follows from one that is."""
        self._calls: list[Call] = []

    def program(self) -> Program:
        operators = self._operators()
        inputs = self._inputs()
        initialized = self._initializers()
        for position, (node, operator) in enumerate(zip(self._graph.node, operators, strict=True)):
            place = place_of(node, position)
            if operator is None:
                self._constant(node, place)
            else:
                self._call(node, place, operator)
        outputs, results = self._outputs()
        made = {number for call in self._calls for number in call.outputs}
        return Program(
            inputs,
            tuple(k for k, wanted in enumerate(inputs) if wanted.name not in initialized),
            tuple(self._numbers[wanted.name] for wanted in inputs),
            tuple(self._first),
            _with_last_uses(self._calls, set(results)),
            outputs,
            results,
            frozenset(results) - made,
        )

    def _operators(self) -> list[Operator | None]:
        """The operator of each node, ``None`` for a Constant."""
        found: list[Operator | None] = []
        missing: list[Missing] = []
        for position, node in enumerate(self._graph.node):
            place, domain = place_of(node, position), domain_name(node.domain)
            if (domain, node.op_type) in self._functions:
                raise ModelError(
                    f"{place} calls the model's own function {shown(node.op_type)}; put its "
                    "nodes in its place with onnx.inliner.inline_local_functions(model)"
                )
            if domain not in self._opsets:
                raise ModelError(
                    f"{place} is of the domain {domain}, which the model does not import"
                )
            if (domain, node.op_type) == (MAIN_DOMAIN, "Constant"):
                found.append(None)
                continue
            operator = resolve(place, node.op_type, domain, self._opsets[domain])
            if isinstance(operator, Missing):
                missing.append(operator)
            else:
                found.append(operator)
        if missing:
            raise NotMilledError(missing)
        return found

    def _inputs(self) -> tuple[Declared, ...]:
        inputs = [declared(entry.name, entry.type, "input") for entry in self._graph.input]
        for wanted in inputs:
            number = self._new(wanted.name, "the graph's inputs")
            if isinstance(wanted.type, (DeclaredSequence, DeclaredOptional)):
                self._held[number] = wanted.type.word
        return tuple(inputs)

    def _initializers(self) -> set[str]:
        names: set[str] = set()
        if self._graph.sparse_initializer:
            name = self._graph.sparse_initializer[0].values.name
            raise ModelError(f"initializer {shown(name)} is sparse, which is not supported")
        for tensor in self._graph.initializer:
            what = f"initializer {shown(tensor.name)}"
            if tensor.name in names:
                raise ModelError(f"{what} is given twice")
            names.add(tensor.name)
            if tensor.name not in self._numbers:
                self._new(tensor.name, what)
            self._first[self._numbers[tensor.name]] = array_of(tensor, what)
        return names

    def _constant(self, node: NodeProto, place: str) -> None:
        if node.input or len(node.output) != 1:
            raise ModelError(f"{place}: a Constant must have no input and one output")
        value = constant_of(node, place)
        self._first[self._new(node.output[0], place)] = value

    def _call(self, node: NodeProto, place: str, operator: Operator) -> None:
        attributes, count = resolved_call(node, place, operator)
        inputs = tuple(self._read(name, place) for name in node.input)
        outputs = tuple(self._new(name, place) if name else _ABSENT for name in node.output)
        self._hold(place, operator, inputs, outputs)
        while outputs and outputs[-1] == _ABSENT:
            outputs = outputs[:-1]
        self._calls.append(Call(place, operator, inputs, attributes, outputs, count, ()))

    def _hold(
        self, place: str, operator: Operator, inputs: tuple[int, ...], outputs: tuple[int, ...]
    ) -> None:
        """Check and pass on the types that are no tensors through a call."""
        try:
            made = held_outputs(operator.schema, [self._held.get(number) for number in inputs])
        except OpError as error:
            locate(error, place, operator.schema)
            raise
        for number, word in zip(outputs, made, strict=False):
            if number != _ABSENT and word is not None:
                self._held[number] = word

    def _outputs(self) -> tuple[tuple[Declared, ...], tuple[int, ...]]:
        outputs = [declared(entry.name, entry.type, "output") for entry in self._graph.output]
        results: list[int] = []
        for output in outputs:
            if not output.name or output.name not in self._numbers:
                raise ModelError(f"output {shown(output.name)} is made by no node")
            results.append(self._numbers[output.name])
        return tuple(outputs), tuple(results)

    def _read(self, name: str, place: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            later = any(name in node.output for node in self._graph.node)
            reason = (
                "which only it or a node after it makes; nodes must stand in the order of "
                "computation, without cycles"
                if later
                else "which is no input, no initializer, and made by no node"
            )
            raise ModelError(f"{place} reads {shown(name)}, {reason}")
        return number

    def _new(self, name: str, who: str) -> int:
        """The number of a value that comes to be here."""
        if not name:
            raise ModelError(f"{who}: a value has no name")
        if name in self._numbers:
            raise ModelError(f"{who}: {shown(name)} is there already; values have one origin")
        self._first.append(None)
        self._numbers[name] = len(self._first) - 1
        return self._numbers[name]


def _with_last_uses(calls: Sequence[Call], results: set[int]) -> tuple[Call, ...]:
    """The calls, each knowing the numbers that nothing after it reads."""
    read_later = {*results, _ABSENT}
    found: list[Call] = []
    for call in reversed(calls):
        last = {*call.inputs, *call.outputs} - read_later
        read_later |= last
        unwanted = {_ABSENT}.intersection(call.outputs)
        found.append(replace(call, last_used=tuple(sorted(last | unwanted))))
    return tuple(reversed(found))
