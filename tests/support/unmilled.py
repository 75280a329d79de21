"""Operators that ai.onnx has published and that have no spec here, for tests of what is said then.

They are taken from the index, so that no test names one: whoever adds an operator breaks no test.
"""

from __future__ import annotations

from typing import NamedTuple

from onnx import defs

import opmill
from opmill._index import PUBLISHED


class Unmilled(NamedTuple):
    """An operator without a spec: ONNX's name, what an opset module calls it, its versions."""

    operator: str
    name: str
    versions: tuple[int, ...]

    def at(self, opset: int) -> int:
        """The version in force."""
        return max(version for version in self.versions if version <= opset)


def unmilled(count: int, opset: int = 13) -> list[Unmilled]:
    """So many operators that take one tensor of floats, all in force at the opset."""
    milled = {name for domain, name, _ in opmill.operators() if domain == "ai.onnx"}
    found = [
        Unmilled(published.operator, name, published.versions)
        for name, published in sorted(PUBLISHED.items())
        if published.operator not in milled
        and not published.deprecated
        and min(published.versions) <= opset
        and _takes_floats(published.operator, opset)
    ]
    assert len(found) >= count, "too few operators without a spec are left for this test"
    return found[:count]


def _takes_floats(operator: str, opset: int) -> bool:
    """Whether ``y = operator(x)`` is a legal node where x is a tensor of floats."""
    schema = defs.get_schema(operator, opset)
    variables = {one.type_param_str: one.allowed_type_strs for one in schema.type_constraints}
    takes_one = schema.min_input <= 1 <= schema.max_input and len(schema.outputs) == 1
    return (
        takes_one
        and not any(attribute.required for attribute in schema.attributes.values())
        and "tensor(float)" in variables.get(schema.inputs[0].type_str, [schema.inputs[0].type_str])
    )
