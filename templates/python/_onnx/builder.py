"""Goes through a graph once, in the order of its nodes, and numbers its values.

The nodes of functions take the place of the nodes that call them. Subgraphs become graphs of their
own, which receive what they read from outside as further inputs of their node.
"""

from __future__ import annotations

from collections.abc import Sequence

from onnx import FunctionProto, GraphProto, NodeProto

from opmill._model.bodies import Site
from opmill._model.control import control_of
from opmill._model.declared import (
    Declared,
    DeclaredOptional,
    DeclaredSequence,
    DeclaredTensor,
    held_outputs,
)
from opmill._model.errors import Missing, ModelError, check_text, locate, plain, shown
from opmill._model.graph import ABSENT, Graph, Node
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name, domains, resolve
from opmill._onnx.declared import declared
from opmill._onnx.elsewhere import Elsewhere, Lacking
from opmill._onnx.functions import bound_attributes, function_attributes, published_body
from opmill._onnx.names import FunctionKey, Model, Names
from opmill._onnx.nodes import opsets_of, place_of, resolved_call, split_graphs
from opmill._onnx.protos import array_of, attributes_of, constant_of
from opmill._onnx.result_types import result_types
from opmill._runtime.errors import OpError
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array, element_word

_MAX_DEPTH = 32
"""The number of graphs and functions inside of each other."""


