"""Nodes that another runtime computes, where this package lacks the operator version."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, defs, helper

from opmill._model.errors import Missing, ModelError, plain
from opmill._model.graph import Graph
from opmill._needed import needed
from opmill._onnx.catalog import MAIN_DOMAIN
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
    """Computes a node in a model of its own.

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
        """What computes the node for inputs of these types."""
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
        ort = onnxruntime()
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        return ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

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
        graph = helper.make_graph([self._node], "node", inputs, outputs)
        ir = helper.find_min_ir_version_for(self._opsets, ignore_unknown=True)
        return helper.make_model(graph, opset_imports=self._opsets, ir_version=max(ir, 8))


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
