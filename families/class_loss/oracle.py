"""Losses of classifications, one sample after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def logarithms(scores: Sequence[float]) -> list[float]:
    """The logarithm of each share of a sample."""
    largest = max(scores)
    if not all(score == score for score in scores) or math.isinf(largest):
        return [math.nan] * len(scores)
    logarithm = math.log(math.fsum(math.exp(score - largest) for score in scores))
    return [score - largest - logarithm for score in scores]


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    from_scores: bool,
) -> dict[str, Value]:
    data = inputs["scores" if from_scores else "input"]
    target = inputs["labels" if from_scores else "target"]
    weight = inputs.get("weights" if from_scores else "weight")
    classes = data.shape[1]
    inner = math.prod(data.shape[2:])
    ignored = attributes.get("ignore_index")
    for position, chosen in enumerate(target.items):
        if not 0 <= chosen < classes and chosen != ignored:
            expected = f"0 to {classes - 1}" if classes else "no class (axis 1 is empty)"
            also = "" if ignored is None else f" or {ignored} (ignore_index)"
            raise RefusedContents(position, f" is {chosen}, expected {expected}{also}")
    items = list(data.items)
    if from_scores and items:
        for first in range(len(items)):
            if first // inner % classes == 0:
                positions = range(first, first + classes * inner, inner)
                for position, number in zip(
                    positions, logarithms([items[position] for position in positions]), strict=True
                ):
                    items[position] = number
    losses = []
    total, applied = 0.0, 0.0
    for sample, chosen in enumerate(target.items):
        value = 0.0
        if chosen != ignored:
            position = (sample // inner * classes + chosen) * inner + sample % inner
            factor = 1.0 if weight is None else weight.items[chosen]
            value = -items[position] * factor
            applied += factor
        total += value
        losses.append(rounded(value, data.type))
    reduction = attributes.get("reduction", "mean")
    if reduction == "mean":
        if applied != 0:
            total = total / applied
        else:
            total = math.nan if total == 0 or total != total else math.copysign(math.inf, total)
    loss = Value(data.type, target.shape, tuple(losses))
    if reduction != "none":
        loss = Value(data.type, (), (rounded(total, data.type),))
    if not from_scores:
        return {"loss": loss}
    shares = Value(data.type, data.shape, tuple(rounded(item, data.type) for item in items))
    return {"output": loss, "log_prob": shares}
