"""Gelu, Swish, HardSwish and Mish, where a model has them in pieces."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opmill._model.graph import Node
from opmill._rewrite.pattern import Match
from opmill._rewrite.rule import RefusedError, Rule, call, check_scalars, check_type
from opmill._rewrite.view import View, newest


def _activation(
    name: str, attributes: Mapping[str, Any] | None = None
) -> Callable[[Match, View], Sequence[Node]]:
    """A call of an operator of one input, ``x`` of the pattern."""

    def build(match: Match, view: View) -> Sequence[Node]:
        x = match.numbers["x"]
        check_type(view, newest(name), x)
        check_scalars(match, view, x)
        return [call(match, name, [x], attributes)]

    return build


def _erf(argument: str) -> tuple[str, ...]:
    """The orders of the factors of ``x * (1 + erf(argument)) / 2``."""
    return (
        f"Mul(Mul(x, Add(Erf({argument}), 1)), 0.5)",
        f"Mul(x, Mul(Add(Erf({argument}), 1), 0.5))",
        f"Mul(Mul(x, 0.5), Add(Erf({argument}), 1))",
    )


_CUBE = ("Pow(x, 3)", "Mul(x, Mul(x, x))", "Mul(Mul(x, x), x)")

_TANH_ARGUMENTS = tuple(
    f"Mul(Add(x, Mul({cube}, 0.044715)), {math.sqrt(2 / math.pi)!r})" for cube in _CUBE
)


def _tanh(argument: str) -> tuple[str, ...]:
    """The orders of the factors of ``x * (1 + tanh(argument)) / 2``."""
    return (
        f"Mul(Mul(x, Add(Tanh({argument}), 1)), 0.5)",
        f"Mul(x, Mul(Add(Tanh({argument}), 1), 0.5))",
        f"Mul(Mul(x, 0.5), Add(Tanh({argument}), 1))",
    )


def _hard_swish(match: Match, view: View) -> Sequence[Node]:
    """HardSwish, whose HardSigmoid has the slope 1/6 and the offset 1/2."""
    attributes = match.node("HardSigmoid").attributes
    slope, offset = attributes.get("alpha", 0.2), attributes.get("beta", 0.5)
    if not math.isclose(slope, 1 / 6, rel_tol=1e-6) or offset != 0.5:
        raise RefusedError("HardSigmoid has another slope than 1/6")
    return _activation("HardSwish")(match, view)


RULES = (
    Rule(
        "Gelu",
        (*_erf(f"Div(x, {math.sqrt(2)!r})"), *_erf(f"Mul(x, {math.sqrt(0.5)!r})")),
        _activation("Gelu"),
    ),
    Rule(
        "Gelu",
        tuple(text for argument in _TANH_ARGUMENTS for text in _tanh(argument)),
        _activation("Gelu", {"approximate": "tanh"}),
    ),
    Rule("Swish", ("Mul(x, Sigmoid(x))",), _activation("Swish")),
    Rule("HardSwish", ("Mul(x, HardSigmoid(x))",), _hard_swish),
    Rule("Mish", ("Mul(x, Tanh(Softplus(x)))",), _activation("Mish")),
)
