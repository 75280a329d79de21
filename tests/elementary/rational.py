"""Quotients of two polynomials, P / Q, for fit.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath as mp

mp.mp.prec = 300


def evaluate(coefficients: Sequence[mp.mpf], x: mp.mpf) -> mp.mpf:
    """Return the polynomial's value by Horner's scheme."""
    value = mp.mpf(0)
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def of_square(odd: Callable[[mp.mpf], mp.mpf], power: int) -> Callable[[mp.mpf], mp.mpf]:
    """Return the function of z that gives odd(x) / x^power at z = x^2."""
    return lambda z: odd(mp.sqrt(z)) / mp.sqrt(z) ** power


def rational(
    function: Callable[[mp.mpf], mp.mpf],
    interval: tuple[mp.mpf, mp.mpf],
    degrees: tuple[int, int],
) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """Return the coefficients of P and Q, which begins with 1, so that P / Q interpolates the
    function at Chebyshev nodes of the interval."""
    low, high = interval
    above, below = degrees
    count = above + below + 1
    cosines = [mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    nodes = [(low + high) / 2 + (high - low) / 2 * cosine for cosine in cosines]
    rows = [
        [*(z**k for k in range(above + 1)), *(-function(z) * z**k for k in range(1, below + 1))]
        for z in nodes
    ]
    solution = list(mp.lu_solve(mp.matrix(rows), mp.matrix([function(z) for z in nodes])))
    return solution[: above + 1], [mp.mpf(1), *solution[above + 1 :]]


TANH_BOUND = mp.mpf(5) / 8
TANH_ABOVE, TANH_BELOW = rational(
    of_square(lambda x: x - mp.tanh(x), 3), (mp.mpf(0), TANH_BOUND**2), degrees=(2, 3)
)

ERF_NEAR_ABOVE, ERF_NEAR_BELOW = rational(
    of_square(lambda x: mp.erf(x) - x, 1), (mp.mpf(0), mp.mpf(1)), degrees=(5, 5)
)
ERF_FAR_ABOVE, ERF_FAR_BELOW = rational(
    lambda a: mp.exp(a * a) * mp.erfc(a), (mp.mpf(1), mp.mpf("2.4")), degrees=(5, 6)
)
"""Beyond 2.4, erfc(a) and with it the error that matters decrease faster than the error of the
quotient grows."""
