"""The NumPy kernel of FeatureVectorizer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: list[NDArray[Any]], Y: NDArray[Any], *, inputdimensions: NDArray[Any] | None
) -> None:
    """Write the rows of each input beside those of the one before, in their widths."""
    own = [given.shape[-1] for given in X]
    widths = own if inputdimensions is None else inputdimensions.tolist()
    begin = 0
    with np.errstate(over="ignore"):
        for given, width in zip(X, widths, strict=True):
            rows = given.reshape(Y.shape[0], given.shape[-1])[:, :width]
            filled = begin + rows.shape[1]
            Y[:, begin:filled] = rows
            begin += width
            Y[:, filled:begin] = 0
