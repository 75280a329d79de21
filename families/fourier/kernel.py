"""The NumPy kernel of Fourier transforms: numpy.fft in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray


def compute(
    input: NDArray[Any],
    window: NDArray[Any] | None,
    output: NDArray[Any],
    *,
    axis: int,
    frames: int,
    inverse: bool,
    length: int,
    onesided: bool,
    step: int,
) -> None:
    """Write the transforms of ``input`` to ``output``; NaN where a signal is not finite."""
    if output.size == 0:
        return
    if length == 0:  # one half of the spectrum of no numbers is the sum of none
        output[...] = 0
        return
    halved = onesided and inverse
    bins = length // 2 + 1 if halved else length
    if step:
        views = sliding_window_view(input, length, 1)[:, ::step]  # batch, frames, parts, length
        signal = np.moveaxis(views, 3, 2).astype(np.float64)
        axis = 2
        if window is not None:
            with np.errstate(all="ignore"):
                signal *= window.astype(np.float64)[:, np.newaxis]
    else:
        signal = input[(slice(None),) * axis + (slice(0, bins),)].astype(np.float64)
    numbers = _numbers(signal)
    if halved and numbers.shape[axis]:
        ends = [0] + [bins - 1] * (length % 2 == 0 and numbers.shape[axis] == bins)
        numbers.imag[(slice(None),) * axis + (ends,)] = 0  # a real signal has none there
    finite = np.isfinite(numbers).all(axis, keepdims=True)
    with np.errstate(all="ignore"):
        result: NDArray[Any]
        if halved:
            result = np.fft.irfft(numbers, length, axis)
        elif inverse:
            result = np.fft.ifft(numbers, length, axis)
        elif onesided:
            result = np.fft.rfft(numbers, length, axis)
        else:
            result = np.fft.fft(numbers, length, axis)
        if not finite.all():
            result = np.where(finite, result, np.nan if halved else complex(np.nan, np.nan))
        output[..., 0] = result.real.astype(output.dtype)
        if not halved:
            output[..., 1] = result.imag.astype(output.dtype)


def _numbers(signal: NDArray[np.float64]) -> NDArray[Any]:
    """The numbers whose parts the last axis holds."""
    if signal.shape[-1] == 1:
        return signal[..., 0]
    numbers = np.empty(signal.shape[:-1], np.complex128)
    numbers.real, numbers.imag = signal[..., 0], signal[..., 1]
    return numbers
