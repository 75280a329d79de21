"""Means of quantised maps, one after the other; what follows a sum is rounded to float."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.quantized import limited, over, times
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    zero = inputs["x_zero_point"].items[0]
    scales = [inputs[name].items[0] for name in ("x_scale", "y_scale")]
    first = 1 if attributes.get("channels_last", 0) else 2
    map_dims = x.shape[first : first + len(x.shape) - 2]
    count = math.prod(map_dims)
    shape = (*x.shape[:first], *(1 for _ in map_dims), *x.shape[first + len(map_dims) :])
    ratio = over(scales[0], times(scales[1], rounded(count, "float")))
    items = []
    for index in indices(shape):
        total = 0
        for position in indices(map_dims):
            own = (*index[:first], *position, *index[first + len(map_dims) :])
            total += x.items[ravel(own, x.shape)] - zero
        number = times(rounded(total, "float"), ratio)
        items.append(limited(number, inputs["y_zero_point"].items[0], x.type))
    return {"Y": Value(x.type, tuple(shape), tuple(items))}
