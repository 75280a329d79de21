"""Random rules that compute with floats at the edges of double, float and the 16-bit floats."""

from __future__ import annotations

import math
import random

EDGES = (
    *(0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 0.1, 1 / 3, 1e-7, 2049.0, 4097.0, 65519.0, 65520.0, 65504.0),
    *(2.0**24 + 1, 2.0**24 + 3, 2.0**52 + 1, 2.0**53, 2.0**63, 2.0**127, 3.4028235677973366e38),
    *(1e308, 5e-324, 2.0**-149, 2.0**-150, 3 * 2.0**-150, 2.0**-24, 2.0**-25, 3 * 2.0**-26),
    *(1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-50, math.inf, math.nan),
)
SIGNED = (*EDGES, *(-value for value in EDGES))
TYPES = ("float", "double", "float16", "bfloat16")


def number(rng: random.Random) -> float:
    """A float: often at an edge."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(SIGNED)
    if kind == 1:
        return rng.randint(-40, 40) / rng.choice((1, 2, 3, 10))
    return math.ldexp(rng.uniform(-1, 1), rng.choice((-140, -130, -20, 0, 10, 60, 130)))


def written(rng: random.Random, depth: int) -> str:
    """An expression of ``g``, ``f.numbers`` and ``a``."""
    if depth == 0:
        finite = [value for value in SIGNED if math.isfinite(value)]
        names = ("g", "f.numbers[0]", "f.numbers[1]")
        return rng.choice((*names, *names, "float(a)", repr(rng.choice(finite))))
    left, right = written(rng, depth - 1), written(rng, depth - 1)
    kind = rng.randrange(12)
    if kind < 7:
        return f"({left} {rng.choice('+-*/')} {right})"
    if kind == 7:
        return f"-{left}"
    if kind == 8:
        return f"{rng.choice(('floor', 'ceil'))}({left})"
    if kind < 11:
        return f'rounded({left}, "{rng.choice(TYPES)}")'
    return f"({left} if {right} {rng.choice(('<', '<=', '==', '!='))} {left} else {right})"
