"""The softmax of exact scores, for oracles of attention with masks that are added."""

from __future__ import annotations

import math
from typing import Any


def shares(scores: list[Any]) -> list[float]:
    """Return the shares of 1; 0 where all scores are minus infinity.

    The largest score is subtracted exactly, so that a large number in all of them has no effect.
    """
    if all(score == -math.inf for score in scores):
        return [0.0] * len(scores)
    if any(math.isnan(score) or score == math.inf for score in scores):
        return [math.nan] * len(scores)
    largest = max(scores)
    powers = [
        0.0 if score == -math.inf else math.exp(max(float(score - largest), -800.0))
        for score in scores
    ]
    whole = math.fsum(powers)
    return [power / whole for power in powers]
