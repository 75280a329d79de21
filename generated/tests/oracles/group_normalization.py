"""Groups of channels, one after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.moments import mean, mean_square, quotient, root
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value

TYPES = {1: "float", 10: "float16", 11: "double", 16: "bfloat16"}


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
    output_names: Sequence[str],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    x, scale, bias = inputs.values()
    if not x.items:
        return {output_names[0]: x}
    channels, epsilon = x.shape[1], attribute_value(given["epsilon"])
    groups = given.get("num_groups", channels)
    size = channels // groups * math.prod(x.shape[2:])
    stash = TYPES.get(given.get("stash_type", 0), x.type)
    items = []
    for first in range(0, len(x.items), size):
        line = [rounded(item, stash) for item in x.items[first : first + size]]
        center = mean(line)
        factor = quotient(1.0, root(mean_square(line, center) + epsilon))
        for position, number in enumerate(line, first):
            channel = position // math.prod(x.shape[2:]) % channels
            at = channel * len(scale.items) // channels
            result = (number - center) * factor * scale.items[at] + bias.items[at]
            items.append(rounded(result, x.type))
    return {output_names[0]: Value(x.type, x.shape, tuple(items))}
