"""Turns nodes that this package computes into Python operators of onnxruntime-extensions.

Such a node becomes: a Cast of each input that travels as another type; the Python operator, which
gives every result and its shape; a Reshape of every result to that shape; a Cast back. A Python
operator that raises ends the process, so one that cannot compute gives results that do not fit
their shapes, and the Reshape ends the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    helper,
    shape_inference,
)

from opmill._model.errors import Missing, ModelError, lacking_error, locate, shown
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name, domains, resolve
from opmill._onnx.nodes import opsets_of, resolved_call
from opmill._onnx.order import location_of
from opmill._onnx.ort_carriers import (
    CARRIERS,
    DOMAIN,
    TEXTUAL_KINDS,
    Call,
    name_of,
    obstacle,
    table,
    words_of,
)
from opmill._runtime import messages
from opmill._runtime.errors import TypeConstraintError, one_of
from opmill._runtime.operator import Operator
from opmill._runtime.public import public_in
from opmill._runtime.types import element_of_code, is_element_word

_OLDEST = 7
"""The oldest opset that onnxruntime supports."""

_FIRST_BFLOAT16 = 13
"""The first opset whose Cast knows bfloat16."""

_VERSION = 1
"""The version of the domain."""


@public_in("onnxruntime_ops")
def node_names() -> tuple[str, ...]:
    """The operator types that nodes of the domain ``opmill`` can have, as ``Tile_1``."""
    return tuple(name for name, found in table().items() if obstacle(found.schema) is None)


@public_in("onnxruntime_ops")
def lowered(model: ModelProto, replace: Collection[str] = ()) -> ModelProto:
    """Return a model that onnxruntime can run once ``register`` has been called.

    Args:
        model: a model with nodes of the domain ``opmill``, as ``Tile_1``; it is not changed.
        replace: ONNX's names of other operators that opmill computes.

    Raises:
        ModelError: there is no such operator, or it, its types or attributes cannot be handed over.
        UnsupportedOperatorError: a version that is to be replaced is not supported.
        OpError: a node's attributes or types are not legal.
    """
    if not isinstance(model, ModelProto):
        raise ModelError(f"model has type {type(model).__name__}, expected onnx.ModelProto")
    opsets = opsets_of(model.opset_import, "the model")
    operators = _operators(model, frozenset(replace), opsets)
    result = ModelProto()
    result.CopyFrom(model)
    if not operators:
        return result
    opset = opsets.get(MAIN_DOMAIN, 0)
    if opset < _OLDEST:
        raise ModelError(
            f"the model imports ai.onnx at opset {opset}, and onnxruntime supports opsets from "
            f"{_OLDEST}; in a newer model, a node of the domain {DOMAIN} has any version"
        )
    writer = _Writer(model, _types(model, operators), opset)
    del result.graph.node[:]
    for position, node in enumerate(model.graph.node):
        if position in operators:
            location = location_of(node, position)
            result.graph.node.extend(writer.node(node, location, operators[position]))
        else:
            result.graph.node.add().CopyFrom(node)
    result.graph.initializer.extend(writer.absent)
    if DOMAIN not in opsets:
        result.opset_import.append(helper.make_opsetid(DOMAIN, _VERSION))
    return result


def _operators(
    model: ModelProto, replace: Collection[str], opsets: Mapping[str, int]
) -> dict[int, Operator]:
    """The operator version of each node that this package computes, by the node's position."""
    if opsets.get(DOMAIN, _VERSION) != _VERSION:
        raise ModelError(f"the domain {DOMAIN} has the version {_VERSION}, not {opsets[DOMAIN]}")
    for name in replace:
        if not any(name in domain.published for domain in domains().values()):
            raise ModelError(f"there is no operator {shown(name)} to replace")
    found: dict[int, Operator] = {}
    missing: list[Missing] = []
    for position, node in enumerate(model.graph.node):
        location, domain = location_of(node, position), domain_name(node.domain)
        _refuse_inner(node, location, replace)
        if domain == DOMAIN:
            found[position] = _named(node, location)
        elif node.op_type in replace and domain in domains():
            operator = resolve(location, node.op_type, domain, opsets.get(domain, 0))
            if isinstance(operator, Missing):
                missing.append(operator)
            else:
                found[position] = operator
    for function in model.functions:
        for node in function.node:
            _refuse_if_ours(node, f"function {shown(function.name)}", replace)
    if missing:
        raise lacking_error(missing)
    for position, operator in found.items():
        reason = obstacle(operator.schema)
        if reason is not None:
            location = location_of(model.graph.node[position], position)
            label = operator.schema.label
            raise ModelError(f"{location}: {label} cannot be computed in onnxruntime: {reason}")
    return found


