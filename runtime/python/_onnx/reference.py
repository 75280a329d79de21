"""Operators as classes of onnx.reference; public as opmill.onnx_reference."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

from onnx import NodeProto
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from opmill._model.bodies import tensor_type_of
from opmill._model.errors import Missing, lacking_error, locate, shown
from opmill._onnx.catalog import MAIN_DOMAIN, resolve
from opmill._onnx.declared import declared
from opmill._onnx.nodes import count_of, resolved_call, split_graphs
from opmill._onnx.protos import attributes_of
from opmill._runtime import registry
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill._runtime.public import public_in
from opmill._runtime.types import Array

# The evaluator fills in defaults from a schema of onnx's newest version. The operator has its own.
_NO_DEFAULTS = SimpleNamespace(attributes={})


@public_in("onnx_reference")
def operators() -> list[type[OpRun]]:
    """Return a class for each operator, for the argument ``new_ops`` of ``ReferenceEvaluator``.

    Creating an evaluator raises ``UnsupportedOperatorError`` if a node's version is not supported,
    and ``OpError`` if its attributes are not legal. Running it raises ``OpError`` if an operator
    refuses its inputs.

    A sequence is a list of arrays. The evaluator accepts ``None`` as a result from no operator, so
    a result that is an optional without contents ends its run. It does not pass ``new_ops`` on to
    the model's own functions.
    """
    return list(_classes())


@cache
def _classes() -> tuple[type[OpRun], ...]:
    newest = {(domain, name): version for domain, name, version in registry.operators()}
    return tuple(
        _class(domain, name, registry.operator(name, version, domain))
        for (domain, name), version in newest.items()
    )


def _class(domain: str, name: str, newest: Operator) -> type[OpRun]:
    about = f"{name} of {domain}, at the version that the opset asks for."
    short = "" if domain == MAIN_DOMAIN else domain
    base = _OperatorWithGraphs if isinstance(newest, GraphOperator) else _Operator
    return type(name, (base,), {"__doc__": about, "op_domain": short, "__module__": __name__})


class _Operator(OpRun):
    """A node that an operator of this package computes."""

    def __init__(self, onnx_node: NodeProto, run_params: dict[str, Any]) -> None:
        super().__init__(onnx_node, run_params, _NO_DEFAULTS)
        self._location = f"node {shown(onnx_node.name or onnx_node.op_type)}"
        opset = run_params["opsets"][onnx_node.domain]
        found = resolve(self._location, onnx_node.op_type, onnx_node.domain or MAIN_DOMAIN, opset)
        if isinstance(found, Missing):
            raise lacking_error([found])
        self._operator = found
        self._count = count_of(onnx_node, found)
        if not self.has_linked_attribute:
            self._check_attributes()

    def _check_attributes(self) -> None:
        resolved_call(self.onnx_node, self._location, self._operator)

    def _run(self, *args: Any, **kwargs: Any) -> tuple[Array, ...]:
        # Under the empty name the evaluator stores outputs that are not used.
        inputs = [x if name else None for name, x in zip(self.input, args, strict=True)]
        try:
            return self._operator(inputs, kwargs, outputs=self._count)
        except (OpError, BackendError) as error:
            locate(error, self._location, self._operator.schema)
            raise


class _OperatorWithGraphs(_Operator):
    """A node whose operator runs graphs, each of them in an evaluator of its own."""

    def need_context(self) -> bool:
        """Return whether the node receives all that is known by now, which its graphs may read."""
        return True

    def _check_attributes(self) -> None:
        schema = self._operator.schema
        rest, graphs = split_graphs(self.onnx_node, self._location, self._operator)
        try:
            values = attributes_of(rest, self._location, schema)
            bind_attributes(
                schema.label, schema.attributes, {**values, **dict.fromkeys(graphs, _Graph)}
            )
        except OpError as error:
            locate(error, self._location, schema)
            raise

    def _run(
        self,
        *args: Any,
        context: Mapping[str, Any],
        attributes: Mapping[str, Any] | None = None,
        bindings: Any = None,
        **kwargs: Any,
    ) -> tuple[Array, ...]:
        graphs = {
            name: _Graph(value, context, attributes, bindings)
            for name, value in kwargs.items()
            if isinstance(value, ReferenceEvaluator)
        }
        return super()._run(*args, **{**kwargs, **graphs})


class _Graph:
    """A graph of a node, as operators take it."""

    def __init__(
        self,
        evaluator: ReferenceEvaluator,
        context: Mapping[str, Any],
        attributes: Mapping[str, Any] | None,
        bindings: Any,
    ) -> None:
        self._evaluator = evaluator
        self._context = context
        # Older releases have no bindings of symbolic dims, and do not take them.
        bound = {} if bindings is None else {"bindings": bindings}
        evaluate: Any = OpRun._evaluate_subgraph
        self._run = partial(evaluate, value=evaluator, attributes=attributes, **bound)
        self.output_types = [
            tensor_type_of(declared(name, type_, "output"))
            for name, type_ in zip(evaluator.output_names, evaluator.output_types, strict=True)
        ]

    def __call__(self, *inputs: Any) -> list[Any]:
        """The outputs of the graph."""
        given = dict(zip(self._evaluator.input_names, inputs, strict=True))
        results: list[Any] = self._run({**self._context, **given})
        return results
