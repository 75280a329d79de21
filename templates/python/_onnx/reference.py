"""Operators as classes of onnx.reference; public as opmill.onnx_reference."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from onnx import NodeProto
from onnx.reference.op_run import OpRun

from opmill._model.errors import Missing, NotMilledError, locate, shown
from opmill._onnx.catalog import MAIN_DOMAIN, resolve
from opmill._onnx.nodes import count_of, resolved_call
from opmill._runtime import registry
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.public import public_in
from opmill._runtime.types import Array

# The evaluator fills in defaults from a schema of onnx's newest version. The operator has its own.
_NO_DEFAULTS = SimpleNamespace(attributes={})


@public_in("onnx_reference")
def operators() -> list[type[OpRun]]:
    """Return a class for each operator, for the argument ``new_ops`` of ``ReferenceEvaluator``.

    Creating an evaluator raises ``NotMilledError`` if a node's version is not supported, and
    ``OpError`` if its attributes are not legal. Running it raises ``OpError`` if an operator
    refuses its inputs, and ``BackendError`` if the chosen backend lacks an operator.

    A sequence is a list of arrays. The evaluator accepts ``None`` as a result from no operator, so
    a result that is an optional without contents ends its run. It does not pass ``new_ops`` on to
    the model's own functions.
    """
    return list(_classes())


@cache
def _classes() -> tuple[type[OpRun], ...]:
    names = dict.fromkeys((domain, name) for domain, name, _ in registry.operators())
    return tuple(_class(domain, name) for domain, name in names)


def _class(domain: str, name: str) -> type[OpRun]:
    about = f"{name} of {domain}, at the version that the opset asks for."
    short = "" if domain == MAIN_DOMAIN else domain
    return type(name, (_Milled,), {"__doc__": about, "op_domain": short, "__module__": __name__})


class _Milled(OpRun):
    """A node that an operator of this package computes."""

    def __init__(self, onnx_node: NodeProto, run_params: dict[str, Any]) -> None:
        super().__init__(onnx_node, run_params, _NO_DEFAULTS)
        self._place = f"node {shown(onnx_node.name or onnx_node.op_type)}"
        opset = run_params["opsets"][onnx_node.domain]
        found = resolve(self._place, onnx_node.op_type, onnx_node.domain or MAIN_DOMAIN, opset)
        if isinstance(found, Missing):
            raise NotMilledError([found])
        self._operator = found
        self._count = count_of(onnx_node, found)
        if not self.has_linked_attribute:
            resolved_call(onnx_node, self._place, found)

    def _run(self, *args: Any, **kwargs: Any) -> tuple[Array, ...]:
        try:
            return self._operator(args, kwargs, outputs=self._count)
        except (OpError, BackendError) as error:
            locate(error, self._place, self._operator.schema)
            raise
