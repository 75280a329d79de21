"""Recurrent layers, sequence by sequence and element by element, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill_checks.contents import RefusedContents
from opmill_checks.dynamic import dynamically
from opmill_checks.rounding import rounded
from opmill_checks.value import Value

Numbers = list[float]

SINGLE = {name: float(np.float32(name)) for name in ("0.2", "0.01")}
ALPHAS = {
    "affine": None,
    "elu": 1.0,
    "hardsigmoid": SINGLE["0.2"],
    "leakyrelu": SINGLE["0.01"],
    "scaledtanh": None,
    "thresholdedrelu": 1.0,
}
"""The activations with an alpha, and what it is where none is given."""
BETAS = {"affine": None, "hardsigmoid": 0.5, "scaledtanh": None}


def exponential(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def sigmoid(x: float) -> float:
    return 1 / (1 + exponential(-x)) if x == x else x


def softplus(x: float) -> float:
    return x if x > 40 or x != x else math.log1p(exponential(x))


def activation(name: str, a: float, b: float) -> Callable[[float], float]:
    """A function of one number, as ONNX's text writes it; NaN stays NaN but in ThresholdedRelu."""
    table: dict[str, Callable[[float], float]] = {
        "affine": lambda x: a * x + b,
        "elu": lambda x: x if not x < 0 else a * math.expm1(x),
        "hardsigmoid": lambda x: x if x != x else clamp(a * x + b, 0, 1),
        "leakyrelu": lambda x: x if x >= 0 else a * x,
        "relu": lambda x: 0.0 if x < 0 else x,
        "scaledtanh": lambda x: a * math.tanh(b * x),
        "sigmoid": sigmoid,
        "softplus": softplus,
        "softsign": lambda x: math.nan if math.isinf(x) else x / (1 + abs(x)),
        "tanh": math.tanh,
        "thresholdedrelu": lambda x: x if x >= a else 0.0,
    }
    return table[name]


def clamp(x: float, low: float, high: float) -> float:
    return low if x < low else high if x > high else x


def functions(
    attributes: Mapping[str, Any], names: Sequence[str], directions: int
) -> list[Callable[[float], float]]:
    """The activations of all directions, each with its numbers and the limit of its argument."""
    given = [name.lower() for name in attributes.get("activations") or names * directions]
    alphas = list(attributes.get("activation_alpha") or ())
    betas = list(attributes.get("activation_beta") or ())
    limit = attributes.get("clip")
    found = []
    for name in given[: len(names) * directions]:
        a = b = 0.0
        if name in ALPHAS:
            a = alphas.pop(0) if alphas else ALPHAS[name]  # type: ignore[assignment]
        if name in BETAS:
            b = betas.pop(0) if betas else BETAS[name]  # type: ignore[assignment]
        found.append(limited(activation(name, a, b), limit))
    return found


def limited(function: Callable[[float], float], limit: float | None) -> Callable[[float], float]:
    return function if limit is None else lambda x: function(clamp(x, -limit, limit))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


class Weights:
    """The weights of one direction; ``rows`` of a matrix belong to one element of a gate."""

    def __init__(
        self, inputs: Mapping[str, Value], attributes: Mapping[str, Any], d: int, gates: int
    ) -> None:
        hidden, size = inputs["R"].shape[2], inputs["W"].shape[2]
        rows = gates * hidden
        w, r = inputs["W"].items, inputs["R"].items
        self.w = [w[(d * rows + i) * size : (d * rows + i + 1) * size] for i in range(rows)]
        self.r = [r[(d * rows + i) * hidden : (d * rows + i + 1) * hidden] for i in range(rows)]
        self.set_vectors(inputs, attributes, d, hidden, rows)

    def set_vectors(
        self, inputs: Mapping[str, Value], attributes: Mapping[str, Any], d: int, *sizes: int
    ) -> None:
        """Set the biases and peepholes; the sizes are those of a gate and of all gates."""
        hidden, rows = sizes
        self.hidden, self.attributes = hidden, attributes
        b = inputs.get("B")
        biases = [0.0] * (2 * rows)
        if b is not None:
            biases = list(b.items[d * 2 * rows : (d + 1) * 2 * rows])
        self.wb, self.rb = biases[:rows], biases[rows:]
        p = inputs.get("P")
        self.p = list(p.items[d * 3 * hidden : (d + 1) * 3 * hidden]) if p is not None else None

    def from_input(self, x: Sequence[float], gate: int) -> Numbers:
        """The input's share of a gate, with its bias."""
        first = gate * self.hidden
        return [dot(x, self.w[first + i]) + self.wb[first + i] for i in range(self.hidden)]

    def from_state(self, h: Sequence[float], gate: int) -> Numbers:
        """The state's share of a gate, with its bias."""
        first = gate * self.hidden
        return [dot(h, self.r[first + i]) + self.rb[first + i] for i in range(self.hidden)]

    def peep(self, c: Sequence[float], gate: int) -> Numbers:
        if self.p is None:
            return [0.0] * self.hidden
        return [c[i] * self.p[gate * self.hidden + i] for i in range(self.hidden)]