def _named(node: NodeProto, location: str) -> Operator:
    operator = table().get(node.op_type)
    if operator is None:
        raise ModelError(
            f"{location}: the domain {DOMAIN} has no {shown(node.op_type)}; it has "
            f"{', '.join(node_names())}"
        )
    return operator


def _refuse_inner(node: NodeProto, location: str, replace: Collection[str]) -> None:
    """Refuse nodes of this package inside of subgraphs."""
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                _refuse_if_ours(inner, location, replace)
                _refuse_inner(inner, location, replace)


def _refuse_if_ours(node: NodeProto, where: str, replace: Collection[str]) -> None:
    if node.domain == DOMAIN or node.op_type in replace:
        raise ModelError(
            f"{where} holds a node {shown(node.op_type)}; opmill can compute nodes of the main "
            "graph only"
        )


def _types(model: ModelProto, operators: Mapping[int, Operator]) -> dict[str, str]:
    """The element type of each value of the main graph that can be found out, or its kind.

    onnx infers them through all other operators; ours are typed here, one after the other.
    """
    work = ModelProto()
    work.CopyFrom(model)
    while True:
        try:
            graph = shape_inference.infer_shapes(work).graph
        except Exception as error:  # of many classes, some of them C++'s
            raise ModelError(f"onnx cannot infer the model's types: {error}") from error
        types = dict(_known_types(graph))
        known = len(work.graph.value_info)
        for position, operator in operators.items():
            node = model.graph.node[position]
            for name, word in _output_types(node, operator, types):
                if name not in types:
                    types[name] = word
                    code = TensorProto.DataType.Value(word.upper())
                    work.graph.value_info.append(helper.make_tensor_value_info(name, code, None))
        if len(work.graph.value_info) == known:
            return types


def _known_types(graph: GraphProto) -> Iterator[tuple[str, str]]:
    """The element type of a tensor, the kind of anything else."""
    for entry in (*graph.output, *graph.value_info, *graph.input):
        kind = entry.type.WhichOneof("value")
        if kind is not None and kind != "tensor_type":
            yield entry.name, kind.removesuffix("_type")
        word = element_of_code(entry.type.tensor_type.elem_type)
        if word is not None:
            yield entry.name, word
    for tensor in graph.initializer:
        word = element_of_code(tensor.data_type)
        if word is not None:
            yield tensor.name, word


