"""What is wrong with a model, or with what it is run on. An operator's own refusal is ``OpError``.

All of them are ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opmill._runtime.errors import Error
from opmill._runtime.public import public_in
from opmill._runtime.schema import Schema

_SHOWN = 10


@public_in("onnx_backend")
class ModelError(Error, ValueError):
    """A model that is not valid, or that holds what is not supported; the text says which."""


@public_in("onnx_backend")
class Missing(NamedTuple):
    """A node whose operator version there is no kernel of.

    Args:
        node: where the node is, as ``node 2 'relu'``.
        operator: ONNX's name, as ``Relu``.
        domain: the domain, ``ai.onnx`` for ONNX's own.
        version: the version of the operator that the model's opset uses, as 14.
        opset: the version of the domain that the model imports.
    """

    node: str
    operator: str
    domain: str
    version: int
    opset: int

    def __str__(self) -> str:
        return (
            f"{self.node} needs {self.operator}-{self.version} of {self.domain} "
            f"(opset {self.opset})"
        )


@public_in("onnx_backend")
class NotMilledError(ModelError):
    """A model that uses operator versions that are published but not milled yet.

    ``missing`` lists all of them, in the order of the nodes.
    """

    def __init__(self, missing: Sequence[Missing]) -> None:
        self.missing = tuple(missing)
        shown = "; ".join(map(str, self.missing[:_SHOWN]))
        more = len(self.missing) - _SHOWN
        rest = f"; and {more} more" if more > 0 else ""
        super().__init__(f"{shown}{rest}: not milled yet; opmill.operators() lists what is")


@public_in("onnx_backend")
class FeedError(Error, ValueError):
    """Values that a model is run on that are not what its inputs want."""


def locate(error: Error, node: str, schema: Schema) -> None:
    """Make an operator's error say which node it is of, as it says the operator and the version.

    Args:
        error: the error, before it is raised again.
        node: where the node is, as ``node 2 'relu'``.
        schema: the operator version.
    """
    error.place = f"{node} of {schema.domain}"
