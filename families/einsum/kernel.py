"""The NumPy kernel of Einsum: each input in turn is taken together with what came before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from opmill._families.einsum.functions import LETTERS, output_labels, term_labels
from opmill._runtime.kernels.halves import widened

Labels = Sequence[int]
"""Labels of axes, as ``functions.py`` numbers them."""


def compute(Inputs: Sequence[NDArray[Any]], Output: NDArray[Any], *, equation: str) -> None:
    """Write the sums of products; axes with one position take part in none of them."""
    given, wanted = _labels(equation, Inputs)
    views = [_view(widened(array), labels) for array, labels in zip(Inputs, given, strict=True)]
    if any(array.size == 0 for array, _ in views):
        Output[...] = 0
        return
    uses = Counter(label for _, labels in views for label in labels)
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        array, labels = _summed(*views[0], {label for label in uses if uses[label] > 1} | {*wanted})
        for number, view in enumerate(views[1:], 1):
            later = {label for _, labels in views[number + 1 :] for label in labels} | {*wanted}
            alone = _summed(*view, {label for label in uses if uses[label] > 1} | {*wanted})
            array, labels = _product(array, labels, *alone, later)
        order = [labels.index(label) for label in wanted if label in labels]
        np.copyto(Output, array.transpose(order).reshape(Output.shape), casting="unsafe")


def _labels(equation: str, inputs: Sequence[NDArray[Any]]) -> tuple[list[Labels], Labels]:
    """The labels of each input's axes, and those of the output's."""
    given = [term_labels(equation, term, array.ndim) for term, array in enumerate(inputs)]
    covered = max(sum(label >= LETTERS for label in labels) for labels in given)
    return given, output_labels(equation, covered)


def _view(array: NDArray[Any], labels: Labels) -> tuple[NDArray[Any], list[int]]:
    """The diagonal of axes with the same label, without axes of one position."""
    steps: dict[int, tuple[int, int]] = {}
    for label, dim, stride in zip(labels, array.shape, array.strides, strict=True):
        if dim != 1:
            steps[label] = dim, stride + steps.get(label, (0, 0))[1]
    shape, strides = [dim for dim, _ in steps.values()], [stride for _, stride in steps.values()]
    return as_strided(array, shape, strides, writeable=False), [*steps]


def _summed(
    array: NDArray[Any], labels: list[int], remaining: set[int]
) -> tuple[NDArray[Any], list[int]]:
    """The sums over the axes of all other labels."""
    axes = tuple(axis for axis, label in enumerate(labels) if label not in remaining)
    if not axes:
        return array, labels
    sums = np.asarray(array.sum(axis=axes, dtype=array.dtype))
    return sums, [label for label in labels if label in remaining]


def _product(
    a: NDArray[Any],
    a_labels: list[int],
    b: NDArray[Any],
    b_labels: list[int],
    later: set[int],
) -> tuple[NDArray[Any], list[int]]:
    """A batch of products of matrices, summed over the labels of both that nobody needs later."""
    batch = [label for label in a_labels if label in b_labels and label in later]
    inner = [label for label in a_labels if label in b_labels and label not in later]
    rows = [label for label in a_labels if label not in b_labels]
    columns = [label for label in b_labels if label not in a_labels]
    sizes = dict(zip(a_labels, a.shape, strict=True)) | dict(zip(b_labels, b.shape, strict=True))
    b_, m, k, n = (
        int(np.prod([sizes[label] for label in group], dtype=np.int64))
        for group in (batch, rows, inner, columns)
    )
    left = a.transpose([a_labels.index(label) for label in batch + rows + inner])
    right = b.transpose([b_labels.index(label) for label in batch + inner + columns])
    product = np.matmul(left.reshape(b_, m, k), right.reshape(b_, k, n))
    labels = batch + rows + columns
    return product.reshape([sizes[label] for label in labels]), labels
