"""Comparison of results: type, shape and elements, bit for bit unless a tolerance is stated."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill_checks.indices import unravel
from opmill_checks.value import STRING_KINDS, TYPES, Value, bits_of, dtype_of, items_of, raw_bits

Tolerance = tuple[float, float]
"""(rtol, atol): a finite number may be ``atol + rtol * abs(expected)`` off."""

Accuracy = Mapping[str, Tolerance]
"""The tolerance of each element type; a type that is not in it is exact."""

EXACT: Accuracy = {}
SHOWN = 5
"""Number of differing elements that a message lists."""


def assert_matches(
    expected: Value,
    actual: object,
    accuracy: Tolerance | None = None,
    *,
    what: str = "result",
    but: Collection[int] = (),
) -> None:
    """Raise AssertionError unless ``actual`` is an array of the expected type, shape and elements.

    Args:
        expected: what must come out.
        actual: what came out. A string array may be of any kind that NumPy has.
        accuracy: None for bit for bit, signs of zeros and payloads of NaNs included; else
            (rtol, atol), where NaN matches NaN, an infinity the infinity of its sign, and the zeros
            each other.
        what: what the message calls ``actual``.
        but: the positions of elements that are not compared.
    """
    problem = mismatch(expected, actual, accuracy, but)
    if problem is not None:
        raise AssertionError(f"{what}: {problem}")


def mismatch(
    expected: Value, actual: object, accuracy: Tolerance | None, but: Collection[int] = ()
) -> str | None:
    """Return the difference between a result and its expectation; None if there is none."""
    if not isinstance(actual, np.ndarray):
        return f"expected an array, got {type(actual).__name__} {actual!r}"
    if not actual.dtype.isnative:
        return f"expected native byte order, got dtype {actual.dtype.str}"
    if expected.type == "string":
        if actual.dtype.kind not in STRING_KINDS:
            return f"expected an array of strings, got dtype {actual.dtype}"
    elif actual.dtype != dtype_of(expected.type):
        return f"expected dtype {dtype_of(expected.type)}, got {actual.dtype}"
    if actual.shape != expected.shape:
        return f"expected shape {list(expected.shape)}, got {list(actual.shape)}"
    different = [k for k in differing(expected, actual, accuracy) if k not in but]
    return report(expected, actual, accuracy, different) if different else None


def differing(expected: Value, actual: NDArray[Any], accuracy: Tolerance | None) -> list[int]:
    """The positions of the elements that do not match, in row-major order."""
    if expected.type == "string":
        pairs = zip(expected.items, actual.reshape(-1).tolist(), strict=True)
        return [k for k, (wanted, got) in enumerate(pairs) if wanted != decoded(got)]
    if accuracy is None:
        array = expected.to_array()
        if np.array_equal(raw_bits(array), raw_bits(actual)):  # as nearly always, and fast
            return []
        wanted_bits, got_bits = bits_of(array), bits_of(actual)
        return [k for k, bits in enumerate(wanted_bits) if bits != got_bits[k]]
    if TYPES[expected.type].kind == "float" and all_near(expected, actual, *accuracy):
        return []  # as nearly always, and fast
    pairs = zip(expected.items, items_of(actual), strict=True)
    return [k for k, (wanted, got) in enumerate(pairs) if not close(wanted, got, *accuracy)]


def all_near(expected: Value, actual: NDArray[Any], rtol: float, atol: float) -> bool:
    """Return whether all elements are finite and near enough to another, as ``close`` has it."""
    wanted = np.array(expected.items, np.float64)
    with np.errstate(all="ignore"):
        got = actual.reshape(-1).astype(np.float64)
        near = np.abs(wanted - got) <= atol + rtol * np.abs(wanted)
    return bool((near & np.isfinite(wanted)).all())


def close(wanted: Any, got: Any, rtol: float, atol: float) -> bool:
    """Return whether one element is near enough to another."""
    if isinstance(wanted, complex):
        return close(wanted.real, got.real, rtol, atol) and close(wanted.imag, got.imag, rtol, atol)
    if math.isnan(wanted):
        return math.isnan(got)
    if math.isinf(wanted):
        return bool(wanted == got)
    return bool(abs(wanted - got) <= atol + rtol * abs(wanted))


def decoded(got: object) -> object:
    """A string element as str; what is neither str nor UTF-8 stays, and equals no string."""
    try:
        return got.decode("utf-8") if isinstance(got, bytes) else got
    except UnicodeDecodeError:
        return got


def report(
    expected: Value, actual: NDArray[Any], accuracy: Tolerance | None, different: list[int]
) -> str:
    """Number of elements that differ, and the first of them: index, expected and got."""
    allowed = (
        ""
        if accuracy is None
        else f" by more than rtol {accuracy[0]:g} and atol {accuracy[1]:g} allow"
    )
    got = Value(expected.type, actual.shape, tuple(actual.reshape(-1).tolist()))
    if expected.type != "string":
        got = Value(expected.type, actual.shape, items_of(actual), bits_of(actual))
        expected = Value(
            expected.type, expected.shape, expected.items, bits_of(expected.to_array())
        )
    lines = [f"{len(different)} of {len(expected.items)} elements differ{allowed}"]
    for k in different[:SHOWN]:
        index = list(unravel(k, expected.shape))
        lines.append(f"at {index} expected {element(expected, k)}, got {element(got, k)}")
    if len(different) > SHOWN:
        lines.append("...")
    return "; ".join(lines)


def element(value: Value, k: int) -> str:
    """An element for a message; of a floating type with its bits, which tell NaNs apart."""
    if value.bits is None or TYPES[value.type].kind not in ("float", "complex"):
        return repr(value.items[k])
    digits = (TYPES[value.type].width + 3) // 4
    return f"{value.items[k]!r} (0x{value.bits[k]:0{digits}x})"
