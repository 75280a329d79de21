"""Walks through all graphs and functions of a model, and collects the findings of all nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from opmill._check.finding import Finding
from opmill._check.nodes import Known, check_attributes, check_counts, inferred
from opmill._model.declared import Declared, DeclaredTensor
from opmill._model.errors import Missing, ModelError, Unpublished, shown
from opmill._onnx.catalog import domain_name, domains, resolve
from opmill._onnx.declared import declared
from opmill._onnx.order import Order, location_of
from opmill._onnx.outside import Folder
from opmill._onnx.protos import array_of
from opmill._runtime.buffers import shape_text
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator

_MAX_DEPTH = 40
"""The number of graphs inside of each other that are checked."""


@dataclass
class Scope:
    """The values of a graph or of a function.

    Args:
        part: its location in the file.
        where: the same in words, behind that of a node; empty of the model's graph.
        opsets: the version of each domain that it imports.
        around: the graph around it, whose values it may read.
        values: what is known of each value.
        computed: the names that its nodes compute.
    """

    part: str
    where: str
    opsets: Mapping[str, int]
    around: Scope | None = None
    values: dict[str, Known] = field(default_factory=dict)
    computed: frozenset[str] = frozenset()

    def find(self, name: str) -> Known | None:
        """The facts known about a value, from this graph or one around it."""
        found = self.values.get(name)
        return self.around.find(name) if found is None and self.around is not None else found


@dataclass
class Checker:
    """Collects the findings of one model.

    Args:
        model: the model.
        folder: the location of tensors outside of the file.
        sizes: the size of each named dim; ``None`` is the key of the size of all others.
    """

    model: ModelProto
    folder: Folder
    sizes: Mapping[str | None, int]
    findings: list[Finding] = field(default_factory=list)
    versions: dict[tuple[str, str, int], list[tuple[str, str]]] = field(default_factory=dict)
    """The locations of the nodes of each operator version, by part and in words."""

    def run(self) -> None:
        """Check everything."""
        model = self.model
        opsets = self._opsets(model.opset_import, "opset_import")
        self._functions: dict[tuple[str, str], FunctionProto] = {}
        for position, function in enumerate(model.functions):
            key = (domain_name(function.domain), function.name)
            if key in self._functions and not function.overload:
                self._add("error", "duplicate-name", f"functions[{position}]", "",
                          f"function {shown(function.name)} is given twice")  # fmt: skip
            self._functions[key] = function
        self._graph(model.graph, Scope("graph", "", opsets), 0)
        for position, function in enumerate(model.functions):
            part = f"functions[{position}]"
            own = self._opsets(function.opset_import, f"{part}.opset_import") or opsets
            scope = Scope(part, f" in function {shown(function.name)}", own)
            for name in function.input:
                self._new(scope, name, Known(), f"{part}.input", "an input of the function")
            self._nodes(function.node, scope, 0)
            for name in function.output:
                if name not in scope.values:
                    self._add("error", "undefined-output", f"{part}.output", "",
                              f"output {shown(name)} is computed by no node")  # fmt: skip

    def _opsets(self, imports: Any, part: str) -> dict[str, int]:
        found: dict[str, int] = {}
        for position, one in enumerate(imports):
            domain = domain_name(one.domain)
            where = f"{part}[{position}]"
            if found.setdefault(domain, one.version) != one.version:
                self._add("error", "duplicate-opset", where, "",
                          f"{domain} is imported at opset {found[domain]} and at {one.version}",
                )  # fmt: skip
            newest = domains()[domain].opset if domain in domains() else None
            if one.version < 1:
                self._add("error", "unknown-opset", where, "",
                          f"opset of {domain} is {one.version}, expected at least 1")  # fmt: skip
            elif newest is not None and one.version > newest:
                self._add("note", "newer-opset", where, "",
                          f"opset {one.version} of {domain} is newer than {newest}, the newest "
                          "that this opmill knows")  # fmt: skip
        return found

    def _add(
        self, severity: str, rule: str, part: str, node: str, text: str, operator: str = ""
    ) -> None:
        self.findings.append(Finding(severity, rule, part, node, operator, text))

    # Graphs

    def _graph(self, graph: GraphProto, scope: Scope, depth: int) -> None:
        part = scope.part
        wanted: dict[str, Declared] = {}
        for position, entry in enumerate(graph.input):
            one = self._declared(entry, f"{part}.input[{position}]")
            self._new(scope, entry.name, self._known(one), f"{part}.input[{position}]", "an input")
        inputs = set(scope.values)
        self._initializers(graph, scope, inputs)
        for kind in ("value_info", "output"):
            for position, entry in enumerate(getattr(graph, kind)):
                one = self._declared(entry, f"{part}.{kind}[{position}]")
                if one is not None:
                    wanted[f"{kind}[{position}]"] = one
        self._nodes(graph.node, scope, depth)
        for position, entry in enumerate(graph.output):
            if scope.find(entry.name) is None:
                self._add("error", "undefined-output", f"{part}.output[{position}]", "",
                          f"output {shown(entry.name)} is computed by no node")  # fmt: skip
        for entry_part, one in wanted.items():
            found = scope.values.get(one.name)
            if found is not None and one.name not in inputs:
                self._compare(one, found, f"{part}.{entry_part}")

    def _declared(self, entry: Any, part: str) -> Declared | None:
        try:
            return declared(entry.name, entry.type, "value")
        except ModelError as error:
            self._add("error", "declared-type", part, "", str(error))
            return None

    def _known(self, one: Declared | None) -> Known:
        if one is None or one.type is None:
            return Known()
        if not isinstance(one.type, DeclaredTensor):
            return Known(one.type.word)
        word = None if one.type.element is None else one.type.word
        if one.type.dims is None:
            return Known(word)
        dims = [self._size(dim) for dim in one.type.dims]
        sizes = tuple(dim for dim in dims if dim is not None)
        return Known(word, sizes if len(sizes) == len(dims) else None)

    def _size(self, dim: int | str | None) -> int | None:
        if isinstance(dim, int) and dim >= 0:
            return dim
        return self.sizes.get(str(dim), self.sizes.get(None))

    def _initializers(self, graph: GraphProto, scope: Scope, inputs: set[str]) -> None:
        seen: set[str] = set()
        for position, tensor in enumerate(graph.initializer):
            part = f"{scope.part}.initializer[{position}]"
            what = f"initializer {shown(tensor.name)}"
            if tensor.name in seen:
                self._add("error", "duplicate-name", part, "", f"{what} is given twice")
                continue
            seen.add(tensor.name)
            try:
                known = Known.of(array_of(tensor, what, self.folder))
            except (ModelError, OSError) as error:
                self._add("error", "initializer", part, "", str(error))
                known = Known()
            if tensor.name not in inputs:
                self._new(scope, tensor.name, known, part, what)
                continue
            entry = next(one for one in graph.input if one.name == tensor.name)
            one = self._declared(entry, part)
            if one is not None:
                self._compare(one, known, part)
        for position, sparse in enumerate(graph.sparse_initializer):
            part, name = f"{scope.part}.sparse_initializer[{position}]", sparse.values.name
            if name not in inputs:
                self._new(scope, name, Known(None, tuple(sparse.dims)), part, "an initializer")

    def _new(self, scope: Scope, name: str, known: Known, part: str, what: str) -> None:
        if not name:
            self._add("error", "no-name", part, "", f"{what} has no name, expected a name")
        elif name in scope.values:
            self._add("error", "duplicate-name", part, "",
                      f"{what} is named {shown(name)}, expected a name that no other value has",
            )  # fmt: skip
        else:
            around = scope.around
            if around is not None and around.find(name) is not None:
                self._add("error", "shadowed-name", part, "",
                          f"{what} is named {shown(name)} as a value of a graph around it, "
                          "expected another name")  # fmt: skip
            scope.values[name] = known

    def _compare(self, wanted: Declared, found: Known, part: str) -> None:
        """Compare a declared type with that of the value."""
        name, type_ = shown(wanted.name), wanted.type
        if type_ is None or found.word is None:
            return
        if isinstance(type_, DeclaredTensor) and type_.element is None:
            return
        if type_.word != found.word:
            self._add("error", "declared-type", part, "",
                      f"{name} is declared as {type_.word}, but is {found.word}")  # fmt: skip
            return
        if not isinstance(type_, DeclaredTensor) or type_.dims is None or found.shape is None:
            return
        shape = shape_text(found.shape)
        if len(type_.dims) != len(found.shape):
            self._add("error", "declared-shape", part, "",
                      f"{name} is declared with rank {len(type_.dims)}, but has shape {shape}",
            )  # fmt: skip
            return
        for axis, (dim, size) in enumerate(zip(type_.dims, found.shape, strict=True)):
            if isinstance(dim, int) and dim != size:
                self._add("error", "declared-shape", part, "",
                          f"{name} is declared with {dim} at axis {axis}, but has shape {shape}",
                )  # fmt: skip

    # Nodes

    def _nodes(self, nodes: Sequence[NodeProto], scope: Scope, depth: int) -> None:
        scope.computed = frozenset(name for node in nodes for name in node.output)
        order = Order(nodes, set(scope.values))
        try:
            positions = order.positions(scope.where)
        except ModelError as error:
            self._add("error", "cycle", scope.part, "", str(error))
            positions = list(range(len(nodes)))
        else:
            for position, name, maker in order.early_reads():
                location = f"{location_of(nodes[position], position)}{scope.where}"
                self._add("error", "unsorted-node", f"{scope.part}.node[{position}]", location,
                          f"reads {shown(name)} of {location_of(nodes[maker], maker)}, expected "
                          "nodes in the order of computation")  # fmt: skip
        for position in positions:
            self._node(nodes[position], position, scope, depth)

    def _node(self, node: NodeProto, position: int, scope: Scope, depth: int) -> None:
        part = f"{scope.part}.node[{position}]"
        location = f"{location_of(node, position)}{scope.where}"
        for name in node.input:
            if name and scope.find(name) is None and name not in scope.computed:
                self._add("error", "undefined-input", part, location,
                          f"reads {shown(name)}, which is no input, no initializer and computed "
                          "by no node")  # fmt: skip
        operator = self._resolved(node, part, location, scope)
        label = "" if operator is None else operator.schema.label

        def report(rule: str, text: str) -> None:
            self._add("error", rule, part, location, text, label)

        outputs = [Known()] * len(node.output)
        if operator is not None:
            schema = operator.schema
            key = (schema.domain, schema.name, schema.since_version)
            self.versions.setdefault(key, []).append((part, location))
            values = check_attributes(node, operator, self.folder, report)
            legal = check_counts(node, operator, report)
            if values is not None and legal and not isinstance(operator, GraphOperator):
                inputs = [(scope.find(name) or Known()) if name else None for name in node.input]
                outputs = inferred(node, operator, values, inputs, report)
        for name, known in zip(node.output, outputs, strict=True):
            if name:
                self._output(scope, name, known, part, location)
        for k, attribute in enumerate(node.attribute):
            if attribute.type == AttributeProto.GRAPH:
                if depth == _MAX_DEPTH:
                    self._add("note", "too-deep", part, location, "graphs inside are not checked")
                    continue
                inner = Scope(f"{part}.attribute[{k}].g", f" in {attribute.name} of {location}",
                              scope.opsets, scope)  # fmt: skip
                self._graph(attribute.g, inner, depth + 1)

    def _output(self, scope: Scope, name: str, known: Known, part: str, location: str) -> None:
        before = len(self.findings)
        self._new(scope, name, known, part, "an output")
        for k in range(before, len(self.findings)):
            one = self.findings[k]
            self.findings[k] = Finding(
                one.severity, one.rule, one.part, location, one.operator, one.text
            )

    def _resolved(self, node: NodeProto, part: str, location: str, scope: Scope) -> Operator | None:
        """The operator version of a node; ``None`` of a function and of what opmill lacks."""
        domain = domain_name(node.domain)
        function = self._functions.get((domain, node.op_type))
        if function is not None:
            self._call(node, function, part, location)
            return None
        if domain not in scope.opsets:
            self._add("error", "domain-not-imported", part, location,
                      f"{node.op_type} is of the domain {domain}, expected an import of it",
            )  # fmt: skip
            return None
        if domain not in domains():
            self._add("note", "unknown-domain", part, location,
                      f"{node.op_type} of the domain {domain} is not checked")  # fmt: skip
            return None
        try:
            found = resolve(location, node.op_type, domain, scope.opsets[domain])
        except ModelError:
            return None  # an opset that is reported once
        if isinstance(found, Unpublished):
            rule = "deprecated" if " is deprecated " in found.reason else "not-in-opset"
            text = found.reason.removeprefix(f"{location}: ")
            self._add("error", rule, part, location, text)
            return None
        if isinstance(found, Missing):
            label = f"{node.op_type}-{found.version}"
            self._add("note", "not-supported", part, location,
                      "this version is not supported by opmill, and checked by ONNX alone",
                      label)  # fmt: skip
            return None
        return found

    def _call(self, node: NodeProto, function: FunctionProto, part: str, location: str) -> None:
        """Check the call of a function."""
        name = shown(function.name)
        for what, given, limit in (
            ("inputs", len(node.input), len(function.input)),
            ("outputs", len(node.output), len(function.output)),
        ):
            if given > limit:
                self._add("error", f"number-of-{what}", part, location,
                          f"number of {what} is {given}, expected at most {limit}, those of the "
                          f"function {name}")  # fmt: skip
        known = {*function.attribute, *(one.name for one in function.attribute_proto)}
        for attribute in node.attribute:
            if attribute.name not in known:
                self._add("error", "unknown-attribute", part, location,
                          f"the function {name} has no attribute {shown(attribute.name)}",
                )  # fmt: skip


def open_dims(graph: GraphProto) -> Iterator[str | None]:
    """The dims of the inputs that have no size: their names, ``None`` of those without."""
    for entry in graph.input:
        for dim in entry.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value"):
                yield dim.dim_param or None


def sizes_of(graph: GraphProto) -> Iterator[int]:
    """The sizes that the inputs declare."""
    for entry in graph.input:
        for dim in entry.type.tensor_type.shape.dim:
            if dim.dim_value > 0:
                yield dim.dim_value
