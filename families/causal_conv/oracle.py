"""A causal convolution, element by element: each sum is exact and rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, weight, bias, past = (inputs.get(name) for name in ("input", "weight", "bias", "past_state"))
    assert x is not None
    assert weight is not None
    batch, channels, length = x.shape
    size = weight.shape[2]
    state = size - 1
    activates = attributes.get("activation", "none") != "none"
    output: list[float] = []
    last: list[float] = []
    for b in range(batch):
        for c in range(channels):
            line = b * channels + c
            before = past.items[line * state : (line + 1) * state] if past else (0.0,) * state
            whole = (*before, *x.items[line * length : (line + 1) * length])
            kernel = weight.items[c * size : (c + 1) * size]
            for t in range(length):
                total = total_of(zip(kernel, whole[t : t + size], strict=True))
                if bias is not None:
                    total = plus(total, bias.items[c])
                output.append(rounded(silu(total) if activates else total, x.type))
            last += whole[len(whole) - state :]
    return {
        "output": Value(x.type, x.shape, tuple(output)),
        "present_state": Value(x.type, (batch, channels, state), tuple(last)),
    }


def silu(total: float | Fraction) -> float:
    number = float(total)
    if number < 0:
        power = math.exp(number)
        return number * power / (1 + power)
    return number / (1 + math.exp(-number))
