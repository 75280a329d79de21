"""Values that must lie in a range."""

from __future__ import annotations

import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import listed
from opmill._runtime.types import Array


def within(values: Array, name: str, lowest: int, highest: int) -> Array:
    """A copy in int64 of values that all lie between both ends.

    Args:
        values: of int64 or int32.
        name: of the input, for messages.
        lowest: the smallest one that is accepted.
        highest: the largest one.

    Raises:
        ContentsError: a value lies outside; the first one is named.
    """
    found = np.array(values, np.int64, order="C")
    outside = (found < lowest) | (found > highest)
    if outside.any():
        index = np.unravel_index(int(np.argmax(outside)), found.shape)
        shown = listed([int(i) for i in index]) if found.ndim else ""
        expected = f"{lowest} to {highest}" if lowest < highest else f"{lowest}"
        raise ContentsError(f"{name}{shown} is {int(found[index])}, expected {expected}")
    return found
