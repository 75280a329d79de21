"""The NumPy kernel of ZipMap."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    *,
    classlabels_int64s: NDArray[Any] | None,
    classlabels_strings: NDArray[Any] | None,
) -> tuple[list[dict[Any, Any]]]:
    """A dict of each row, from the labels to the elements."""
    given = classlabels_strings if classlabels_int64s is None else classlabels_int64s
    assert given is not None
    labels = given.tolist()
    rows = X.reshape(-1, len(labels))
    return ([dict(zip(labels, row, strict=True)) for row in rows],)
