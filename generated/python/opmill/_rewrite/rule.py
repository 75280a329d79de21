"""Interface of rewrite rules, and helpers that rules share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opmill._model.graph import Node
from opmill._rewrite.pattern import Match
from opmill._rewrite.view import View, newest
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array


class RefusedError(Exception):
    """A condition of a rule does not hold; the text says which."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite.

    Args:
        name: what the matched nodes become, as users read it.
        patterns: the expressions that it matches; see ``pattern``.
        build: the nodes that replace a match, the last of which computes the result.
    """

    name: str
    patterns: tuple[str, ...]
    build: Callable[[Match, View], Sequence[Node]]


def call(
    match: Match,
    operator: str | Operator,
    inputs: Sequence[int],
    attributes: Mapping[str, Any] | None = None,
    output: int | None = None,
) -> Node:
    """A call of an operator version, or of the newest one of a name.

    It computes a value of a given number, or else the result of a match.
    """
    return Node(
        match.end.location,
        newest(operator) if isinstance(operator, str) else operator,
        tuple(inputs),
        dict(attributes or {}),
        match.end.outputs[:1] if output is None else (output,),
        None,
    )


def check_type(view: View, operator: Operator, number: int) -> None:
    """Require that the operator's first input allows the type of a value.

    Raises:
        RefusedError: the type is not known, or not allowed.
    """
    element = view.element(number)
    if element is None:
        raise RefusedError("the type of its input is not known")
    schema = operator.schema
    if f"tensor({element})" not in schema.type_constraints[schema.inputs[0].type]:
        raise RefusedError(f"{schema.label} does not allow {element}")


def check_scalars(match: Match, view: View, number: int) -> None:
    """Require that no constant of one element has a larger rank than a value: it would add axes.

    Raises:
        RefusedError: it has.
    """
    ranks = [value.ndim for one in match.scalars if (value := view.constant(one)) is not None]
    if not any(ranks):
        return
    type_ = view.type(number)
    if type_ is None or max(ranks) > len(type_.shape):
        raise RefusedError("a constant may have a larger rank than its input")


def scalar(view: View, number: int, what: str) -> float:
    """The value of a constant of one element and rank 0 or 1.

    Raises:
        RefusedError: it is no such constant.
    """
    value = view.constant(number)
    if value is None or value.size != 1 or value.ndim > 1:
        raise RefusedError(f"{what} is not a constant number")
    return float(value.reshape(())[()])


def floats(view: View, number: int, what: str) -> Array:
    """A constant of float or double.

    Raises:
        RefusedError: it is no such constant.
    """
    value = view.constant(number)
    if value is None:
        raise RefusedError(f"{what} is not constant")
    if value.dtype not in (np.float32, np.float64):
        raise RefusedError(f"{what} has type {value.dtype}, expected float32 or float64")
    return value
