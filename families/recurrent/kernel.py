"""The NumPy kernel of the recurrent layers, in float32 or double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.activations import activated
from opmill._runtime.kernels.bounds import within

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
    directions, hidden = R.shape[0], R.shape[2]
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
                recurrent=R[d].astype(wide).T,
                bias=bias,
                peepholes=None if P is None else P[d].astype(wide).reshape(3, hidden),
                functions=functions,
                limit=wide.type(limit) if clips else None,
                couples=couples,
                linear_before_reset=linear_before_reset,
            )
            inputs = flat @ W[d].astype(wide).T
            inputs = inputs.reshape(steps, batch, gates * hidden)
            h = np.zeros((batch, hidden), wide)
            c = np.zeros((batch, hidden), wide)
            if first_h is not None:
                h[...] = first_h[d]
            if first_c is not None:
                c[...] = first_c[d]
            order = range(steps)
            for t in reversed(order) if backward or d == 1 else order:
                going = (lengths > t)[:, np.newaxis]
                new_h, new_c = cell.step(inputs[t], h, c, gates)
                h, c = np.where(going, new_h, h), np.where(going, new_c, c)
                if all_h is not None:
                    all_h[t, d] = np.where(going, h, 0).astype(all_h.dtype)
            # a sequence without steps has no last state, unless no sequence has any
            ended = (lengths > 0)[:, np.newaxis] | (steps == 0)
            for last, state in ((last_h, h), (last_c, c)):
                if last is not None:
                    last[d] = np.where(ended, state, 0).astype(last.dtype)


@dataclass(frozen=True)
class _Cell:
    """State that the steps of a direction share."""

    recurrent: Array
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
            return self.active(0, inputs + h @ self.recurrent + self.bias.sum(axis=0)), c
        return self._gru(inputs, h, c) if gates == 3 else self._lstm(inputs, h, c)

    def _gru(self, inputs: Array, h: Array, c: Array) -> tuple[Array, Array]:
        hidden = h.shape[1]
        both = self.bias.sum(axis=0)
        sums = inputs[:, : 2 * hidden] + h @ self.recurrent[:, : 2 * hidden] + both[: 2 * hidden]
        gate = self.active(0, sums)
        update, reset = gate[:, :hidden], gate[:, hidden:]
        last, own = self.recurrent[:, 2 * hidden :], inputs[:, 2 * hidden :]
        if self.linear_before_reset:
            own = own + reset * (h @ last + self.bias[1, 2 * hidden :]) + self.bias[0, 2 * hidden :]
        else:
            own = own + (reset * h) @ last + both[2 * hidden :]
        return (1 - update) * self.active(1, own) + update * h, c

    def _lstm(self, inputs: Array, h: Array, c: Array) -> tuple[Array, Array]:
        sums = inputs + h @ self.recurrent + self.bias.sum(axis=0)
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
