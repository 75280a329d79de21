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
    DeclaredTensor,
    container_outputs,
)
from opmill._model.errors import Missing, ModelError, check_text, locate, plain, shown
from opmill._model.graph import ABSENT, Graph, Node
from opmill._model.graph_types import check_types, differ
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name, domains, resolve
from opmill._onnx.declared import declared
from opmill._onnx.elsewhere import Elsewhere, Lacking
from opmill._onnx.functions import bound_attributes, function_attributes, published_body
from opmill._onnx.names import FunctionKey, Model, Names
from opmill._onnx.nodes import opsets_of, resolved_call, split_graphs
from opmill._onnx.order import Order, location_of
from opmill._onnx.protos import array_of, attributes_of, constant_of, dense, sparse_of_proto
from opmill._onnx.result_types import result_types
from opmill._runtime.errors import OpError
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array, element_word

_MAX_DEPTH = 100
"""The number of graphs and functions inside of each other."""

_MAX_GRAPHS = 40
"""The number of graphs inside of each other; a run calls Python functions for each."""

_MAX_WHERE = 400
"""The length of the words that say where the nodes of functions and graphs are."""


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
        self._inputs = 0
        """The number of inputs, which have the first numbers."""
        self._constants: dict[int, Array] = {}
        self._nodes: list[Node] = []
        self._types: dict[int, str] = {}
        """ONNX's words for the types of values, where they are known."""
        self.captured: dict[int, int] = {}
        """The values of the graph around this one that are read: their number there, and here."""
        self.input_words: list[str | None] = []
        """The declared types of the inputs."""
        self.output_words: list[str | None] = []
        """The types of the outputs, as far as they are known."""

    def graph(self, proto: GraphProto) -> Graph:
        """Read a graph; see ``read_graph``."""
        names, where = self._names, self._names.where
        inputs = [declared(entry.name, entry.type, f"input{where}") for entry in proto.input]
        for wanted in inputs:
            number = self._new(names, wanted.name, f"the graph's inputs{where}")
            word = _word(wanted)
            if word is not None:
                self._types[number] = word
        self._inputs = self._size - 1
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
        self.input_words = [_word(wanted) for wanted in inputs]
        self.output_words = [
            self._types.get(number, _word(output))
            for output, number in zip(outputs, results, strict=True)
        ]
        if self._outer is not None:  # the outputs of a run are checked by it
            _check_declared(outputs, self.output_words, where)
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
        folder, check_bytes = self._model.folder, self._model.limits.check_bytes
        blocks = self._model.blocks if self._outer is None else {}
        for position, tensor in enumerate(proto.initializer):
            number, what = self._initializer(tensor.name)
            self._constant(number, array_of(tensor, what, folder, blocks.get(position)))
            self._check_outer(tensor.name, number, what)
        for sparse in proto.sparse_initializer:
            number, what = self._initializer(sparse.values.name)
            value = dense(sparse_of_proto(sparse, what, folder), "sparse", what, check_bytes)
            self._constant(number, value)
            self._check_outer(sparse.values.name, number, what)

    def _initializer(self, name: str) -> tuple[int, str]:
        """The number of an initializer, and what messages call it."""
        names = self._names
        what = f"initializer {shown(name)}{names.where}"
        number: int = names.numbers.get(name, ABSENT)
        if number in self._constants:
            raise ModelError(f"{what} is given twice")
        return number or self._new(names, name, what), what

    def _check_outer(self, name: str, number: int, what: str) -> None:
        """Refuse an initializer that has the name of another value of a graph around this one.

        Some runtimes take the one, some the other. An input or the output of a node may have such a
        name: all runtimes that accept it take the inner value, although ONNX forbids it.
        """
        outer = self._around(name, self._names)
        if outer is None or number <= self._inputs:
            return
        builder, other = outer
        hidden = builder._constants.get(other)
        if hidden is None or not _are_equal(hidden, self._constants[number]):
            raise _hides(name, what)

    def _constant(self, number: int, value: Array) -> None:
        self._constants[number] = value
        self._types.setdefault(number, f"tensor({element_word(value.dtype)})")

    def _all_nodes(self, nodes: Sequence[NodeProto], names: Names) -> None:
        order = Order(nodes, names.numbers)
        for position, name, maker in order.early_reads():
            location = f"{location_of(nodes[position], position)}{names.where}"
            if self._around(name, names) is not None:
                raise _hides(name, location)
            self._model.notes.setdefault(
                "order",
                f"{location} reads {shown(name)} of {location_of(nodes[maker], maker)}, expected "
                "nodes in the order of computation",
            )
        for position in order.positions(names.where):
            node = nodes[position]
            self._model.add_node()
            location = f"{location_of(node, position)}{names.where}"
            self._node(bound_attributes(node, location, names.attributes), location, names)

    def _node(self, node: NodeProto, location: str, names: Names) -> None:
        for text in (node.op_type, node.domain, node.overload):
            check_text(text, f"{location}: the operator's name")
        domain = domain_name(node.domain)
        inputs = tuple(self._read(name, location, names) for name in node.input)
        key = (domain, node.op_type, node.overload)
        function = self._model.functions.get(key)
        if function is not None:
            self._function(node, location, names, inputs, function, key)
            return
        overloads = self._model.overloads.get((domain, node.op_type), ())
        if node.overload or (overloads and domain not in domains()):
            named = f"overload {shown(node.overload)}"
            wanted = named if node.overload else "form without overload"
            known = ", ".join(map(shown, overloads)) or "no overload"
            raise ModelError(
                f"{location}: the function {shown(node.op_type)} of {plain(domain)} has no "
                f"{wanted}, expected {known}"
            )
        if domain not in names.opsets:
            raise ModelError(
                f"{location} is of the domain {plain(domain)}, which the model does not import"
            )
        opset = names.opsets[domain]
        if (domain, node.op_type) == (MAIN_DOMAIN, "Constant"):
            if node.input or len(node.output) != 1:
                raise ModelError(f"{location}: a Constant must have no input and one output")
            value = constant_of(node, location, self._model.folder, self._model.limits.check_bytes)
            self._model.add_constant(value.nbytes, location)
            for number in self._outputs(node, location, names):
                if number != ABSENT:
                    self._constant(number, value)
            return
        if domain not in domains():
            operator: Operator | Missing = Missing(location, node.op_type, domain, opset, opset)
        else:
            operator = resolve(location, node.op_type, domain, opset)
        if isinstance(operator, GraphOperator):
            self._control(node, location, names, inputs, operator)
        elif isinstance(operator, Operator):
            self._call(node, location, names, inputs, operator)
        elif not self._published(node, location, names, inputs, operator):
            self._lacking(node, location, names, inputs, operator)

    def _call(
        self,
        node: NodeProto,
        location: str,
        names: Names,
        inputs: tuple[int, ...],
        operator: Operator,
    ) -> None:
        """A node of an operator version of this package."""
        attributes, count = resolved_call(node, location, operator, self._model.folder)
        given = [self._types.get(number) for number in inputs]
        try:
            container_outputs(operator.schema, [_unless_tensor(word) for word in given])
        except OpError as error:
            locate(error, location, operator.schema)
            raise
        outputs = self._outputs(node, location, names)
        outputs = outputs[: len(operator.schema.outputs) if count is None else count]
        for number, word in zip(
            outputs, result_types(operator.schema, given, attributes), strict=False
        ):
            if number != ABSENT and word is not None:
                self._types[number] = word
        self._nodes.append(Node(location, operator, inputs, attributes, outputs, count))

    def _control(
        self,
        node: NodeProto,
        location: str,
        names: Names,
        inputs: tuple[int, ...],
        operator: Operator,
    ) -> None:
        """A node of an operator version that runs graphs."""
        graphs: dict[str, Graph] = {}
        captured: dict[str, tuple[int, ...]] = {}
        received: dict[str, list[str | None]] = {}
        returned: dict[str, list[str | None]] = {}
        rest, protos = split_graphs(node, location, operator)
        for name, proto in protos.items():
            inner = self._inside(names, f" in {plain(name)} of {location}", is_graph=True)
            builder = GraphBuilder(self._model, inner, (self, names))
            graphs[name] = builder.graph(proto)
            captured[name] = tuple(builder.captured)
            received[name], returned[name] = builder.input_words, builder.output_words
        outputs = self._outputs(node, location, names)
        more = tuple(dict.fromkeys(number for one in captured.values() for number in one))
        schema = operator.schema
        site = Site(
            schema.domain, schema.name, schema.since_version, location, len(inputs), len(outputs)
        )
        position_of = {number: len(inputs) + k for k, number in enumerate(more)}
        positions = {
            name: tuple(position_of[number] for number in numbers)
            for name, numbers in captured.items()
        }
        try:
            values = attributes_of(rest, location, schema, self._model.folder)
            control = control_of(site, operator, graphs, positions, values)
            given = [self._types.get(number) for number in inputs]
            check_types(site, given, received, returned, values)
        except OpError as error:
            if not error.location:
                locate(error, location, schema)
            raise
        self._nodes.append(Node(location, control, (*inputs, *more), {}, outputs, len(outputs)))

    def _function(
        self,
        node: NodeProto,
        location: str,
        names: Names,
        inputs: tuple[int, ...],
        function: FunctionProto,
        key: FunctionKey,
    ) -> None:
        """The nodes of a function, in the place of a node that calls it."""
        if key in names.calls:
            raise ModelError(f"{location} calls the function {shown(key[1])}, which calls itself")
        if len(inputs) > len(function.input) or len(node.output) > len(function.output):
            raise ModelError(
                f"{location} has {len(inputs)} inputs and {len(node.output)} outputs, expected at "
                f"most {len(function.input)} and {len(function.output)}, those of the function "
                f"{shown(key[1])}"
            )
        self._model.check_call(key)
        inner = self._inside(names, f" in function {shown(key[1])} of {location}", is_graph=False)
        inner.calls = (*names.calls, key)
        inner.opsets = opsets_of(function.opset_import, f"the function {shown(key[1])}")
        inner.attributes = function_attributes(node, function, location)
        for position, name in enumerate(function.input):
            if not name or name in inner.numbers:
                raise ModelError(f"the function {shown(key[1])} has an input without its own name")
            inner.numbers[name] = inputs[position] if position < len(inputs) else ABSENT
        self._all_nodes(function.node, inner)
        for formal, name in zip(function.output, node.output, strict=False):
            if not formal or formal not in inner.numbers:
                raise ModelError(
                    f"{location}: output {shown(formal)} of the function {shown(key[1])} is made "
                    "by no node"
                )
            if name:
                self._check_new(names, name, location)
                names.numbers[name] = inner.numbers[formal]

    def _published(
        self,
        node: NodeProto,
        location: str,
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
            self._function(node, location, names, inputs, body, key)
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
        location: str,
        names: Names,
        inputs: tuple[int, ...],
        missing: Missing,
    ) -> None:
        """A node that nothing here computes."""
        outputs = self._outputs(node, location, names)
        operator: Elsewhere | Lacking = Lacking(missing)
        if self._model.fallback is not None:
            operator = Elsewhere(missing, node, names.opsets, self._model.fallback)
        self._nodes.append(Node(location, operator, inputs, {}, outputs, len(outputs)))

    def _inside(self, names: Names, where: str, *, is_graph: bool) -> Names:
        """The names of a graph or of a function inside of another."""
        if names.depth == _MAX_DEPTH:
            raise ModelError(
                f"more than {_MAX_DEPTH} graphs and functions are inside of each other"
            )
        graphs = names.graphs + is_graph
        if graphs > _MAX_GRAPHS:
            raise ModelError(f"more than {_MAX_GRAPHS} graphs are inside of each other")
        if len(where) > _MAX_WHERE:
            where = f"{where[: _MAX_WHERE // 2]} ... {where[-_MAX_WHERE // 2 :]}"
        return Names(
            names.opsets, names.attributes, where, names.calls, names.depth + 1, is_graph, graphs
        )

    def _outputs(self, node: NodeProto, location: str, names: Names) -> tuple[int, ...]:
        for name in node.output:
            if name and self._around(name, names) is not None:
                self._model.notes.setdefault(
                    "name",
                    f"{location}: {shown(name)} is a value of a graph around too, expected another "
                    "name",
                )
        return tuple(self._new(names, name, location) if name else ABSENT for name in node.output)

    def _around(self, name: str, names: Names) -> tuple[GraphBuilder, int] | None:
        """A value of a graph around this one: what reads that graph, and the number there."""
        builder = self
        while names.is_graph and builder._outer is not None:
            builder, names = builder._outer
            if name in names.numbers:
                return builder, names.numbers[name]
        return None

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

    def _read(self, name: str, location: str, names: Names) -> int:
        number = self._find(name, names)
        if number is None:
            raise ModelError(
                f"{location} reads {shown(name)}, which is no input, no initializer, and made by "
                "no node"
            )
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


def _hides(name: str, who: str) -> ModelError:
    return ModelError(
        f"{who}: {shown(name)} is there already, in a graph around; values have one origin"
    )


def _are_equal(one: Array, other: Array) -> bool:
    """Return whether two constants have the same type, shape and bits."""
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    return (
        one.tolist() == other.tolist() if one.dtype.hasobject else one.tobytes() == other.tobytes()
    )


def _check_declared(outputs: Sequence[Declared], words: Sequence[str | None], where: str) -> None:
    """Refuse outputs of a graph that are not of their declared types."""
    for output, word in zip(outputs, words, strict=True):
        declared_word = _word(output)
        if differ(word, declared_word):
            raise ModelError(
                f"output {shown(output.name)}{where} is declared as {declared_word}, but is {word}"
            )


def _word(wanted: Declared) -> str | None:
    """The type of an input, where it is declared in full."""
    type_ = wanted.type
    if isinstance(type_, DeclaredTensor):
        return None if type_.element is None else type_.word
    return None if type_ is None else type_.word


def _unless_tensor(word: str | None) -> str | None:
    return None if word is None or word.startswith("tensor") else word
