"""The NumPy kernel of the recurrent layers, in float32 or double.

With integer weights the input is quantized once, and in each step the state of the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.activations import activated
from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.quantized import quantized_dynamically, whole, wrapped

Array = NDArray[Any]


def compute(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    sequence_lens: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    P: Array | None,
    W_scale: Array | None,
    W_zero_point: Array | None,
    R_scale: Array | None,
    R_zero_point: Array | None,
    Y: Array | None,
    Y_h: Array | None = None,
    Y_c: Array | None = None,
    *,
    activations: list[int],
    alphas: list[float],
    backward: bool,
    batch_first: bool,
    betas: list[float],
    clips: bool,
    couples: bool,
    gates: int,
    limit: float,
    linear_before_reset: bool,
) -> None:
    """Write the states of all steps to ``Y``, the last ones to ``Y_h`` and ``Y_c``.

    Raises:
        ContentsError: a length is out of range. Nothing has been written then.
    """
    time = 1 if batch_first else 0
    steps, batch = X.shape[time], X.shape[1 - time]
    directions = R.shape[0]
    hidden = R.shape[2 if R_scale is None else 1]
    lengths = np.full(batch, steps)
    if sequence_lens is not None:
        lengths = within(sequence_lens, "sequence_lens", 0, steps)
    wide = np.dtype(np.float64 if X.dtype == np.float64 else np.float32)
    # the axes in the order of layout 0
    x = X.swapaxes(0, 1) if batch_first else X
    all_h = Y.transpose(1, 2, 0, 3) if Y is not None and batch_first else Y
    last_h = Y_h.swapaxes(0, 1) if Y_h is not None and batch_first else Y_h
    last_c = Y_c.swapaxes(0, 1) if Y_c is not None and batch_first else Y_c
    first_h = initial_h.swapaxes(0, 1) if initial_h is not None and batch_first else initial_h
    first_c = initial_c.swapaxes(0, 1) if initial_c is not None and batch_first else initial_c
    each = len(activations) // directions
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        flat = x.reshape(steps * batch, X.shape[2]).astype(wide)
        for d in range(directions):
            bias = np.zeros((2, gates * hidden), wide)
            if B is not None:
                bias = B[d].astype(wide).reshape(2, gates * hidden)
            functions = [
                partial(activated, number, wide.type(alpha), wide.type(beta))
                for number, alpha, beta in zip(activations, alphas, betas, strict=True)
            ][d * each : (d + 1) * each]
            cell = _Cell(
                recurrent=_weights(R[d], R_scale, R_zero_point, d, wide),
                bias=bias,
                peepholes=None if P is None else P[d].astype(wide).reshape(3, hidden),
                functions=functions,
                limit=wide.type(limit) if clips else None,
                couples=couples,
                linear_before_reset=linear_before_reset,
            )
            inputs = _weights(W[d], W_scale, W_zero_point, d, wide).product(flat)
            inputs = inputs.reshape(steps, batch, gates * hidden)
            h = np.zeros((batch, hidden), wide)
            c = np.zeros((batch, hidden), wide)
            if first_h is not None:
                h[...] = first_h[d]
            if first_c is not None:
                c[...] = first_c[d]
            rows = np.arange(batch)
            for step in range(steps):
                going = lengths > step
                t = np.full(batch, step)
                if backward or d == 1:  # each sequence from its own end
                    t = np.where(going, lengths - 1 - step, step)
                present = np.where((lengths >= step)[:, np.newaxis], h, 0).astype(wide)
                new_h, new_c = cell.step(inputs[t, rows], present, c, gates)
                going = going[:, np.newaxis]
                h, c = np.where(going, new_h, h), np.where(going, new_c, c)
                if all_h is not None:
                    all_h[t, d, rows] = np.where(going, h, 0).astype(all_h.dtype)
            # a sequence without steps has no last state, unless no sequence has any
            ended = (lengths > 0)[:, np.newaxis] | (steps == 0)
            for last, state in ((last_h, h), (last_c, c)):
                if last is not None:
                    last[d] = np.where(ended, state, 0).astype(last.dtype)


@dataclass(frozen=True)
class _Weights:
    """The right factor of a product; integers less their zero points have the scales of columns."""

    matrix: Array
    scales: Array | None

    def product(self, left: Array) -> Array:
        """The product; with integers, of the quantized factor, with one scale for all of it."""
        if self.scales is None:
            return left @ self.matrix
        quantized, scale, zero_point = quantized_dynamically(left)
        sums = wrapped(whole(quantized, zero_point) @ self.matrix).astype(np.float32)
        scaled: Array = sums * (scale * self.scales)
        return scaled


def _weights(
    given: Array, scales: Array | None, zero_points: Array | None, d: int, wide: np.dtype[Any]
) -> _Weights:
    """The weights of direction d: floats have the gates as rows, integers as columns."""
    if scales is None or zero_points is None:
        return _Weights(given.astype(wide).T, None)
    return _Weights(whole(given, zero_points[d]), scales[d])


@dataclass(frozen=True)
class _Cell:
    """State that the steps of a direction share."""

    recurrent: _Weights
    bias: Array
    peepholes: Array | None
    functions: Sequence[Callable[[Array], Array]]
    limit: Any
    couples: bool
    linear_before_reset: bool

    def active(self, position: int, x: Array) -> Array:
        """An activation of its clipped argument."""
        return self.functions[position](
            x if self.limit is None else np.clip(x, -self.limit, self.limit)
        )

    def step(self, inputs: Array, h: Array, c: Array, gates: int) -> tuple[Array, Array]:
        """The next states, from the inputs times their weights."""
        if gates == 1:
            return self.active(0, inputs + self.recurrent.product(h) + self.bias.sum(axis=0)), c
        return self._gru(inputs, h, c) if gates == 3 else self._lstm(inputs, h, c)

    def _gru(self, inputs: Array, h: Array, c: Array) -> tuple[Array, Array]:
        hidden = h.shape[1]
        both = self.bias.sum(axis=0)
        recurrent = self.recurrent.matrix
        sums = inputs[:, : 2 * hidden] + h @ recurrent[:, : 2 * hidden] + both[: 2 * hidden]
        gate = self.active(0, sums)
        update, reset = gate[:, :hidden], gate[:, hidden:]
        last, own = recurrent[:, 2 * hidden :], inputs[:, 2 * hidden :]
        if self.linear_before_reset:
            own = own + reset * (h @ last + self.bias[1, 2 * hidden :]) + self.bias[0, 2 * hidden :]
        else:
            own = own + (reset * h) @ last + both[2 * hidden :]
        return (1 - update) * self.active(1, own) + update * h, c

    def _lstm(self, inputs: Array, h: Array, c: Array) -> tuple[Array, Array]:
        sums = inputs + self.recurrent.product(h) + self.bias.sum(axis=0)
        hidden = h.shape[1]
        i, o, f, new = (sums[:, k * hidden : (k + 1) * hidden] for k in range(4))
        if self.peepholes is not None:
            i, f = i + self.peepholes[0] * c, f + self.peepholes[2] * c
        i = self.active(0, i)
        f = 1 - i if self.couples else self.active(0, f)
        c = f * c + i * self.active(1, new)
        if self.peepholes is not None:
            o = o + self.peepholes[1] * c
        return self.active(0, o) * self.active(2, c), c