def _output_types(
    node: NodeProto, operator: Operator, types: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The types of a node's outputs that follow from those of its inputs."""
    schema = operator.schema
    bound = {
        parameter.type: types[name]
        for name, parameter in zip(node.input, schema.inputs, strict=False)
        if is_element_word(types.get(name, ""))
    }
    for name, parameter in zip(node.output, schema.outputs, strict=False):
        words = words_of(schema, parameter)
        if not name:  # it would give its type to inputs that other nodes leave out
            continue
        if parameter.type in bound:
            yield name, bound[parameter.type]
        elif len(words) == 1:
            yield name, words[0]


class _Writer:
    """Writes the nodes that stand for one node."""

    def __init__(self, model: ModelProto, types: Mapping[str, str], opset: int) -> None:
        self.absent: list[TensorProto] = []
        """Initializers that stand for inputs that are left out."""
        self._types = types
        self._opset = opset
        graph = model.graph
        self._taken = {
            *(entry.name for entry in (*graph.input, *graph.output, *graph.initializer)),
            *(name for node in graph.node for name in (*node.input, *node.output)),
        }

    def node(self, node: NodeProto, location: str, operator: Operator) -> Iterator[NodeProto]:
        """The nodes in the place of one.

        Raises:
            ModelError: it has too many inputs or outputs, or too few; a type is not known or cannot
                be handed over; or an attribute.
            OpError: a type or an attribute is not legal.
        """
        schema = operator.schema
        attributes, count = resolved_call(node, location, operator)
        for attribute in node.attribute:
            if attribute.type not in _TEXTUAL:
                kind = AttributeProto.AttributeType.Name(attribute.type)
                raise ModelError(
                    f"{location}: attribute '{attribute.name}' is of kind {kind}, which cannot be "
                    "handed over"
                )
        optional = [parameter.option == "optional" for parameter in schema.outputs]
        outputs = len(optional) if count is None else count
        fits = outputs <= len(optional) and all(optional[outputs:])
        if len(node.input) > len(schema.inputs) or not fits:
            raise ModelError(
                f"{location}: {schema.label} takes {len(schema.inputs)} inputs and gives "
                f"{len(schema.outputs)} outputs, got {len(node.input)} and {outputs}"
            )
        words = self._input_words(node, location, operator)
        names: list[str] = []
        for position, word in enumerate(words):
            if word is None:
                names.append(self._left_out(operator, position, words))
            elif CARRIERS[word] == word:
                names.append(node.input[position])
            else:
                names.append(self._fresh(f"{node.input[position]}_as_{CARRIERS[word]}"))
                yield _cast(node.input[position], names[-1], CARRIERS[word])
        written = [*node.output[:outputs], *[""] * (len(optional) - outputs)]
        labels = [n or parameter.name for n, parameter in zip(written, schema.outputs, strict=True)]
        results = [self._fresh(f"{label}_raw") for label in labels]
        shapes = [self._fresh(f"{label}_shape") for label in labels]
        yield helper.make_node(
            name_of(schema),
            names,
            [*results, *shapes],
            name=node.name,
            domain=DOMAIN,
            call=Call(location, tuple(words), attributes, outputs).text(),
        )
        known = dict(self._types) | dict(_output_types(node, operator, self._types))
        for name, result, shape in zip(written, results, shapes, strict=True):
            if not name:
                continue
            word = known[name]
            travels = name if CARRIERS[word] == word else self._fresh(f"{name}_as_{CARRIERS[word]}")
            refusal = f"opmill refuses the inputs of {location}"
            if name != node.output[0]:
                refusal += f", for {name}"  # the names of nodes differ
            yield helper.make_node("Reshape", [result, shape], [travels], name=refusal)
            if travels != name:
                yield _cast(travels, name, word)

    def _input_words(self, node: NodeProto, location: str, operator: Operator) -> list[str | None]:
        """The element type of each input, ``None`` for one that is left out."""
        schema = operator.schema
        names = [*node.input, *[""] * (len(schema.inputs) - len(node.input))]
        words: list[str | None] = []
        for name, parameter in zip(names, schema.inputs, strict=True):
            if not name:
                if parameter.option == "single":
                    raise ModelError(f"{location}: {schema.label} needs the input {parameter.name}")
                words.append(None)
                continue
            word = self._types.get(name)
            if word is None:
                raise ModelError(
                    f"{location}: the type of {shown(name)} is not known; declare it in value_info"
                )
            if not is_element_word(word):
                raise ModelError(
                    f"{location}: {shown(name)} is of kind {word}; opmill can be handed tensors "
                    "alone"
                )
            allowed = words_of(schema, parameter)
            if word not in allowed:
                reason = messages.WRONG_TYPE.format(parameter.name, word, one_of(allowed))
                error = TypeConstraintError(schema.label, reason)
                locate(error, location, schema)
                raise error
            if word not in CARRIERS:
                raise ModelError(f"{location}: {word} cannot be handed over by onnxruntime")
            if word == "bfloat16" and self._opset < _FIRST_BFLOAT16:
                raise ModelError(
                    f"{location}: bfloat16 needs a model of opset {_FIRST_BFLOAT16} or newer, for "
                    "Cast"
                )
            words.append(word)
        return words

    def _left_out(self, operator: Operator, position: int, words: list[str | None]) -> str:
        """An empty tensor in the place of an input, of the type that its variable is bound to."""
        parameters = operator.schema.inputs
        variable = parameters[position].type
        bound = next(
            (
                word
                for word, parameter in zip(words, parameters, strict=True)
                if word is not None and parameter.type == variable
            ),
            next(w for w in words_of(operator.schema, parameters[position]) if w in CARRIERS),
        )
        name = self._fresh(f"absent_{parameters[position].name}")
        code = TensorProto.DataType.Value(CARRIERS[bound].upper())
        self.absent.append(TensorProto(name=name, data_type=code, dims=[0]))
        return name

    def _fresh(self, name: str) -> str:
        """A name that nothing has yet."""
        for number in range(len(self._taken) + 1):
            fresh = f"opmill/{name}/{number}" if number else f"opmill/{name}"
            if fresh not in self._taken:
                break
        self._taken.add(fresh)
        return fresh


_TEXTUAL = frozenset(map(AttributeProto.AttributeType.Value, TEXTUAL_KINDS))


def _cast(source: str, target: str, word: str) -> NodeProto:
    return helper.make_node("Cast", [source], [target], to=TensorProto.DataType.Value(word.upper()))
