"""The functions that polynomials approximate, for fit.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath as mp

if __package__:
    from . import rational
    from .rational import evaluate, of_square
else:
    import rational
    from rational import evaluate, of_square

mp.mp.prec = 300


@dataclass(frozen=True)
class Polynomial:
    """A function to approximate by polynomials of several lengths."""

    name: str
    text: str
    """The function in terms of the argument of the polynomial, for its comment."""
    function: Callable[[mp.mpf], mp.mpf]
    interval: tuple[mp.mpf, mp.mpf]
    degrees: dict[str, int]
    """The degrees: `long` for results in double; `short` for results in float that are computed in
    double; `float` for those that are computed in float."""
    chains: int = 1
    """Interleaved polynomials of a power of x: more of them wait less for each other."""
    weight: Callable[[mp.mpf], mp.mpf] | None = None
    """What an error at x counts, where that varies much."""


@dataclass(frozen=True)
class Choice:
    """Two polynomials for results in double, of which a condition selects the coefficients."""

    name: str
    condition: str
    first: Polynomial
    second: Polynomial


def erfcx_argument(t: mp.mpf) -> mp.mpf:
    """Return x for t = (x - 4) / (x + 4)."""
    return 4 * (1 + t) / (1 - t)


def scaled_erfcx(t: mp.mpf) -> mp.mpf:
    """Return (1 + 2x) exp(x^2) erfc(x)."""
    x = erfcx_argument(t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def interval(low: float | mp.mpf, high: float | mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    return mp.mpf(low), mp.mpf(high)


MARGIN = mp.mpf(1) + mp.mpf(2) ** -20
"""Arguments are reduced with rounding errors: intervals are a little wider than their bounds."""
ABOVE_0 = mp.mpf(2) ** -30
"""Formulas whose limit at 0 is meant divide by zero there."""
LOG_S = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * MARGIN
HALF_LN2 = mp.log(2) / 2 * MARGIN
QUARTER_PI = mp.pi / 4 * MARGIN

SIN = Polynomial(
    "sin",
    "(sin(x) - x) / x^3 of x^2",
    of_square(lambda x: mp.sin(x) - x, 3),
    interval(ABOVE_0, QUARTER_PI**2),
    {"long": 5},
    weight=lambda z: z + mp.mpf(2) ** -20,
)
COS = Polynomial(
    "cos",
    "(cos(x) - 1 + x^2 / 2) / x^4 of x^2",
    of_square(lambda x: mp.cos(x) - 1 + x**2 / 2, 4),
    interval(ABOVE_0, QUARTER_PI**2),
    {"long": 5},
    weight=lambda z: z * z + mp.mpf(2) ** -20,
)


def of_coefficients(
    name: str, text: str, coefficients: Sequence[mp.mpf], bounds: tuple[mp.mpf, mp.mpf]
) -> Polynomial:
    return Polynomial(
        name,
        text,
        lambda x: evaluate(coefficients, x),
        bounds,
        {"long": len(coefficients) - 1},
    )


POLYNOMIALS = [
    Polynomial(
        "exp",
        "(exp(x) - 1 - x) / x^2",
        lambda x: mp.hyp1f1(1, 3, x) / 2,  # the same, at 0 too
        interval(-HALF_LN2, HALF_LN2),
        {"long": 11, "short": 5},
    ),
    Polynomial(
        "exp_beside_one",
        "(exp(x) - 1 - x) / x^2, for exp(x)",
        lambda x: mp.hyp1f1(1, 3, x) / 2,
        interval(-HALF_LN2, HALF_LN2),
        {"long": 9},
        chains=2,
        weight=lambda x: x * x + mp.mpf(2) ** -20,
    ),
    Polynomial(
        "exp_by_quarters",
        "(exp(x) - 1 - x) / x^2, x from ln(3/4) to ln(3/2), for exp(x)",
        lambda x: mp.hyp1f1(1, 3, x) / 2,
        interval(mp.log(mp.mpf(3) / 4) * MARGIN, mp.log(mp.mpf(3) / 2) * MARGIN),
        {"float": 4},
        chains=2,
        weight=lambda x: x * x * (2 if x < 0 else 1),
    ),
    Polynomial(
        "exp_of_rest",
        "(exp(x) - 1 - x) / x^2",
        lambda x: mp.hyp1f1(1, 3, x) / 2,
        interval(-HALF_LN2, HALF_LN2),
        {"float": 5},
    ),
    Polynomial(
        "log",
        "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2",
        of_square(lambda s: mp.log((1 + s) / (1 - s)) - 2 * s, 3),
        interval(0, LOG_S),
        {"short": 3},
    ),
    Polynomial(
        "log_beside_twice_s",
        "(log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, for log(1 + f)",
        of_square(lambda s: mp.log((1 + s) / (1 - s)) - 2 * s, 3),
        interval(ABOVE_0, LOG_S),
        {"long": 6},
        chains=2,
        weight=lambda z: z + mp.mpf(2) ** -20,
    ),
    Polynomial(
        "log2",
        "log2((1 + s) / (1 - s)) / s of s^2",
        of_square(lambda s: mp.log((1 + s) / (1 - s), 2), 1),
        interval(0, LOG_S),
        {"short": 4},
    ),
    Polynomial(
        "log_tail",
        "(log((1 + s) / (1 - s)) - 2 s - 2 s^3 / 3) / (2 s^5) of s^2",
        of_square(lambda s: (mp.log((1 + s) / (1 - s)) - 2 * s - 2 * s**3 / 3) / 2, 5),
        interval(0, LOG_S),
        {"long": 7},
    ),
    Polynomial(
        "sin",
        "(sin(x) - x) / x^3 of x^2",
        of_square(lambda x: mp.sin(x) - x, 3),
        interval(0, QUARTER_PI**2),
        {"float": 3},
    ),
    SIN,
    Polynomial(
        "cos",
        "(cos(x) - 1 + x^2 / 2) / x^4 of x^2",
        of_square(lambda x: mp.cos(x) - 1 + x**2 / 2, 4),
        interval(0, QUARTER_PI**2),
        {"float": 2},
    ),
    COS,
    Polynomial(
        "tan",
        "(tan(x) - x) / x^3 of x^2",
        of_square(lambda x: mp.tan(x) - x, 3),
        interval(0, QUARTER_PI**2),
        {"float": 6},
    ),
    Polynomial(
        "sinh",
        "(sinh(x) - x) / x^3 of x^2, |x| to 1",
        of_square(lambda x: mp.sinh(x) - x, 3),
        interval(0, 1),
        {"long": 8, "short": 4},
    ),
    of_coefficients(
        "tanh_above",
        "P of tanh(x) = x - x^3 P(x^2) / Q(x^2), |x| to 5/8",
        rational.TANH_ABOVE,
        interval(0, rational.TANH_BOUND**2),
    ),
    of_coefficients(
        "tanh_below", "Q of that", rational.TANH_BELOW, interval(0, rational.TANH_BOUND**2)
    ),
    Polynomial(
        "atan",
        "(atan(x) - x) / x^3 of x^2, |x| to tan(pi / 8)",
        of_square(lambda x: mp.atan(x) - x, 3),
        interval(0, mp.tan(mp.pi / 8) ** 2 * MARGIN),
        {"short": 6},
    ),
    Polynomial(
        "atan",
        "(atan(x) - x) / x^3 of x^2, |x| to 35/64",
        of_square(lambda x: mp.atan(x) - x, 3),
        interval(ABOVE_0, (mp.mpf(35) / 64) ** 2 * MARGIN),
        {"long": 13},
        chains=2,
        weight=lambda z: z + mp.mpf(2) ** -20,
    ),
    Polynomial(
        "asin",
        "(asin(x) - x) / x^3 of x^2, |x| to 1/2",
        of_square(lambda x: mp.asin(x) - x, 3),
        interval(0, 0.25),
        {"long": 13, "short": 6},
    ),
    Polynomial(
        "erf",
        "erf(x) / x - 1 of x^2, |x| to 3/4",
        of_square(lambda x: mp.erf(x) - x, 1),
        interval(0, 0.5625),
        {"long": 11, "short": 6},
    ),
    Polynomial(
        "log1p",
        "(log(1 + x) - x + x^2 / 2) / x^3, 1 + x from sqrt(1 / 2) to sqrt(2)",
        lambda x: (mp.log1p(x) - x + x * x / 2) / x**3,
        interval(mp.sqrt(0.5) - 1, mp.sqrt(2) - 1),
        {"float": 8},
        chains=2,
    ),
    Polynomial(
        "erfcx",
        "(1 + 2 x) exp(x^2) erfc(x) of (x - 4) / (x + 4), x from 3/4 to 28",
        scaled_erfcx,
        interval(-3.25 / 4.75, 24 / mp.mpf(32)),
        {"long": 22, "short": 11},
    ),
]


CHOICES = [
    Choice("sin_or_cos", "is_cos", COS, SIN),
    Choice(
        "erf_above",
        "near",
        of_coefficients(
            "",
            "P of erf(x) / x - 1 = P(x^2) / Q(x^2), x to 1",
            rational.ERF_NEAR_ABOVE,
            interval(0, 1),
        ),
        of_coefficients(
            "",
            "of exp(x^2) erfc(x) = P(x) / Q(x)",
            rational.ERF_FAR_ABOVE,
            interval(1, 6),
        ),
    ),
    Choice(
        "erf_below",
        "near",
        of_coefficients("", "Q of those", rational.ERF_NEAR_BELOW, interval(0, 1)),
        of_coefficients("", "the other", rational.ERF_FAR_BELOW, interval(1, 6)),
    ),
]
