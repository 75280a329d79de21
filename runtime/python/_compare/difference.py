"""The largest difference of two values, judged by the tolerance of the operator version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from opmill._runtime.errors import cut
from opmill._runtime.types import dtype_of, element_word

Tolerance = tuple[float, float]
"""(rtol, atol): a finite number may differ by ``atol + rtol * abs(expected)``."""

_COMPLEX_STEP = 2.0**-23

_DIGITS = 16
"""Steps of the largest element by which computed results may differ: sums round in any order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two values.

    Args:
        text: the whole difference in words.
        elements: the number of elements that differ beyond the tolerance; 0 if types or shapes do.
        total: the number of elements.
        index: the element with the largest difference.
        expected: that element, as opmill computes it.
        got: that element, as the other side computes it.
        absolute: its difference; infinite where one is no finite number.
    """

    text: str
    elements: int = 0
    total: int = 0
    index: tuple[int, ...] | None = None
    expected: str | None = None
    got: str | None = None
    absolute: float | None = None


def difference_of(expected: Any, got: Any, tolerance: Tolerance | None) -> Difference | None:
    """The difference of two values; ``None`` if they agree.

    Args:
        expected: an array, a list of arrays, or ``None`` for an empty optional.
        got: the same of the other side.
        tolerance: for numbers; ``None`` where these must be equal. NaN equals NaN, and zeros
            equal each other.
    """
    if expected is None or got is None:
        if expected is None and got is None:
            return None
        return Difference(f"expected {_kind(expected)}, got {_kind(got)}")
    if isinstance(expected, list):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return Difference(f"expected {_kind(expected)}, got {_kind(got)}")
        for position, (one, other) in enumerate(zip(expected, got, strict=True)):
            found = difference_of(one, other, tolerance)
            if found is not None:
                return Difference(f"tensor {position}: {found.text}")
        return None
    if isinstance(got, (list, tuple)):
        return Difference(f"expected {_kind(expected)}, got {_kind(got)}")
    return _of_arrays(np.asarray(expected), np.asarray(got), tolerance)


def _of_arrays(expected: Any, got: Any, tolerance: Tolerance | None) -> Difference | None:
    words = element_word(expected.dtype), _word(got)
    if words[0] != words[1]:
        return Difference(f"expected type {words[0]}, got {words[1]}")
    if expected.shape != got.shape:
        return Difference(f"expected shape {list(expected.shape)}, got {list(got.shape)}")
    if words[0] == "string":
        texts = np.array([_text(one) for one in got.reshape(-1).tolist()], object)
        wanted = np.array([_text(one) for one in expected.reshape(-1).tolist()], object)
        return _described(expected, got, np.asarray(wanted != texts, bool), None, None)
    if words[0] == "bool":
        return _described(expected, got, (expected != got).reshape(-1), None, None)
    if not _is_floating(words[0]):
        one = expected.reshape(-1).astype(np.longdouble)
        other = got.reshape(-1).astype(np.longdouble)
        distances, (rtol, atol) = np.abs(one - other), tolerance or (0.0, 0.0)
        wrong = distances > atol + rtol * np.abs(one)
        return _described(expected, got, wrong, distances, tolerance)
    wide = np.complex128 if words[0].startswith("complex") else np.float64
    with np.errstate(all="ignore"):
        one, other = expected.reshape(-1).astype(wide), got.reshape(-1).astype(wide)
        finite = np.isfinite(one)
        distances = np.abs(one - other)
        allowed = np.zeros_like(distances)
        if tolerance is not None:
            sizes = np.abs(np.where(finite, one, 0))
            allowed = tolerance[1] + tolerance[0] * sizes
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        wrong = ~same & ~(finite & (distances <= allowed))
    distances = np.where(np.isnan(distances), np.inf, distances)
    return _described(expected, got, wrong, np.where(wrong, distances, -1.0), tolerance)


def _described(
    expected: Any, got: Any, wrong: Any, distances: Any, tolerance: Tolerance | None
) -> Difference | None:
    count = int(wrong.sum())
    if not count:
        return None
    flat = int(np.argmax(wrong if distances is None else distances))
    index = tuple(int(one) for one in np.unravel_index(flat, expected.shape))
    wanted, found = _shown(expected.reshape(-1)[flat]), _shown(got.reshape(-1)[flat])
    absolute = None if distances is None else float(distances[flat])
    beyond = "" if tolerance is None else f" beyond rtol {tolerance[0]:g}, atol {tolerance[1]:g}"
    largest_one = "the first" if absolute is None else f"the largest difference, {absolute:g}, is"
    text = (
        f"{count} of {expected.size} elements differ{beyond}; {largest_one} at {list(index)}: "
        f"expected {wanted}, got {found}"
    )
    return Difference(text, count, expected.size, index, wanted, found, absolute)


def tolerance_of(accuracy: Mapping[str, Tolerance] | None, value: Any) -> Tolerance | None:
    """The tolerance for an output; ``None`` if its elements must be equal.

    It is the wider one of the operator's own and that of ONNX's tests. Sums may also differ by 16
    steps of the largest element, since runtimes add in different orders.

    Args:
        accuracy: the spec's tolerances by element type; ``None`` of what has no spec.
        value: the expected output.
    """
    arrays = value if isinstance(value, list) else [value]
    words = {element_word(one.dtype) for one in arrays if isinstance(one, np.ndarray)}
    word = next(iter(words), None)
    if word is None or (accuracy is not None and word not in accuracy):
        return None
    if not _is_floating(word):
        return None if accuracy is None else accuracy[word]
    from opmill.conformance._cases import ONNX_TOLERANCE, TOLERANCES

    rtol, atol = (0.0, 0.0) if accuracy is None else accuracy[word]
    usual = TOLERANCES.get(word, ONNX_TOLERANCE)
    return max(rtol, usual[0]), max(atol, usual[1], _DIGITS * _step(word) * largest(arrays))


def largest(arrays: list[Any]) -> float:
    """The largest finite magnitude of floating-point arrays; 0 if there is none."""
    found = 0.0
    for array in arrays:
        sizes = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
        sizes = sizes[np.isfinite(sizes)]
        found = max(found, float(sizes.max())) if sizes.size else found
    return found


def _step(word: str) -> float:
    """The relative step of a floating-point type."""
    import ml_dtypes

    if word.startswith("complex"):
        return _COMPLEX_STEP
    limits: Any = ml_dtypes.finfo
    return float(limits(dtype_of(word)).eps)


def _is_floating(word: str) -> bool:
    return word.startswith(("float", "double", "bfloat", "complex"))


def _word(array: Any) -> str:
    found = element_word(array.dtype)
    return str(array.dtype) if found is None else found


def _text(one: Any) -> Any:
    return one.decode("utf-8", "replace") if isinstance(one, bytes) else one


def _shown(element: Any) -> str:
    return cut(repr(element), 60) if isinstance(element, (str, bytes)) else str(element)


def _kind(value: Any) -> str:
    if value is None:
        return "an empty optional"
    if isinstance(value, (list, tuple)):
        return f"a sequence of {len(value)}"
    return f"an array of {_word(np.asarray(value))}"