Act = Sequence[Callable[[float], float]]


def rnn(of: Weights, act: Act, x: Sequence[float], h: Numbers, c: Numbers) -> tuple[Numbers, ...]:
    sums = zip(of.from_input(x, 0), of.from_state(h, 0), strict=True)
    return [act[0](a + b) for a, b in sums], c


def gru(of: Weights, act: Act, x: Sequence[float], h: Numbers, c: Numbers) -> tuple[Numbers, ...]:
    z, r = (
        [act[0](a + b) for a, b in zip(of.from_input(x, k), of.from_state(h, k), strict=True)]
        for k in (0, 1)
    )
    if of.attributes.get("linear_before_reset", 0):
        recurrent = [a * b for a, b in zip(r, of.from_state(h, 2), strict=True)]
    else:
        recurrent = of.from_state([a * b for a, b in zip(r, h, strict=True)], 2)
    new = [act[1](a + b) for a, b in zip(of.from_input(x, 2), recurrent, strict=True)]
    return [(1 - z[i]) * new[i] + z[i] * h[i] for i in range(of.hidden)], c


def lstm(of: Weights, act: Act, x: Sequence[float], h: Numbers, c: Numbers) -> tuple[Numbers, ...]:
    sums = [
        [a + b for a, b in zip(of.from_input(x, k), of.from_state(h, k), strict=True)]
        for k in range(4)
    ]
    i = [act[0](a + b) for a, b in zip(sums[0], of.peep(c, 0), strict=True)]
    if of.attributes.get("input_forget", 0):
        f = [1 - one for one in i]
    else:
        f = [act[0](a + b) for a, b in zip(sums[2], of.peep(c, 2), strict=True)]
    new = [f[k] * c[k] + i[k] * act[1](sums[3][k]) for k in range(of.hidden)]
    o = [act[0](a + b) for a, b in zip(sums[1], of.peep(new, 1), strict=True)]
    return [o[k] * act[2](new[k]) for k in range(of.hidden)], new


CELLS = {
    1: (["Tanh"], rnn),
    3: (["Sigmoid", "Tanh"], gru),
    4: (["Sigmoid", "Tanh", "Tanh"], lstm),
}


class IntegerWeights(Weights):
    """Weights of integers, with the gates as columns; rows of inputs and states are of integers.

    ``x_scale`` is the scale of all inputs, ``h_scale`` that of the states before the present step.
    """

    x_scale = h_scale = 1.0

    def __init__(self, inputs: Mapping[str, Value], attributes: Mapping[str, Any], d: int) -> None:
        _, hidden, columns = inputs["R"].shape
        self.set_vectors(inputs, attributes, d, hidden, columns)
        self.w, self.w_scales = integers_of(inputs, "W", d)
        self.r, self.r_scales = integers_of(inputs, "R", d)

    def from_input(self, x: Sequence[float], gate: int) -> Numbers:
        columns = range(gate * self.hidden, (gate + 1) * self.hidden)
        return [dot(x, self.w[i]) * self.x_scale * self.w_scales[i] + self.wb[i] for i in columns]

    def from_state(self, h: Sequence[float], gate: int) -> Numbers:
        columns = range(gate * self.hidden, (gate + 1) * self.hidden)
        return [dot(h, self.r[i]) * self.h_scale * self.r_scales[i] + self.rb[i] for i in columns]


def integers_of(
    inputs: Mapping[str, Value], name: str, d: int
) -> tuple[list[list[int]], list[float]]:
    """The columns of a direction's weights, less their zero points, and their scales."""
    weights, scales, zeros = inputs[name], inputs[f"{name}_scale"], inputs[f"{name}_zero_point"]
    _, rows, columns = weights.shape
    scale = [scales.items[d * columns + i if len(scales.shape) == 2 else d] for i in range(columns)]
    zero = [zeros.items[d * columns + i if len(zeros.shape) == 2 else d] for i in range(columns)]
    first = d * rows * columns
    items = [
        [weights.items[first + k * columns + i] - zero[i] for k in range(rows)]
        for i in range(columns)
    ]
    return items, scale


def whole_rows(x: Value, size: int) -> tuple[list[list[int]], float]:
    """Quantized rows, less the zero point of them all, and their scale."""
    quantized, scale, zero = dynamically(x)
    numbers = [item - zero.items[0] for item in quantized.items]
    count = len(numbers) // size if size else x.shape[0]
    return [numbers[i * size : (i + 1) * size] for i in range(count)], scale


