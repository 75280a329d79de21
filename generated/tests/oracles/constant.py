"""Reference of Constant: the elements of the attribute that a call has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from opmill_checks.value import Sparse, Value

TYPES = {"float": "float", "int": "int64", "string": "string"}


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    ((name, given),) = attributes.items()
    if isinstance(given, Sparse):
        return {"output": given.dense()}
    if isinstance(given, Value):
        return {"output": given}
    type = TYPES[name.removeprefix("value_").removesuffix("s")]
    several = isinstance(given, (list, tuple))
    items = tuple(given) if several else (given,)
    if type == "float":
        items = tuple(float(np.float32(item)) for item in items)
    return {"output": Value(type, (len(items),) if several else (), items)}
