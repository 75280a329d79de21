"""The softmax of exact scores, for oracles of attention with masks that are added."""

from __future__ import annotations

import math
from typing import Any


def shares(scores: list[Any], added: list[Any]) -> list[float]:
    """Return the shares of 1; 0 where minus infinity is added to all scores.

    The largest score is subtracted exactly, so that a large number in all of them has no effect.

    Args:
        scores: with what is added to them.
        added: what is added to each product of a query and a key.
    """
    if all(one == -math.inf for one in added):
        return [0.0] * len(scores)
    largest = max(scores)
    if any(math.isnan(score) for score in scores) or math.isinf(largest):
        return [math.nan] * len(scores)
    powers = [
        0.0 if score == -math.inf else math.exp(max(float(score - largest), -800.0))
        for score in scores
    ]
    whole = math.fsum(powers)
    return [power / whole for power in powers]
