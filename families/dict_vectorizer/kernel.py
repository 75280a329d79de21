"""The NumPy kernel of DictVectorizer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.maps import TypedMap
from opmill._runtime.types import dtype_of


def compute(
    X: TypedMap,
    *,
    int64_vocabulary: NDArray[Any] | None,
    string_vocabulary: NDArray[Any] | None,
) -> tuple[NDArray[Any]]:
    """One row with the value of each key of the vocabulary; zero, or "", where it has none.

    Raises:
        ContentsError: the keys are of the other kind.
    """
    vocabulary = string_vocabulary if int64_vocabulary is None else int64_vocabulary
    assert vocabulary is not None
    key = "string" if int64_vocabulary is None else "int64"
    if X.key not in ("", key):
        raise ContentsError(f"X has keys of type {X.key}, expected {key} (the vocabulary)")
    otherwise = "" if X.value == "string" else 0
    row = [X.get(key, otherwise) for key in vocabulary.tolist()]
    return (np.array([row], dtype_of(X.value or "float")),)
