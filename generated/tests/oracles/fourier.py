"""Slow reference of Fourier transforms: each result is a sum of all numbers, in double."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    if "signal" in inputs:
        return {"output": of_frames(inputs, given["onesided"] == 1)}
    x = inputs["input"]
    assert x is not None
    named = given.get("axis", -2)
    chosen, wanted = inputs.get("axis"), inputs.get("dft_length")
    if chosen is not None:
        (named,) = chosen.items
    axis = named % len(x.shape)
    inverse, onesided = given["inverse"] != 0, given["onesided"] == 1
    halved = inverse and onesided
    size = x.shape[axis]
    length = max(2 * (size - 1), 0) if halved else size
    if wanted is not None:
        (length,) = wanted.items
    bins = length // 2 + 1 if onesided and not inverse else length
    before, after = x.shape[:axis], x.shape[axis + 1 : -1]
    shape = (*before, bins, *after, 1 if halved else 2)
    items: list[Any] = [0.0] * math.prod(shape)
    for first in indices(before):
        for last in indices(after):
            line = [number(x, (*first, k, *last)) for k in range(size)]
            results: Sequence[tuple[float, ...]] = (
                real_signal(line, length)
                if halved
                else spectrum(line[:length], length, bins, inverse)
            )
            for k, parts in enumerate(results):
                for part, value in enumerate(parts):
                    at = ravel((*first, k, *last, part), shape)
                    items[at] = rounded(value, x.type)
    return {"output": Value(x.type, shape, tuple(items))}


def of_frames(inputs: Mapping[str, Value | None], onesided: bool) -> Value:
    """A transform of each frame that lies inside the signal."""
    signal, steps = inputs["signal"], inputs["frame_step"]
    window, lengths = inputs.get("window"), inputs.get("frame_length")
    assert signal is not None
    assert steps is not None
    signal = Value(signal.type, (*signal.shape, 1)[:3], signal.items)
    batch, size, _ = signal.shape
    (step,) = steps.items
    length = lengths.items[0] if lengths else window.shape[0] if window else size
    weights = window.items if window else [1.0] * length
    begins = range(0, size - length + 1, step)
    bins = length // 2 + 1 if onesided else length
    items: list[float] = []
    for entry in range(batch):
        for begin in begins:
            frame = []
            for k, weight in enumerate(weights):
                re, im = number(signal, (entry, begin + k))
                frame.append((weight * re, weight * im if signal.shape[2] == 2 else 0.0))
            for parts in spectrum(frame, length, bins, False):
                items += [rounded(part, signal.type) for part in parts]
    return Value(signal.type, (batch, len(begins), bins, 2), tuple(items))


def number(x: Value, index: Sequence[int]) -> tuple[float, float]:
    """The real and the imaginary part of a number."""
    begin = ravel(index, x.shape[:-1]) * x.shape[-1]
    parts = x.items[begin : begin + x.shape[-1]]
    return (parts[0], parts[1] if len(parts) == 2 else 0.0)


def turns(k: int, length: int) -> tuple[float, float]:
    """The cosine and the sine of a share of a turn; exact at its quarters."""
    if 4 * k % length == 0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[4 * k // length % 4]
    angle = 2 * math.pi * (k % length) / length
    return math.cos(angle), math.sin(angle)


def spectrum(
    line: Sequence[tuple[float, float]], length: int, bins: int, inverse: bool
) -> list[tuple[float, float]]:
    """The sums of a line, which zeros extend; NaN where it is not finite."""
    if not all(math.isfinite(part) for parts in line for part in parts):
        return [(math.nan, math.nan)] * bins
    results = []
    for k in range(bins):
        real: list[float] = []
        imaginary: list[float] = []
        for n, (re, im) in enumerate(line):
            c, s = turns(k * n if inverse else -k * n, length)
            real += [re * c, -im * s]
            imaginary += [re * s, im * c]
        scale = length if inverse else 1
        results.append((math.fsum(real) / scale, math.fsum(imaginary) / scale))
    return results


def real_signal(line: Sequence[tuple[float, float]], length: int) -> list[tuple[float]]:
    """The inverse of the spectrum whose first half the line is, and whose other half mirrors it."""
    if length == 0:
        return []
    whole = [(0.0, 0.0)] * length
    for k in range(min(length // 2 + 1, len(line))):
        re, im = line[k]
        if 2 * k % length == 0:  # no other number mirrors it
            whole[k] = (re, 0.0)
        else:
            whole[k], whole[length - k] = (re, im), (re, -im)
    return [(re,) for re, _ in spectrum(whole, length, length, True)]