def quantized(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    """LSTM with weights of integers, step by step, since a step has one scale for all states."""
    x = inputs["X"]
    steps, batch, size = x.shape
    directions, hidden, _ = inputs["R"].shape
    lengths = lengths_of(inputs.get("sequence_lens"), batch, steps)
    rows, x_scale = whole_rows(Value("float", (steps * batch, size), x.items), size)
    act = functions(attributes, CELLS[4][0], directions)
    y: dict[tuple[int, ...], Numbers] = {}
    last: dict[tuple[int, ...], tuple[Numbers, ...]] = {}
    for d in range(directions):
        of = IntegerWeights(inputs, attributes, d)
        of.x_scale = x_scale
        backward = d == 1 or attributes.get("direction") == "reverse"
        states = [
            tuple(
                start(inputs.get(name), d * batch + b, hidden)
                for name in ("initial_h", "initial_c")
            )
            for b in range(batch)
        ]
        for done in range(steps):
            # a sequence counts in the step behind its end too, not later
            shown = [
                rounded(item, "float") if done <= length else 0.0
                for length, (h, _) in zip(lengths, states, strict=True)
                for item in h
            ]
            h_rows, of.h_scale = whole_rows(Value("float", (batch, hidden), tuple(shown)), hidden)
            for b in range(batch):
                if done < lengths[b]:
                    t = lengths[b] - 1 - done if backward else done
                    c = states[b][1]
                    states[b] = lstm(of, act[d * 3 :], rows[t * batch + b], h_rows[b], c)
                    y[t, d, b] = states[b][0]
        zeros = [0.0] * hidden
        for b in range(batch):
            last[d, b] = states[b] if lengths[b] or not steps else (zeros, zeros)
    return {
        "Y": value("float", (steps, directions, batch), hidden, y),
        "Y_h": value("float", (directions, batch), hidden, {k: h for k, (h, _) in last.items()}),
        "Y_c": value("float", (directions, batch), hidden, {k: c for k, (_, c) in last.items()}),
    }


def lengths_of(given: Value | None, batch: int, steps: int) -> list[int]:
    lengths = [steps] * batch if given is None else list(given.items)
    for position, length in enumerate(lengths):
        if not 0 <= length <= steps:
            expected = f"0 to {steps}" if steps else "0"
            raise RefusedContents(position, f" is {length}, expected {expected}")
    return lengths


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, output_names: Sequence[str]
) -> dict[str, Value]:
    if "W_scale" in inputs:
        return quantized(inputs, attributes)
    hidden = inputs["R"].shape[2]
    gates = inputs["R"].shape[1] // hidden if hidden else 1
    names, step = CELLS[gates]
    x, batch_first = inputs["X"], attributes.get("layout", 0) == 1
    steps, batch = (x.shape[1], x.shape[0]) if batch_first else x.shape[:2]
    size, directions = x.shape[2], inputs["R"].shape[0]
    lengths = lengths_of(inputs.get("sequence_lens"), batch, steps)
    act = functions(attributes, names, directions)
    y: dict[tuple[int, ...], Numbers] = {}
    last: dict[tuple[int, ...], tuple[Numbers, ...]] = {}
    for d in range(directions):
        of = Weights(inputs, attributes, d, gates)
        backward = d == 1 or attributes.get("direction") == "reverse"
        for b in range(batch):
            key = (b, d) if batch_first else (d, b)
            position = b * directions + d if batch_first else d * batch + b
            state = tuple(
                start(inputs.get(name), position, hidden) for name in ("initial_h", "initial_c")
            )
            steps_of = range(lengths[b])
            for t in reversed(steps_of) if backward else steps_of:
                row = (b * steps + t) if batch_first else (t * batch + b)
                item = x.items[row * size : (row + 1) * size]
                state = step(of, act[d * len(names) :], item, *state)
                y[(b, t, d) if batch_first else (t, d, b)] = state[0]
            zeros = [0.0] * hidden
            last[key] = state if lengths[b] or not steps else (zeros, zeros)
    dims = (batch, steps, directions) if batch_first else (steps, directions, batch)
    ends = (batch, directions) if batch_first else (directions, batch)
    result = {
        "Y": value(x.type, dims, hidden, y),
        "Y_h": value(x.type, ends, hidden, {key: both[0] for key, both in last.items()}),
    }
    if "Y_c" in output_names:
        cells = {key: both[1] for key, both in last.items()}
        result["Y_c"] = value(x.type, ends, hidden, cells)
    return result


def start(initial: Value | None, position: int, hidden: int) -> Numbers:
    if initial is None:
        return [0.0] * hidden
    return list(initial.items[position * hidden : (position + 1) * hidden])


def value(
    type: str, dims: tuple[int, ...], hidden: int, rows: Mapping[tuple[int, ...], Numbers]
) -> Value:
    """A tensor of rows; those that are missing are 0."""
    items: list[float] = []
    for key in np.ndindex(*dims):
        items += (rounded(item, type) for item in rows.get(key, [0.0] * hidden))
    return Value(type, (*dims, hidden), tuple(items))
