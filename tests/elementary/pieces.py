"""Compute the tables of the elementary functions of float that are polynomials in pieces.

A piece has a center, the value there, and a polynomial of the distance from the center. The center
is a float close to the middle whose value is almost a float, so that rounding it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp

Function = Callable[[mp.mpf], mp.mpf]
COEFFICIENTS = 6
BITS = 140


@dataclass(frozen=True)
class Pieces:
    """A function of a magnitude, in 32 or 64 pieces."""

    name: str
    text: str
    function: Function
    derivative: Function
    bounds: list[tuple[mp.mpf, mp.mpf]]
    """The interval of each piece, in the order of the table."""
    zero: mp.mpf = mp.ninf
    """Pieces below this are one: slope x + x^power p(x)."""
    slope: float = 0
    power: int = 1
    first: float = 0
    """The coefficient of x beside the slope."""


def by_octaves(low: int) -> list[tuple[mp.mpf, mp.mpf]]:
    """Four pieces an octave, eight octaves from 2^low; the index is in the bits of the number."""
    result = []
    for octave in range(8):
        # The low three bits of the biased exponent are the high bits of the index.
        exponent = low + (octave - (low + 127)) % 8
        for quarter in range(4):
            unit = mp.mpf(2) ** (exponent - 2)
            result.append(((4 + quarter) * unit, (5 + quarter) * unit))
    return result


def evenly(count: int, width: mp.mpf) -> list[tuple[mp.mpf, mp.mpf]]:
    """Pieces around the multiples of a width; half of the first one is below 0."""
    return [(i * width - width / 2, i * width + width / 2) for i in range(count)]


def nearest_float(value: mp.mpf) -> mp.mpf:
    with mp.workprec(24):
        return +value


def off_float(value: mp.mpf) -> mp.mpf:
    """Return the relative distance from the nearest float."""
    return abs(nearest_float(value) / value - 1)


def last_place(value: mp.mpf) -> mp.mpf:
    return mp.ldexp(1, int(mp.frexp(value)[1]) - 24)


def rounding_error(pieces: Pieces, center: mp.mpf, low: mp.mpf, high: mp.mpf) -> mp.mpf:
    """Bound the error of the last operations, in units of the last place of the results."""
    value = pieces.function(center)
    largest = mp.mpf(0)
    for i in range(13):
        distance = low + (high - low) * i / 12 - center
        if distance:
            rest = pieces.function(center + distance) - value
            error = abs(distance) * last_place(rest / distance) + last_place(rest)
            largest = max(largest, error / last_place(value + rest))
    return largest


def center_of(pieces: Pieces, low: mp.mpf, high: mp.mpf) -> mp.mpf:
    """Return a number of few bits close to the middle, where the bound of the error is small, and
    whose value and derivative are almost floats. Where the function is almost constant, it may be
    further away."""
    width = high - low
    middles = [(low + high) / 2 + width * i / 64 for i in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, 6, 7)]
    middle = min(middles, key=lambda center: rounding_error(pieces, center, low, high))
    best, distance = middle, mp.inf
    for step in (width / 2**14, width / 2**9):
        for i in range(512):
            center = middle + (i + 1) // 2 * (-1) ** i * step
            off = off_float(pieces.function(center))
            if off < distance:
                off += off_float(pieces.derivative(center)) / 4
            if off < distance:
                best, distance = center, off
        if distance < mp.mpf(2) ** -26:
            break
    return best


def interpolate(function: Function, low: mp.mpf, high: mp.mpf, count: int) -> list[mp.mpf]:
    """Interpolate at the Chebyshev nodes; return the coefficients from x^0 on."""
    nodes = [
        (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count))
        for i in range(count)
    ]
    matrix = mp.matrix([[node**power for power in range(count)] for node in nodes])
    return list(mp.lu_solve(matrix, mp.matrix([function(node) for node in nodes])))


def row(pieces: Pieces, low: mp.mpf, high: mp.mpf) -> list[mp.mpf]:
    """Return the center, the value there, and the coefficients of a piece."""
    function = pieces.function
    if high <= pieces.zero:
        linear = mp.mpf(pieces.slope) + pieces.first
        power = pieces.power
        rest = interpolate(
            lambda x: (function(x) - linear * x) / x**power,
            mp.mpf(0),
            pieces.zero,
            COEFFICIENTS + 1 - power,
        )
        zeros = [mp.mpf(0)] * (power - 2)
        return [mp.mpf(0), mp.mpf(0), mp.mpf(pieces.first), *zeros, *rest]
    low = max(low, mp.mpf(0))
    center = center_of(pieces, low, high) if low > 0 else mp.mpf(0)
    value = function(center)
    rest = interpolate(
        lambda x: (function(center + x) - value) / x, low - center, high - center, COEFFICIENTS
    )
    return [center, value, *rest]


def _sigmoid_tail(x: mp.mpf) -> mp.mpf:
    return 1 / (1 + mp.exp(x))


def _gelu_tail(x: mp.mpf) -> mp.mpf:
    return x * mp.erfc(x / mp.sqrt(2)) / 2


def _erf_derivative(x: mp.mpf) -> mp.mpf:
    return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)


def _twice_u(x: mp.mpf) -> mp.mpf:
    return 2 * mp.sqrt(2 / mp.pi) * (x + x**3 * 44715 / 1000000)


def _twice_u_derivative(x: mp.mpf) -> mp.mpf:
    return 2 * mp.sqrt(2 / mp.pi) * (1 + 3 * x**2 * 44715 / 1000000)


def _times_tail_derivative(x: mp.mpf, t: mp.mpf, derivative: mp.mpf) -> mp.mpf:
    """Return the derivative of x / (1 + exp(t))."""
    return _sigmoid_tail(t) * (1 - x * derivative * _sigmoid_tail(-t))


EIGHTH, HALF = mp.mpf(1) / 8, mp.mpf(1) / 2
TABLES = [
    Pieces(
        "tanh",
        "tanh(x)",
        mp.tanh,
        lambda x: 1 - mp.tanh(x) ** 2,
        by_octaves(-4),
        zero=EIGHTH,
        slope=1,
        power=3,
    ),
    Pieces(
        "atan",
        "atan(x)",
        mp.atan,
        lambda x: 1 / (1 + x * x),
        by_octaves(-4),
        zero=EIGHTH,
        slope=1,
        power=3,
    ),
    Pieces(
        "sinh",
        "sinh(x)",
        mp.sinh,
        mp.cosh,
        evenly(32, 2 * EIGHTH),
        zero=3 * EIGHTH,
        slope=1,
        power=3,
    ),
    Pieces("cosh", "cosh(x)", mp.cosh, mp.sinh, evenly(32, 2 * EIGHTH)),
    Pieces(
        "erf",
        "erf(x)",
        mp.erf,
        _erf_derivative,
        by_octaves(-5),
        zero=EIGHTH / 2,
        slope=1,
        power=3,
        first=float(2 / mp.sqrt(mp.pi) - 1),
    ),
    Pieces(
        "sigmoid",
        "1 / (1 + exp(x))",
        _sigmoid_tail,
        lambda x: -_sigmoid_tail(x) * _sigmoid_tail(-x),
        evenly(32, HALF),
    ),
    Pieces(
        "softplus",
        "log(1 + exp(-x))",
        lambda x: mp.log1p(mp.exp(-x)),
        lambda x: -_sigmoid_tail(x),
        evenly(32, HALF),
    ),
    Pieces(
        "gelu",
        "x erfc(x / sqrt(2)) / 2",
        _gelu_tail,
        lambda x: (mp.erfc(x / mp.sqrt(2)) - x * _erf_derivative(x / mp.sqrt(2)) / mp.sqrt(2)) / 2,
        evenly(64, EIGHTH),
        zero=3 * EIGHTH / 2,
        slope=0.5,
        power=2,
    ),
    Pieces(
        "gelu_tanh",
        "x / (1 + exp(2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3)",
        lambda x: x * _sigmoid_tail(_twice_u(x)),
        lambda x: _times_tail_derivative(x, _twice_u(x), _twice_u_derivative(x)),
        evenly(64, EIGHTH),
        zero=3 * EIGHTH / 2,
        slope=0.5,
        power=2,
    ),
    Pieces(
        "silu",
        "x / (1 + exp(x))",
        lambda x: x * _sigmoid_tail(x),
        lambda x: _times_tail_derivative(x, x, mp.mpf(1)),
        evenly(64, 2 * EIGHTH),
        zero=3 * EIGHTH,
        slope=0.5,
        power=2,
    ),
]


def header(hexadecimal: Callable[[mp.mpf, int], str], banner: str) -> str:
    """Return the text of the header, one macro a function with one line a piece."""
    lines = [
        "/* The pieces of elementary functions of float: a center, the value there, and the",
        " * coefficients of the distance, from the first power on.",
        f" * {banner}",
        "#ifndef OPMILL_MATH_TABLES_H",
        "#define OPMILL_MATH_TABLES_H",
    ]
    with mp.workprec(BITS):
        for pieces in TABLES:
            lines += [
                "",
                f"/* {pieces.text}. */",
                f"#define OPMILL_PIECES_{pieces.name.upper()}(P)",
            ]
            for low, high in pieces.bounds:
                lines[-1] += " \\"
                values = (hexadecimal(value, 24) for value in row(pieces, low, high))
                lines += [f"    P({', '.join(values)})"]
    return "\n".join([*lines, "", "#endif", ""])
