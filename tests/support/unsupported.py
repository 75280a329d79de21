"""Operators of ai.onnx without a spec, for tests of what is said of them then.

Few are left, so that some that have one are taken out for the time of a test.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

import pytest
from onnx import defs

import opmill
from opmill._index import OPSET, PUBLISHED
from opmill._runtime.versions import MODULES


class Unsupported(NamedTuple):
    """An operator without a spec: ONNX's name, what an opset module calls it, its versions."""

    operator: str
    name: str
    versions: tuple[int, ...]

    def at(self, opset: int) -> int:
        """The version in force."""
        return max(version for version in self.versions if version <= opset)


def unsupported(monkeypatch: pytest.MonkeyPatch, count: int, opset: int = 13) -> list[Unsupported]:
    """So many operators that take one tensor of floats, all in force at the opset."""
    found = [
        Unsupported(published.operator, name, published.versions)
        for name, published in sorted(PUBLISHED.items())
        if not published.deprecated
        and min(published.versions) <= opset
        and _takes_floats(published.operator, opset)
    ][:count]
    assert len(found) == count
    for one in found:
        _take_out(monkeypatch, one)
    return found


def _take_out(monkeypatch: pytest.MonkeyPatch, one: Unsupported) -> None:
    """Make the package forget an operator."""
    for version in one.versions:
        monkeypatch.delitem(MODULES, ("ai.onnx", one.operator, version), raising=False)
    for opset in range(1, OPSET + 1):
        module = importlib.import_module(f"{opmill.__name__}.opset{opset}")
        monkeypatch.delitem(module._SUPPORTED, one.name, raising=False)
        monkeypatch.delitem(vars(module), one.name, raising=False)


def _takes_floats(operator: str, opset: int) -> bool:
    """Return whether ``y = operator(x)`` is a legal node where x is a tensor of floats.

    One with a body of other operators is none: a model runs that.
    """
    schema = defs.get_schema(operator, opset)
    variables = {one.type_param_str: one.allowed_type_strs for one in schema.type_constraints}
    takes_one = schema.min_input <= 1 <= schema.max_input and len(schema.outputs) == 1
    return (
        takes_one
        and not (schema.has_function or schema.has_context_dependent_function)
        and not any(attribute.required for attribute in schema.attributes.values())
        and "tensor(float)" in variables.get(schema.inputs[0].type_str, [schema.inputs[0].type_str])
    )
