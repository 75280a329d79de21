"""Errors of models and of their inputs. An operator's own refusal is ``OpError``.

All of them are ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from opmill._runtime.errors import Error, cut
from opmill._runtime.public import public
from opmill._runtime.schema import Schema


@public
class ModelError(Error, ValueError):
    """A model is not valid, or contains what is not supported; the message says what and where."""


@public
class Missing(NamedTuple):
    """A node whose operator version is not supported.

    Args:
        node: the node's location in the model, as ``node 2 'relu'``.
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
            f"{self.node} needs {plain(self.operator)}-{self.version} of {plain(self.domain)} "
            f"(opset {self.opset})"
        )


_MAX_REASONS = 8
"""The number of nodes that a message lists."""


class Unpublished(Missing):
    """A node whose operator is not in the opset that the model imports.

    ``reason`` says so, and why.
    """

    reason: str

    @classmethod
    def of(cls, missing: Missing, reason: str) -> Unpublished:
        """The same node, with the reason."""
        found = cls(*missing)
        found.reason = reason
        return found

    def __str__(self) -> str:
        return self.reason


def lacking_error(missing: Sequence[Missing], advice: str = "") -> ModelError:
    """The error of a model that needs nodes which nothing computes.

    ``advice`` ends the message about operators that are not in the model's opset.
    """
    reasons = [one.reason for one in missing if isinstance(one, Unpublished)]
    if not reasons:
        return UnsupportedOperatorError(missing)
    more = len(reasons) - _MAX_REASONS
    listed = "; ".join(reasons[:_MAX_REASONS])
    if more > 0:
        listed += f"; and so on for {more} more nodes"
    return ModelError(listed + advice)


@public
class UnsupportedOperatorError(ModelError):
    """A model needs operator versions that ONNX has published and that are not supported yet.

    ``missing`` is a tuple of ``Missing``: all nodes of such operators, in order.
    """

    def __init__(self, missing: Sequence[Missing]) -> None:
        self.missing = tuple(missing)
        nodes: dict[tuple[str, int, str, int], list[Missing]] = {}
        for one in self.missing:
            nodes.setdefault((one.operator, one.version, one.domain, one.opset), []).append(one)
        needs = "; ".join(map(_needed_by, nodes.values()))
        super().__init__(
            f"{needs}: not supported yet; opmill.operators() lists what is, and opmill.Model with "
            "fallback='onnxruntime' computes the others by onnxruntime"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.missing,), self.__dict__


def _needed_by(nodes: Sequence[Missing]) -> str:
    """The first node that needs an operator version, and how many others do."""
    first, more = nodes[0], len(nodes) - 1
    if not more:
        return str(first)
    others = f"{more} more node" if more == 1 else f"{more} more nodes"
    return str(first).replace(f"{first.node} needs", f"{first.node} and {others} need", 1)


@public
class FeedError(Error, ValueError):
    """A run receives inputs that contradict their declaration, or a request for unknown outputs."""


def plain(name: str) -> str:
    """A name of a model in a message: printable, and not too long."""
    return cut(ascii(name)[1:-1], 60)


def shown(name: str) -> str:
    """The same in quotes."""
    return f"'{plain(name)}'"


def check_text(name: object, what: str) -> None:
    """Refuse a name that is no UTF-8 text, which protobuf gives as bytes.

    Raises:
        ModelError: it is none.
    """
    if not isinstance(name, str):
        raise ModelError(f"{what} is no UTF-8 text")


def locate(error: Error, node: str, schema: Schema) -> None:
    """Make an operator's error say which node it is of, as it says the operator and the version.

    Args:
        error: the error, before it is raised again.
        node: where the node is, as ``node 2 'relu'``.
        schema: the operator version.
    """
    error.location = f"{node} of {schema.domain}"
