"""The functions of double, and pow, beside mpmath on random and difficult arguments."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np

from .library import ALPHA, GAMMA, Functions

Real = Any  # mpmath has no types


def _sigmoid(x: Real) -> Real:
    return 1 / (1 + mp.exp(-x))


def _softplus(x: Real) -> Real:
    return max(x, mp.mpf(0)) + mp.log1p(mp.exp(-abs(x)))


def _gelu_tanh(x: Real) -> Real:
    return x * _sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf(44715) / 1000000 * x**3))


# The exact functions, and the interval from which half of the arguments are drawn.
FUNCTIONS: dict[str, tuple[Callable[[Real], Real], float, float]] = {
    "exp": (mp.exp, -746, 710),
    "expm1": (mp.expm1, -40, 710),
    "log": (mp.log, 0, 10),
    "log1p": (mp.log1p, -1, 10),
    "sin": (mp.sin, -100, 100),
    "cos": (mp.cos, -100, 100),
    "tan": (mp.tan, -100, 100),
    "asin": (mp.asin, -1, 1),
    "acos": (mp.acos, -1, 1),
    "atan": (mp.atan, -10, 10),
    "sinh": (mp.sinh, -711, 711),
    "cosh": (mp.cosh, -711, 711),
    "tanh": (mp.tanh, -20, 20),
    "asinh": (mp.asinh, -20, 20),
    "acosh": (mp.acosh, 1, 20),
    "atanh": (mp.atanh, -1, 1),
    "erf": (mp.erf, -6, 6),
    "erfc": (mp.erfc, -6, 27.3),
    "sigmoid": (_sigmoid, -746, 40),
    "softplus": (_softplus, -746, 40),
    "mish": (lambda x: x * mp.tanh(_softplus(x)), -750, 40),
    "gelu": (lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, -38.5, 10),
    "gelu_tanh": (_gelu_tanh, -22, 10),
    "silu": (lambda x: x * _sigmoid(x), -740, 40),
    "elu": (lambda x: mp.mpf(GAMMA) * (ALPHA * mp.expm1(x) if x < 0 else x), -40, 40),
    "celu": (lambda x: ALPHA * mp.expm1(x / ALPHA) if x < 0 else x, -40, 40),
    "swish": (lambda x: x * _sigmoid(ALPHA * x), -440, 40),
}
WHOLE_RANGE = ("log", "log1p", "sin", "cos", "tan", "atan", "asinh", "acosh")
"""Functions that neither saturate nor overflow: any double is an argument."""


def arguments(name: str, count: int, random: random.Random) -> list[float]:
    """Give -1 and 1, then draw: from the interval, near 0 and 1, of any exponent, near steps of
    pi / 2."""
    _, low, high = FUNCTIONS[name]
    floor = {"log": 0.0, "log1p": -1.0, "acosh": 1.0}.get(name, -math.inf)
    result = [x for x in (-1.0, 1.0) if low <= x <= high]
    while len(result) < count:
        kind = random.randrange(8)
        sign = random.choice((1, -1))
        if kind < 4:
            x = random.uniform(low, high)
        elif kind == 4:
            x = sign * 2.0 ** random.uniform(-60, 9)
        elif kind == 5:
            x = sign + random.choice((1, -1)) * 2.0 ** random.uniform(-53, -1)
        elif kind == 6 and name in ("sin", "cos", "tan"):
            x = float(random.randrange(1, 2 ** random.randrange(1, 1000)) * mp.pi / 2)
        elif kind == 7 and name in WHOLE_RANGE:
            x = float(struct.unpack("<d", random.randbytes(8))[0])
        else:
            x = random.uniform(max(low, -2), min(high, 2))
        inside = name in WHOLE_RANGE or low <= x <= high
        if math.isfinite(x) and x != 0 and x > floor and inside:
            result.append(x)
    return result


def error(result: float, exact: Real, bits: int, smallest: int, largest: int) -> float:
    """Return the distance in units of the last place of the exact value."""
    if math.isnan(result):
        return math.inf
    if exact == 0 or mp.isinf(exact):
        return 0.0 if result == exact else math.inf
    value = mp.mpf(result) if math.isfinite(result) else mp.sign(result) * mp.mpf(2) ** largest
    unit = max(int(mp.frexp(exact)[1]) - bits, smallest)
    if unit > largest - bits:
        return 0.0 if math.isinf(result) and (result > 0) == (exact > 0) else math.inf
    return float(abs(value - exact) / mp.mpf(2) ** unit)


def worst_of_double(functions: Functions, name: str, count: int, seed: int) -> dict[str, Any]:
    """Return the largest error among random arguments, and where it occurs."""
    x = np.array(arguments(name, count, random.Random(f"{name} {seed}")))
    exact = FUNCTIONS[name][0]
    with mp.workprec(160):
        errors = [
            error(float(y), exact(mp.mpf(float(a))), 53, -1074, 1024)
            for a, y in zip(x, functions(name, x), strict=True)
        ]
    worst = int(np.argmax(errors))
    return {"samples": count, "error": round(errors[worst], 4), "at": float(x[worst]).hex()}


def _powers(count: int, exponents: int, narrow: type, random: random.Random) -> Iterator[Any]:
    while count > 0:
        kind = random.randrange(3)
        if kind == 0:
            x = 2.0 ** random.uniform(-exponents, exponents - 1)
        elif kind == 1:
            x = 1 + random.choice((1, -1)) * 2.0 ** random.uniform(-exponents / 20, -1)
        else:
            x = random.uniform(0.1, 10)
        x = float(narrow(x))
        if x in (0, 1):
            continue
        y = random.uniform(-1.05, 1.05) * exponents / math.log2(x)
        y = float(narrow(y if random.random() < 0.7 else random.uniform(-9, 9)))
        if random.random() < 0.2:
            x, y = -x, float(round(y) if abs(y) < 99 else 3)
        if y != 0 and math.isfinite(float(narrow(y))):
            count -= 1
            yield x, y


def worst_of_pow(functions: Functions, narrow: type, count: int, seed: int) -> dict[str, Any]:
    """Return the largest error of pow among random arguments of numpy's type ``narrow``."""
    wide = narrow is np.float64
    bits, smallest, largest = (53, -1074, 1024) if wide else (24, -149, 128)
    pairs = list(_powers(count, largest, narrow, random.Random(f"pow {seed}")))
    x, y = (np.array(values, narrow) for values in zip(*pairs, strict=True))
    with mp.workprec(160):
        errors = [
            error(float(z), mp.power(mp.mpf(a), mp.mpf(b)), bits, smallest, largest)
            for (a, b), z in zip(pairs, functions("pow", x, y), strict=True)
        ]
    worst = int(np.argmax(errors))
    at = [float(value).hex() for value in pairs[worst]]
    return {"samples": count, "error": round(errors[worst], 4), "at": at}
