"""Contents of ``conversions.yaml``: how a call moves from a version to its neighbour.

Facts settle most steps: types that were added, attributes that have a default. An entry is written
where they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opmill_gen.yaml_reader.decode import Node, key
from opmill_gen.yaml_reader.tree import Tree

CONVERSIONS = "conversions.yaml"
"""The name of the file."""

STEP = {"pattern": "^(new|[0-9]+)>[0-9]+$"}


@dataclass(frozen=True, kw_only=True)
class Alternative(Node):
    """One way to compute a call at the neighbouring opset."""

    let: Mapping[str, str] | None = key(
        "names of expressions, which the alternative can use",
        default=None,
    )
    when: str | None = key("the condition, a Python expression; absent where always", default=None)
    same: Mapping[str, Tree] | None = key(
        "the attributes of the same operator that change: an expression, or null to drop it",
        default=None,
    )
    nodes: str | None = key("nodes in ONNX's text syntax, at the target's opset", default=None)
    samples: bool = key(
        "whether each element of the output is a copy of an element of the first input, so that a "
        "Gather along each axis computes the call; sizes and other inputs must be constant",
        default=False,
    )
    body: bool = key(
        "whether the function body that ONNX publishes is used; same changes attributes before",
        default=False,
    )
    around: Mapping[str, str] | None = key(
        "element types that are cast around the call, to a type that computes the same",
        default=None,
    )
    impossible: str | None = key("why no node computes it, for users", default=None)
    differs: tuple[str, ...] = key(
        "the examples whose results differ by more than rounding, as why says", default=()
    )
    why: str | None = key("why results may differ, and by how much", default=None)


@dataclass(frozen=True, kw_only=True)
class Step(Node):
    """A version of an operator and the next one."""

    step: str = key("the two versions, as 11>13; new>13 for the first", form=STEP)
    let: Mapping[str, str] | None = key(
        "names of expressions, which all alternatives of the step can use",
        default=None,
    )
    up: tuple[Alternative, ...] = key("from the older to the newer", default=())
    down: tuple[Alternative, ...] = key("from the newer to the older", default=())


@dataclass(frozen=True, kw_only=True)
class ConversionsFile(Node):
    """Moves of calls of an operator between its versions."""

    like: str | None = key("the operator whose file says the same", default=None)
    steps: tuple[Step, ...] = key("the steps that facts do not settle", default=())