class GraphBuilder:
    """Reads one graph.

    Args:
        model: what is the same in all graphs.
        names: those of the graph.
        outer: for a subgraph, what reads the graph around it, and the names there.
    """

    def __init__(
        self, model: Model, names: Names, outer: tuple[GraphBuilder, Names] | None = None
    ) -> None:
        self._model = model
        self._names = names
        self._outer = outer
        self._size = 1
        self._constants: dict[int, Array] = {}
        self._nodes: list[Node] = []
        self._types: dict[int, str] = {}
        """ONNX's words for the types of values, where they are known."""
        self.captured: dict[int, int] = {}
        """The values of the graph around this one that are read: their number there, and here."""

    def graph(self, proto: GraphProto) -> Graph:
        """Read a graph; see ``read_graph``."""
        names, where = self._names, self._names.where
        inputs = [declared(entry.name, entry.type, f"input{where}") for entry in proto.input]
        for wanted in inputs:
            number = self._new(names, wanted.name, f"the graph's inputs{where}")
            word = _word(wanted)
            if word is not None:
                self._types[number] = word
        self._initializers(proto)
        for entry in (*proto.input, *proto.output):
            check_text(entry.name, f"the name of an input or output{where}")
        self._all_nodes(proto.node, names)
        outputs = [declared(entry.name, entry.type, f"output{where}") for entry in proto.output]
        results: list[int] = []
        for output in outputs:
            found = self._find(output.name, names) if output.name else None
            if found is None:
                raise ModelError(f"output {shown(output.name)}{where} is made by no node")
            results.append(found)
        return Graph(
            tuple(inputs),
            tuple(names.numbers[wanted.name] for wanted in inputs),
            tuple(self.captured.values()),
            self._constants,
            tuple(self._nodes),
            tuple(outputs),
            tuple(results),
            self._size,
        )

    def _initializers(self, proto: GraphProto) -> None:
        names = self._names
        if proto.sparse_initializer:
            name = proto.sparse_initializer[0].values.name
            raise ModelError(f"initializer {shown(name)} is sparse, which is not supported")
        for tensor in proto.initializer:
            what = f"initializer {shown(tensor.name)}{names.where}"
            number: int = names.numbers.get(tensor.name, ABSENT)
            if number in self._constants:
                raise ModelError(f"{what} is given twice")
            if not number:
                number = self._new(names, tensor.name, what)
            self._constant(number, array_of(tensor, what, self._model.folder))

    def _constant(self, number: int, value: Array) -> None:
        self._constants[number] = value
        self._types.setdefault(number, f"tensor({element_word(value.dtype)})")

    def _all_nodes(self, nodes: Sequence[NodeProto], names: Names) -> None:
        for position, node in enumerate(nodes):
            self._model.add_node()
            place = f"{place_of(node, position)}{names.where}"
            self._node(bound_attributes(node, place, names.attributes), place, names, nodes)

    def _node(
        self, node: NodeProto, place: str, names: Names, siblings: Sequence[NodeProto]
    ) -> None:
        for text in (node.op_type, node.domain, node.overload):
            check_text(text, f"{place}: the operator's name")
        domain = domain_name(node.domain)
        inputs = tuple(self._read(name, place, names, siblings) for name in node.input)
        key = (domain, node.op_type, node.overload)
        function = self._model.functions.get(key)
        if function is not None:
            self._function(node, place, names, inputs, function, key)
            return
        overloads = self._model.overloads.get((domain, node.op_type), ())
        if node.overload or (overloads and domain not in domains()):
            named = f"overload {shown(node.overload)}"
            wanted = named if node.overload else "form without overload"
            known = ", ".join(map(shown, overloads)) or "no overload"
            raise ModelError(
                f"{place}: the function {shown(node.op_type)} of {plain(domain)} has no {wanted}, "
                f"expected {known}"
            )
        if domain not in names.opsets:
            raise ModelError(
                f"{place} is of the domain {plain(domain)}, which the model does not import"
            )
        opset = names.opsets[domain]
        if (domain, node.op_type) == (MAIN_DOMAIN, "Constant"):
            if node.input or len(node.output) != 1:
                raise ModelError(f"{place}: a Constant must have no input and one output")
            value = constant_of(node, place, self._model.folder, self._model.limits.check_bytes)
            self._model.add_constant(value.nbytes, place)
            self._constant(self._new(names, node.output[0], place), value)
            return
        if domain not in domains():
            operator: Operator | Missing = Missing(place, node.op_type, domain, opset, opset)
        else:
            operator = resolve(place, node.op_type, domain, opset)
        if isinstance(operator, GraphOperator):
            self._control(node, place, names, inputs, operator)
        elif isinstance(operator, Operator):
            self._call(node, place, names, inputs, operator)
        elif not self._published(node, place, names, inputs, operator):
            self._lacking(node, place, names, inputs, operator)

    def _call(
        self,
        node: NodeProto,
        place: str,
        names: Names,
        inputs: tuple[int, ...],
        operator: Operator,
    ) -> None:
        """A node of an operator version of this package."""
        attributes, count = resolved_call(node, place, operator, self._model.folder)
        given = [self._types.get(number) for number in inputs]
        try:
            held_outputs(operator.schema, [_unless_tensor(word) for word in given])
        except OpError as error:
            locate(error, place, operator.schema)
            raise
        outputs = self._outputs(node, place, names)
        for number, word in zip(
            outputs, result_types(operator.schema, given, attributes), strict=False
        ):
            if number != ABSENT and word is not None:
                self._types[number] = word
        self._nodes.append(Node(place, operator, inputs, attributes, outputs, count))

    def _control(
        self,
        node: NodeProto,
        place: str,
        names: Names,
        inputs: tuple[int, ...],
        operator: Operator,
    ) -> None:
        """A node of an operator version that runs graphs."""
        graphs: dict[str, Graph] = {}
        captured: dict[str, tuple[int, ...]] = {}
        rest, protos = split_graphs(node, place, operator)
        for name, proto in protos.items():
            inner = self._inside(names, f" in {plain(name)} of {place}")
            builder = GraphBuilder(self._model, inner, (self, names))
            graphs[name] = builder.graph(proto)
            captured[name] = tuple(builder.captured)
        outputs = self._outputs(node, place, names)
        more = tuple(dict.fromkeys(number for one in captured.values() for number in one))
        site = Site(node.op_type, operator.schema.since_version, place, len(inputs), len(outputs))
        position_of = {number: len(inputs) + k for k, number in enumerate(more)}
        places = {
            name: tuple(position_of[number] for number in numbers)
            for name, numbers in captured.items()
        }
        try:
            values = attributes_of(rest, place, operator.schema, self._model.folder)
            control = control_of(site, operator, graphs, places, values)
        except OpError as error:
            if not error.place:
                locate(error, place, operator.schema)
            raise
        self._nodes.append(Node(place, control, (*inputs, *more), {}, outputs, len(outputs)))

    def _function(
        self,
        node: NodeProto,
        place: str,
        names: Names,
        inputs: tuple[int, ...],
        function: FunctionProto,
        key: FunctionKey,
    ) -> None:
        """The nodes of a function, in the place of a node that calls it."""
        if key in names.calls:
            raise ModelError(f"{place} calls the function {shown(key[1])}, which calls itself")
        if len(inputs) > len(function.input) or len(node.output) > len(function.output):
            raise ModelError(
                f"{place} has {len(inputs)} inputs and {len(node.output)} outputs, expected at "
                f"most {len(function.input)} and {len(function.output)}, those of the function "
                f"{shown(key[1])}"
            )
        inner = self._inside(names, f" in function {shown(key[1])} of {place}")
        inner.is_graph = False
        inner.calls = (*names.calls, key)
        inner.opsets = opsets_of(function.opset_import, f"the function {shown(key[1])}")
        inner.attributes = function_attributes(node, function, place)
        for position, name in enumerate(function.input):
            if not name or name in inner.numbers:
                raise ModelError(f"the function {shown(key[1])} has an input without its own name")
            inner.numbers[name] = inputs[position] if position < len(inputs) else ABSENT
        self._all_nodes(function.node, inner)
        for formal, name in zip(function.output, node.output, strict=False):
            if formal not in inner.numbers:
                raise ModelError(
                    f"{place}: output {shown(formal)} of the function {shown(key[1])} is made by "
                    "no node"
                )
            if name:
                self._check_new(names, name, place)
                names.numbers[name] = inner.numbers[formal]

    def _published(
        self,
        node: NodeProto,
        place: str,
        names: Names,
        inputs: tuple[int, ...],
        missing: Missing,
    ) -> bool:
        """Put the body that ONNX publishes for an operator in its place, where all of it is known.

        Returns:
            Whether it could be done; nothing is changed where not.
        """
        body = published_body(node, missing, [self._types.get(number) for number in inputs])
        if body is None:
            return False
        size, count, counted = self._size, len(self._nodes), self._model.nodes
        bound = dict(names.numbers)
        key = (missing.domain, missing.operator, f"-{missing.version}")
        try:
            self._function(node, place, names, inputs, body, key)
            known = not any(isinstance(one.operator, Lacking) for one in self._nodes[count:])
        except (ModelError, OpError):
            known = False
        if not known:
            del self._nodes[count:]
            self._model.nodes = counted
            names.numbers.clear()
            names.numbers.update(bound)
            for known_of in (self._types, self._constants):
                for number in [n for n in known_of if n >= size and n not in self._captures()]:
                    del known_of[number]
        return known

    def _captures(self) -> set[int]:
        return set(self.captured.values())

    def _lacking(
        self,
        node: NodeProto,
        place: str,
        names: Names,
        inputs: tuple[int, ...],
        missing: Missing,
    ) -> None:
        """A node that nothing here computes."""
        outputs = self._outputs(node, place, names)
        operator: Elsewhere | Lacking = Lacking(missing)
        if self._model.fallback is not None:
            operator = Elsewhere(missing, node, names.opsets, self._model.fallback)
        self._nodes.append(Node(place, operator, inputs, {}, outputs, len(outputs)))

    def _inside(self, names: Names, where: str) -> Names:
        """The names of a graph or of a function inside of another."""
        if names.depth == _MAX_DEPTH:
            raise ModelError(
                f"more than {_MAX_DEPTH} graphs and functions are inside of each other"
            )
        return Names(names.opsets, names.attributes, where, names.calls, names.depth + 1, True)

    def _outputs(self, node: NodeProto, place: str, names: Names) -> tuple[int, ...]:
        return tuple(self._new(names, name, place) if name else ABSENT for name in node.output)

    def _find(self, name: str, names: Names) -> int | None:
        """The number of a value, here or in a graph around this one."""
        number = names.numbers.get(name)
        if number is None and names.is_graph and self._outer is not None:
            builder, around = self._outer
            outside = builder._find(name, around)
            if outside is not None:
                number = self.captured.get(outside)
                if number is None:
                    number = self.captured[outside] = self._size
                    self._size += 1
                    if outside in builder._types:
                        self._types[number] = builder._types[outside]
                names.numbers[name] = number
        return number

    def _read(self, name: str, place: str, names: Names, siblings: Sequence[NodeProto]) -> int:
        number = self._find(name, names)
        if number is None:
            later = any(name in node.output for node in siblings)
            reason = (
                "which only it or a node after it makes; nodes must stand in the order of "
                "computation, without cycles"
                if later
                else "which is no input, no initializer, and made by no node"
            )
            raise ModelError(f"{place} reads {shown(name)}, {reason}")
        return number

    def _check_new(self, names: Names, name: str, who: str) -> None:
        if not name:
            raise ModelError(f"{who}: a value has no name")
        if name in names.numbers:
            raise ModelError(f"{who}: {shown(name)} is there already; values have one origin")

    def _new(self, names: Names, name: str, who: str) -> int:
        """The number of a value that comes to be here."""
        self._check_new(names, name, who)
        number = names.numbers[name] = self._size
        self._size += 1
        return number


def _word(wanted: Declared) -> str | None:
    """The type of an input, where it is declared in full."""
    type_ = wanted.type
    if isinstance(type_, DeclaredTensor):
        return None if type_.element is None else type_.word
    return type_.word if isinstance(type_, (DeclaredSequence, DeclaredOptional)) else None


def _unless_tensor(word: str | None) -> str | None:
    return None if word is None or word.startswith("tensor") else word
