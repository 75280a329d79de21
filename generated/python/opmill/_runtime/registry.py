"""Finds operator versions by their names, for tools that run nodes rather than call functions."""

from __future__ import annotations

import importlib

from opmill._runtime.operator import Operator
from opmill._runtime.versions import HOME, MODULES


def operators() -> tuple[tuple[str, str, int], ...]:
    """Every operator version there is, as (domain, operator, since_version), sorted."""
    return tuple(sorted(MODULES))


def operator(name: str, since_version: int, domain: str = HOME) -> Operator:
    """One operator version, to be called with lists of inputs and attributes by name.

    Args:
        name: ONNX's name of the operator, as ``Tile``.
        since_version: the version, as 13; not the opset of a model.
        domain: the domain; ``""`` stands for ai.onnx, as in a model.

    Raises:
        LookupError: there is no such operator version.
    """
    module = MODULES.get((domain or "ai.onnx", name, since_version))
    if module is None:
        known = [v for d, n, v in operators() if (d, n) == (domain or "ai.onnx", name)]
        reason = f"there are {known}" if known else f"'{name}' is not among its milled operators"
        raise LookupError(f"no {name}-{since_version} in {domain or 'ai.onnx'}; {reason}")
    found: Operator = importlib.import_module(module).OPERATOR
    return found
