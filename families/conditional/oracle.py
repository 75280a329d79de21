"""Reference of If: the outputs of one of its graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, list[Any]]:
    (condition,) = inputs["cond"].items
    graph = attributes["then_branch"] if condition else attributes["else_branch"]
    return {"outputs": graph.of_values()}
