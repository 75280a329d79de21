"""Shared parts of random calls of linear models, support vector machines and tree ensembles.

Features are multiples of 1/8, of which no sum of products is rounded, so that no label depends on
the order of a sum.
"""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Contents, Draw, choice, happens, integer
from opmill_checks.estimators import WORDS

FEATURE_TYPES = ("float", "double", "int64", "int32")


def rows(draw: Draw, width: int, type: str, flat: bool = True) -> Contents:
    """A few rows of features, or, where `flat`, also features alone."""
    count = choice(draw, (1, 3, 2, 0, 7))
    items = tuple(feature(draw, type) for _ in range(count * width))
    if flat and count == 1 and happens(draw, 50):
        return Contents((width,), items)
    return Contents((count, width), items)


def feature(draw: Draw, type: str) -> Any:
    """A small number of a type."""
    number = integer(draw, -40, 40)
    return number if type.startswith("int") else number / 8


def weights(draw: Draw, count: int) -> list[float]:
    """Multiples of 1/8."""
    return [integer(draw, -16, 16) / 8 for _ in range(count)]


def transform(draw: Draw) -> dict[str, Any]:
    """The attribute post_transform, or none."""
    return {"post_transform": choice(draw, WORDS)} if happens(draw, 60) else {}


def label_list(draw: Draw, count: int, name: str = "classlabels_ints") -> dict[str, Any]:
    """Integers or texts as labels."""
    numbers = [integer(draw, -5, 5) for _ in range(count)]
    if happens(draw, 50):
        return {"classlabels_strings": [f"label {number}" for number in numbers]}
    return {name: numbers}


def label_type(attributes: dict[str, Any]) -> str:
    """The type of the labels."""
    return "tensor(string)" if "classlabels_strings" in attributes else "tensor(int64)"


def kernel_attributes(draw: Draw) -> dict[str, Any]:
    """A kernel of a support vector machine, with parameters that let no result overflow."""
    kind = choice(draw, ("LINEAR", "RBF", "POLY", "SIGMOID"))
    params = [choice(draw, (0.25, 0.5, 0.125)), choice(draw, (0.0, 1.0)), choice(draw, (2.0, 3.0))]
    if kind == "LINEAR" and happens(draw, 50):
        return {}
    return {"kernel_type": kind, "kernel_params": params}
