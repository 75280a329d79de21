"""Reference of softmax and its variants, one line after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def softmax(line: Sequence[float]) -> list[float]:
    largest = max(line)
    if not all(number == number for number in line) or math.isinf(largest):
        return [math.nan] * len(line)
    powers = [math.exp(number - largest) for number in line]
    return [power / math.fsum(powers) for power in powers]


def log_softmax(line: Sequence[float]) -> list[float]:
    largest = max(line)
    if not all(number == number for number in line) or math.isinf(largest):
        return [math.nan] * len(line)
    logarithm = math.log(math.fsum(math.exp(number - largest) for number in line))
    return [number - largest - logarithm for number in line]


def hardmax(line: Sequence[float]) -> list[float]:
    strange = [position for position, number in enumerate(line) if number != number]
    chosen = strange[0] if strange else line.index(max(line))
    return [float(position == chosen) for position in range(len(line))]


FUNCTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "hardmax": hardmax,
    "log_softmax": log_softmax,
    "softmax": softmax,
}
"""Of the elements of a line, of which there is at least one."""


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    function: str,
    lines: str,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    data = inputs["input"]
    axis = {**defaults, **attributes}["axis"] % len(data.shape)
    step = math.prod(data.shape[axis + 1 :]) if lines == "one_axis" else 1
    length = math.prod(data.shape[axis:]) // max(step, 1)
    items = [0.0] * len(data.items)
    for first in range(len(items)):
        if first // step % length == 0:  # it begins a line
            positions = range(first, first + length * step, step)
            line = FUNCTIONS[function]([data.items[position] for position in positions])
            for position, number in zip(positions, line, strict=True):
                items[position] = rounded(number, data.type)
    return {"output": Value(data.type, data.shape, tuple(items))}
