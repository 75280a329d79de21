"""Positions of keys in a list: of equal keys the last one."""

from __future__ import annotations

import numpy as np

from opmill._runtime.kernels.texts import texts_of
from opmill._runtime.types import Array


def positions_of(x: Array, keys: Array, name: str) -> Array:
    """The position of each element in a list of keys; -1 where it is not there.

    Floats are equal as numbers are, so that 0 equals -0; each NaN equals every NaN.

    Args:
        x: numbers of the keys' type, or strings.
        keys: a list of at least 1 key.
        name: what messages call ``x``.
    """
    if x.dtype.kind in "OSTU":
        table = {key: k for k, key in enumerate(texts_of(keys, name).tolist())}
        found = [table.get(text, -1) for text in texts_of(x, name).reshape(-1).tolist()]
        return np.array(found, np.intp).reshape(x.shape)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    at = np.searchsorted(ordered, x, side="right") - 1  # NaNs are last, and equal each other
    near = ordered[at]
    equal = (near == x) | ((near != near) & (x != x))
    return np.where(equal, order[at], -1)
