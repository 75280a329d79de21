"""Nodes that another runtime computes, where this package lacks the operator version."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, defs, helper

from opmill._model.errors import Missing, ModelError, plain
from opmill._model.graph import Graph, Node, Special
from opmill._needed import needed
from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._onnx.format_versions import min_ir_version
from opmill._onnx.tensors import tensor_of_array
from opmill._runtime.errors import cut
from opmill._runtime.types import element_word, number_of_element

_MAX_SESSIONS = 16
"""The number of combinations of input types for which a node keeps what computes it."""


class Lacking:
    """In place of a node that nothing computes, until it is known whether a result needs it."""

    kernel = ""

    def __init__(self, missing: Missing) -> None:
        self.missing = missing
        self.label = f"{plain(missing.operator)}-{missing.version}"
        self.domain = missing.domain

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """Refuse: the reader lets no such node through."""
        raise ModelError(str(self.missing))

    def subgraphs(self) -> Sequence[Graph]:
        """None."""
        return ()


class Elsewhere(Lacking):
    """Computes a node in a model of its own; see ``Joinable``.

    Args:
        missing: the operator version that is lacking.
        node: the node; its inputs and outputs are renamed.
        opsets: the version of each domain.
        runtime: ``onnxruntime`` or ``reference``.
    """

    def __init__(
        self, missing: Missing, node: NodeProto, opsets: Mapping[str, int], runtime: str
    ) -> None:
        super().__init__(missing)
        self.kernel = runtime
        self._present = [bool(name) for name in node.input]
        self._wanted = [bool(name) for name in node.output]
        self._node = NodeProto()
        self._node.CopyFrom(node)
        self._node.input[:] = [f"x{k}" if name else "" for k, name in enumerate(node.input)]
        # onnxruntime may crash where an output that is not optional has no name.
        self._node.output[:] = [
            "" if not name and _may_be_absent(missing, k) else f"y{k}"
            for k, name in enumerate(node.output)
        ]
        self._imports = dict(opsets)
        self._opsets = [
            helper.make_opsetid("" if domain == MAIN_DOMAIN else domain, version)
            for domain, version in opsets.items()
        ]
        self._sessions: dict[tuple[str | None, ...], Any] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Elsewhere, (self.missing, self._node, self._imports, self.kernel)

    def joins(self, other: object) -> bool:
        """Return whether onnxruntime computes both nodes, of the same opsets and without graphs."""
        return (
            isinstance(other, Elsewhere)
            and self.kernel == other.kernel == "onnxruntime"
            and self._imports == other._imports
            and not (self._runs_graphs or other._runs_graphs)
        )

    def joined(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[int],
        constants: Collection[int],
        outputs: Sequence[int],
    ) -> Special:
        """Return a step that computes the nodes together; see ``Joinable``."""
        return Piece(nodes, inputs, constants, outputs)

    @property
    def _runs_graphs(self) -> bool:
        kinds = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
        return any(attribute.type in kinds for attribute in self._node.attribute)

    def renamed(self, inputs: Sequence[int], outputs: Sequence[int], prefix: str) -> NodeProto:
        """The node with the names of numbered values.

        Args:
            inputs: the number of each input.
            outputs: the number of each output.
            prefix: begins the names of outputs that nobody reads.
        """
        node = NodeProto()
        node.CopyFrom(self._node)
        node.input[:] = [
            _name(number) if name else "" for number, name in zip(inputs, node.input, strict=True)
        ]
        node.output[:] = [
            _name(number) if wanted else name and f"{prefix}{name}"
            for number, name, wanted in zip(outputs, node.output, self._wanted, strict=True)
        ]
        return node

    @property
    def opsets(self) -> Sequence[Any]:
        """The version of each domain, as a model has them."""
        return self._opsets

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The outputs of the node; see ``Special``."""
        fed = {
            f"x{k}": value
            for k, (value, present) in enumerate(zip(inputs, self._present, strict=True))
            if present
        }
        try:
            results = iter(self._session(fed).run(None, fed))
            return [_array(next(results)) if wanted else None for wanted in self._wanted]
        except ModelError:
            raise
        except Exception as error:  # of classes that the runtimes do not name
            reason = cut(" ".join(str(error).split()), 300)
            raise ModelError(f"{self.missing.node}: {self.kernel} says: {reason}") from None

    def _session(self, fed: Mapping[str, Any]) -> Any:
        """Return the session that computes inputs of these types."""
        key = tuple(element_word(getattr(value, "dtype", np.dtype("V1"))) for value in fed.values())
        session = self._sessions.get(key)
        if session is None:
            with self._lock:
                if len(self._sessions) >= _MAX_SESSIONS:
                    self._sessions.clear()
                session = self._sessions[key] = self._opened(dict(zip(fed, key, strict=True)))
        return session

    def _opened(self, types: Mapping[str, str | None]) -> Any:
        model = self._model(types)
        if self.kernel == "reference":
            from onnx.reference import ReferenceEvaluator

            return ReferenceEvaluator(model)
        return _session_of(model)

    def _model(self, types: Mapping[str, str | None]) -> ModelProto:
        """A model of the node alone."""
        if None in types.values():
            raise ModelError(
                f"{self.missing}: a fallback is given tensors alone, and one of its inputs is none"
            )
        inputs = [
            helper.make_tensor_value_info(name, number_of_element(str(word)), None)
            for name, word in types.items()
        ]
        outputs = [
            helper.make_empty_tensor_value_info(name)
            for name, wanted in zip(self._node.output, self._wanted, strict=True)
            if wanted
        ]
        return _model_of([self._node], inputs, outputs, [], self._opsets)


