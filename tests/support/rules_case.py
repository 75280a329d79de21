"""A construct of the rule language, with calls and what comes out, worked out by hand.

A case is the body of a rule. A call gives what differs from the usual arguments, and either the
value of the plan's ``r`` or the text of the error.
"""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

from rules_executors import HEADER
from rules_reference import Outcome, exact
from rules_values import Given

SIGNATURE = (
    "X: Tensor, B: Tensor | None, v: Tensor, f: Tensor, xs: Tensors, *, "
    "a: int, b: int, g: float, s: str, p: Ints | None, q: Ints, "
    "fs: Floats | None, ss: Strs | None"
)
INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)
INPUTS: dict[str, Any] = {
    "X": Given("X", "float16", (2, 3, 4)),
    "B": None,
    "v": Given("v", "int64", (3,), (5, -6, 7)),
    "f": Given("f", "float", (2,), (1.5, 2.0)),
    "xs": [Given("xs", "float", (1,)), Given("xs", "int8", (2, 2))],
}
ATTRIBUTES: dict[str, Any] = {"a": 0, "b": 0, "g": 0.0, "s": "A", "p": None, "q": (1, 2, 3)}
ATTRIBUTES |= {"fs": None, "ss": None}

OVERFLOW = "ShapeError: Op-1: output size overflows, expected at most 2^63-1"


class Case(NamedTuple):
    """A rule and calls of it; a result that is a text starting with an error's name is an error."""

    source: str
    calls: list[tuple[dict[str, Any], Any]]
    constants: dict[str, Any]

    def arguments(self, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        inputs = [given.get(name, value) for name, value in INPUTS.items()]
        return inputs, {name: given.get(name, value) for name, value in ATTRIBUTES.items()}

    @staticmethod
    def outcome(result: Any) -> Outcome:
        if isinstance(result, str) and "Error" in result.partition(": ")[0]:
            error, _, message = result.partition(": ")
            return Outcome(None, None, error, message or None)
        return Outcome({"Y": [()]}, exact({"r": result}))


def case(
    body: str, *calls: tuple[dict[str, Any], Any], helpers: str = "", **constants: Any
) -> Case:
    """A rule whose body leaves its result in the plan as ``r``."""
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    source = f"{HEADER}\n{textwrap.dedent(helpers)}\ndef rules({SIGNATURE}) -> None:\n{lines}\n"
    return Case(source + "    output(Y=[])\n", list(calls), constants)


def tensor(*shape: int, name: str = "X") -> Given:
    return Given(name, "float", shape)
