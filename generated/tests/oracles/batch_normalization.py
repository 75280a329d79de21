"""Channels, one after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.moments import mean, mean_square, quotient, root
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
    outputs: int,
    output_names: Sequence[str],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    x, scale, bias, means, variances = inputs.values()
    if "is_test" in given:
        training = given["is_test"] == 0
    else:
        training = given.get("training_mode", 0) == 1 or (
            "training_mode" not in given and outputs > 1
        )
    momentum, epsilon = attribute_value(given["momentum"]), attribute_value(given["epsilon"])
    channels = len(scale.items)
    plane = 1 if given.get("spatial", 1) == 0 else math.prod(x.shape[2:])
    items = [0.0] * len(x.items)
    statistics: list[list[float]] = [[], [], [], []]
    for channel in range(channels):
        positions = [at for at in range(len(items)) if at // plane % channels == channel]
        line = [x.items[position] for position in positions]
        center, variance = means.items[channel], variances.items[channel]
        if training:
            own = mean(line)
            spread = mean_square(line, own)
            statistics[0].append(center * momentum + own * (1 - momentum))
            statistics[1].append(variance * momentum + spread * (1 - momentum))
            statistics[2].append(own)
            statistics[3].append(spread)
            center, variance = own, spread
        factor = quotient(scale.items[channel], root(variance + epsilon))
        for position, number in zip(positions, line, strict=True):
            items[position] = rounded((number - center) * factor + bias.items[channel], x.type)
    results = {output_names[0]: Value(x.type, x.shape, tuple(items))}
    if training:
        for name, numbers in zip(output_names[1:], statistics, strict=False):
            elements = tuple(rounded(number, means.type) for number in numbers)
            results[name] = Value(means.type, means.shape, elements)
    return results