class Piece:
    """Computes nodes together, in one model of onnxruntime; see ``Special``.

    Args:
        nodes: the nodes, in order.
        inputs: the numbers of the values that they receive.
        constants: those of them that become initializers.
        outputs: the numbers of the values that others read.
    """

    kernel = "onnxruntime"

    def __init__(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[int],
        constants: Collection[int],
        outputs: Sequence[int],
    ) -> None:
        self.label = ", ".join(node.label for node in nodes)
        self.domain = nodes[0].domain
        self._nodes = tuple(nodes)
        self._inputs, self._outputs = tuple(inputs), tuple(outputs)
        self._constants = frozenset(constants)
        self._sessions: dict[tuple[Any, ...], tuple[Any, Sequence[Any]]] = {}
        self._lock = threading.Lock()

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The outputs of the nodes; see ``Special``."""
        values = dict(zip(self._inputs, inputs, strict=True))
        fed = {n: value for n, value in values.items() if n not in self._constants}
        fixed = {n: value for n, value in values.items() if n in self._constants}
        words = [element_word(getattr(value, "dtype", np.dtype("V1"))) for value in fed.values()]
        if None not in words:
            session = self._session(dict(zip(fed, map(str, words), strict=True)), fixed)
            try:
                if session is not None:
                    given = {_name(number): value for number, value in fed.items()}
                    return [_array(value) for value in session.run(None, given)]
            except Exception:  # of classes that onnxruntime does not name
                pass
        return self._one_by_one(values)

    def subgraphs(self) -> Sequence[Graph]:
        """None."""
        return ()

    def _one_by_one(self, values: dict[int, Any]) -> Sequence[Any]:
        """The outputs, node by node: raises the error of the node that refuses its inputs."""
        for node in self._nodes:
            assert isinstance(node.operator, Elsewhere)
            given = [values.get(number) for number in node.inputs]
            found = node.operator.results(given, {}, None, node.count)
            values.update(zip(node.outputs, found, strict=True))
        return [values[number] for number in self._outputs]

    def _session(self, types: Mapping[int, str], fixed: Mapping[int, Any]) -> Any:
        """Return the session for inputs of these types and these constants; ``None`` if refused."""
        key = (*types.values(), *map(id, fixed.values()))
        found = self._sessions.get(key)
        if found is None:
            with self._lock:
                if len(self._sessions) >= _MAX_SESSIONS:
                    self._sessions.clear()
                try:
                    session = _session_of(self._model(types, fixed))
                except Exception:  # as above; the nodes raise it again, if they are the reason
                    session = None
                # With the constants, so that no other object gets the id of one.
                found = self._sessions[key] = (session, list(fixed.values()))
        return found[0]

    def _model(self, types: Mapping[int, str], fixed: Mapping[int, Any]) -> ModelProto:
        """A model of the nodes."""
        nodes = []
        for position, node in enumerate(self._nodes):
            assert isinstance(node.operator, Elsewhere)
            nodes.append(node.operator.renamed(node.inputs, node.outputs, f"n{position}"))
        inputs = [
            helper.make_tensor_value_info(_name(number), number_of_element(word), None)
            for number, word in types.items()
        ]
        outputs = [helper.make_empty_tensor_value_info(_name(number)) for number in self._outputs]
        initializers = [tensor_of_array(value, _name(number)) for number, value in fixed.items()]
        assert isinstance(self._nodes[0].operator, Elsewhere)
        return _model_of(nodes, inputs, outputs, initializers, self._nodes[0].operator.opsets)


def _name(number: int) -> str:
    """The name of a value in a model of a fallback."""
    return f"v{number}"


def _model_of(
    nodes: Sequence[NodeProto],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    initializers: Sequence[Any],
    opsets: Sequence[Any],
) -> ModelProto:
    graph = helper.make_graph(nodes, "node", inputs, outputs, initializers)
    ir = min_ir_version(opsets)
    return helper.make_model(graph, opset_imports=opsets, ir_version=max(ir, 8))


def _session_of(model: ModelProto) -> Any:
    """A session of onnxruntime that changes no node."""
    ort = onnxruntime()
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _may_be_absent(missing: Missing, position: int) -> bool:
    """Return whether an output may be absent: by ONNX's schema, or because there is none."""
    domain = "" if missing.domain == MAIN_DOMAIN else missing.domain
    try:
        schema = defs.get_schema(missing.operator, missing.version, domain)
    except defs.SchemaError:
        return True
    if not schema.outputs:
        return True
    option = schema.outputs[min(position, len(schema.outputs) - 1)].option
    if position < len(schema.outputs):
        return bool(option == defs.OpSchema.FormalParameterOption.Optional)
    return bool(option != defs.OpSchema.FormalParameterOption.Variadic)


def onnxruntime() -> Any:
    """The module onnxruntime.

    Raises:
        ImportError: it is not installed, or cannot be loaded.
    """
    return needed("onnxruntime", "fallback='onnxruntime'", "onnxruntime>=1.31,<2")


def _array(value: Any) -> Any:
    """A result, where a runtime gives a scalar for a tensor without axes."""
    return np.asarray(value) if isinstance(value, np.generic) else value
