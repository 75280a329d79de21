"""Compute the polynomials and constants of the C library's elementary functions.

    python tests/elementary/fit.py            write the headers of runtime/c/src/runtime/math
    python tests/elementary/fit.py --check    fail if they differ from what is there

A polynomial interpolates its function at Chebyshev nodes, which comes within a bit or two of the
best approximation of that degree. Everything is computed with 300 bits and rounded once.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import mpmath as mp

if __package__:
    from . import pieces
    from .polynomials import CHOICES, POLYNOMIALS, Choice, Polynomial
    from .rational import evaluate
else:
    import pieces
    from polynomials import CHOICES, POLYNOMIALS, Choice, Polynomial
    from rational import evaluate

mp.mp.prec = 300
FOLDER = Path(__file__).parents[2] / "runtime/c/src/runtime/math"


def fit(polynomial: Polynomial, degree: int) -> list[mp.mpf]:
    """Return coefficients from x^0 on."""
    if polynomial.weight is None:
        return interpolate(polynomial, degree)
    return exchange(polynomial, polynomial.weight, degree)


def exchange(
    polynomial: Polynomial, weight: Callable[[mp.mpf], mp.mpf], degree: int
) -> list[mp.mpf]:
    """Minimize the largest weighted error by Remez' exchange of points."""
    low, high = polynomial.interval
    points = [low + (high - low) * i / 500 for i in range(501)]
    weights = [weight(x) for x in points]
    values = [polynomial.function(x) for x in points]
    chosen = [500 * i // (degree + 1) for i in range(degree + 2)]
    for _ in range(20):
        signs = [(-1) ** j for j in range(degree + 2)]
        rows = [
            [*(points[i] ** k for k in range(degree + 1)), sign / weights[i]]
            for i, sign in zip(chosen, signs, strict=True)
        ]
        *coefficients, _ = mp.lu_solve(mp.matrix(rows), mp.matrix([values[i] for i in chosen]))
        errors = [
            (evaluate(coefficients, x) - value) * weight
            for x, value, weight in zip(points, values, weights, strict=True)
        ]
        chosen = extremes(errors, degree + 2)
    return coefficients


def extremes(errors: list[mp.mpf], count: int) -> list[int]:
    """Return the places of the largest magnitudes between changes of sign, of `count` of them."""
    found: list[int] = []
    for i, value in enumerate(errors):
        if not found or value * errors[found[-1]] < 0:
            found.append(i)
        elif abs(value) > abs(errors[found[-1]]):
            found[-1] = i
    while len(found) > count:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    return found


def interpolate(polynomial: Polynomial, degree: int) -> list[mp.mpf]:
    """Interpolate at the Chebyshev nodes of the interval."""
    low, high = polynomial.interval
    count = degree + 1
    nodes = [
        (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count))
        for i in range(count)
    ]
    # Newton's divided differences, then the monomials.
    differences = [polynomial.function(node) for node in nodes]
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (nodes[i] - nodes[i - order])
    result = [mp.mpf(0)]
    for node, difference in zip(reversed(nodes), reversed(differences), strict=True):
        result = [difference - node * result[0]] + [
            low_order - node * high_order
            for low_order, high_order in zip(result, [*result[1:], mp.mpf(0)], strict=True)
        ]
    return result[:count]


def largest_error(polynomial: Polynomial, coefficients: list[mp.mpf]) -> mp.mpf:
    """Return the largest error at 500 points, weighted where the polynomial has a weight."""
    low, high = polynomial.interval
    largest = mp.mpf(0)
    for i in range(500):
        x = low + (high - low) * (2 * i + 1) / 1000
        weight = 1 if polynomial.weight is None else polynomial.weight(x)
        error = evaluate(coefficients, x) - polynomial.function(x)
        largest = max(largest, weight * abs(error))
    return largest


def hexadecimal(value: mp.mpf, bits: int = 53) -> str:
    """Return the nearest double, or float, as a C literal."""
    literal = re.sub(r"\.?0*p", "p", float(top_bits(value, bits)).hex())
    return literal + ("f" if bits == 24 else "")


def top_bits(value: mp.mpf, bits: int) -> mp.mpf:
    """Round to so many bits."""
    with mp.workprec(bits):
        return +value


def parts(value: mp.mpf, bits: tuple[int, ...]) -> list[mp.mpf]:
    """Split a value into doubles of so many bits each, whose sum approximates it."""
    result = []
    for count in bits:
        result.append(top_bits(value, count))
        value -= result[-1]
    return result


LN2 = parts(mp.log(2), (42, 53))
HALF_PI = parts(mp.pi / 2, (32, 32, 32, 53))
HALF_PI_FLOAT = parts(mp.pi / 2, (13, 6, 12, 24))
HALF_PI_USUAL = parts(mp.pi / 2, (37, 37, 53))
HALF_PI_PAIR = parts(mp.pi / 2, (53, 53))
THIRD = parts(mp.mpf(1) / 3, (53, 53))
LN2_FLOAT = parts(mp.log(2), (15, 24))
HALF_SQRT_2 = parts(mp.sqrt(0.5), (53, 53))
GELU_1 = parts(2 * mp.sqrt(2 / mp.pi), (53, 53))
GELU_3 = parts(2 * mp.sqrt(2 / mp.pi) * 44715 / 1000000, (53, 53))
CONSTANTS = [
    ("LOG2_E", 1 / mp.log(2), "1 / ln 2"),
    ("LN2", mp.log(2), "ln 2"),
    ("LN2_HIGH", LN2[0], "ln 2 in two parts; the product of the first and an int12 is exact"),
    ("LN2_LOW", LN2[1], ""),
    ("TWO_OVER_PI", 2 / mp.pi, "2 / pi"),
    (
        "HALF_PI_1",
        HALF_PI[0],
        "pi / 2 in four parts; a product of the first three and an int21 is exact",
    ),
    ("HALF_PI_2", HALF_PI[1], ""),
    ("HALF_PI_3", HALF_PI[2], ""),
    ("HALF_PI_4", HALF_PI[3], ""),
    ("HALF_PI_REST", mp.pi / 2 - HALF_PI[0], "pi / 2 less the first of those"),
    (
        "HALF_PI_FIRST",
        HALF_PI_USUAL[0],
        "pi / 2 in three parts; a product of the first two and an int16 is exact",
    ),
    ("HALF_PI_SECOND", HALF_PI_USUAL[1], ""),
    ("HALF_PI_THIRD", HALF_PI_USUAL[2], ""),
    ("HALF_PI_HIGH", HALF_PI_PAIR[0], "pi / 2 in two parts"),
    ("HALF_PI_LOW", HALF_PI_PAIR[1], ""),
    ("TAN_PI_8", mp.tan(mp.pi / 8), "tan(pi / 8)"),
    ("TAN_3_PI_8", mp.tan(3 * mp.pi / 8), "tan(3 pi / 8)"),
    ("THIRD_HIGH", THIRD[0], "1 / 3 in two parts"),
    ("THIRD_LOW", THIRD[1], ""),
    ("HALF_SQRT_2", HALF_SQRT_2[0], "sqrt(1 / 2) in two parts"),
    ("HALF_SQRT_2_LOW", HALF_SQRT_2[1], ""),
    ("TWO_OVER_PI_FLOAT", 2 / mp.pi, "2 / pi"),
    (
        "HALF_PI_1_FLOAT",
        HALF_PI_FLOAT[0],
        "pi / 2 in four floats; a product of the first three and an int11 is exact",
    ),
    ("HALF_PI_2_FLOAT", HALF_PI_FLOAT[1], ""),
    ("HALF_PI_3_FLOAT", HALF_PI_FLOAT[2], ""),
    ("HALF_PI_4_FLOAT", HALF_PI_FLOAT[3], ""),
    ("LOG2_E_FLOAT", 1 / mp.log(2), "1 / ln 2"),
    (
        "LN2_HIGH_FLOAT",
        LN2_FLOAT[0],
        "ln 2 in two floats; the product of the first and an int9 is exact",
    ),
    ("LN2_LOW_FLOAT", LN2_FLOAT[1], ""),
    (
        "EXP_CENTRE_FLOAT",
        mp.log(mp.mpf(9) / 8) / 2,
        "the middle between ln(3/4) and ln(3/2)",
    ),
    ("GELU_1", GELU_1[0], "2 sqrt(2 / pi) in two parts"),
    ("GELU_1_LOW", GELU_1[1], ""),
    ("GELU_3", GELU_3[0], "0.044715 times that in two parts"),
    ("GELU_3_LOW", GELU_3[1], ""),
]
BANNER = "Written by tests/elementary/fit.py, which computes these numbers. */"


def polynomial_source(polynomial: Polynomial, suffix: str, degree: int) -> list[str]:
    """Return the C function of a polynomial, by Horner's scheme."""
    kind, bits = ("float", 24) if suffix == "float" else ("double", 53)
    coefficients = [top_bits(value, bits) for value in fit(polynomial, degree)]
    error = float(mp.log(largest_error(polynomial, coefficients), 2))
    chains = polynomial.chains
    lines = [
        f"/* {polynomial.text}; error 2^{error:.1f}. */",
        f"OPMILL_INLINE {kind} opmill_poly_{polynomial.name}_{suffix}({kind} x) {{",
    ]
    if chains == 2:
        lines += [f"    const {kind} z = x * x;"]
    names, power = ("yw", "z") if chains == 2 else ("y", "x")
    for chain, name in enumerate(names):
        *lower, highest = [hexadecimal(value, bits) for value in coefficients[chain::chains]]
        lines += [f"    {kind} {name} = {highest};"]
        lines += [f"    {name} = {name} * {power} + {value};" for value in reversed(lower)]
    lines = [line.replace("+ -", "- ") for line in lines]
    return [*lines, "    return y + x * w;" if chains == 2 else "    return y;", "}", ""]


def choice_source(choice: Choice) -> list[str]:
    """Return the C function of two polynomials, whose coefficients a condition selects."""
    both = [
        [hexadecimal(value) for value in fit(one, one.degrees["long"])]
        for one in (choice.first, choice.second)
    ]
    highest, *lower = reversed(list(zip_longest(*both, fillvalue="0")))
    condition = choice.condition
    lines = [
        f"/* {choice.first.text}; or {choice.second.text}. */",
        f"OPMILL_INLINE double opmill_poly_{choice.name}_long(double x, int {condition}) {{",
        f"    double y = {condition} ? {highest[0]} : {highest[1]};",
    ]
    lines += [f"    y = y * x + ({condition} ? {first} : {second});" for first, second in lower]
    return [*lines, "    return y;", "}", ""]


def polynomials_header() -> str:
    lines = [
        "/* The polynomials of the elementary functions: long ones for results in double, short",
        " * ones for results in float that are computed in double, and those computed in float.",
        f" * {BANNER}",
        "#ifndef OPMILL_MATH_POLYNOMIALS_H",
        "#define OPMILL_MATH_POLYNOMIALS_H",
        "",
        '#include "runtime/platform/platform.h"',
        "",
    ]
    for polynomial in POLYNOMIALS:
        for suffix, degree in polynomial.degrees.items():
            lines += polynomial_source(polynomial, suffix, degree)
    for choice in CHOICES:
        lines += choice_source(choice)
    return "\n".join([*lines, "#endif", ""])


def constants_header() -> str:
    lines = [
        "/* The constants of the elementary functions.",
        f" * {BANNER}",
        "#ifndef OPMILL_MATH_CONSTANTS_H",
        "#define OPMILL_MATH_CONSTANTS_H",
        "",
        "#include <stdint.h>",
        "",
    ]
    for name, value, text in CONSTANTS:
        lines += [f"/* {text}. */"] if text else []
        bits = 24 if name.endswith("_FLOAT") else 53
        lines += [f"#define OPMILL_{name} {hexadecimal(value, bits)}"]
    with mp.workprec(1500):
        words = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * 41)))
    table = [f"0x{words >> 32 * (40 - i) & 0xFFFFFFFF:08x}u" for i in range(41)]
    table = ["0u", "0u", *table]
    lines += [
        "",
        "/* The bits of 2 / pi, the highest first, after 64 zeros. */",
        "static const uint32_t opmill_two_over_pi[] = {",
    ]
    rows = [table[i : i + 7] for i in range(0, len(table), 7)]
    lines += ["    " + " ".join(f"{word},".ljust(12) for word in row).rstrip() for row in rows]
    return "\n".join([*lines, "};", "", "#endif", ""])


def headers() -> dict[str, str]:
    """Return the texts of the headers."""
    return {
        "polynomials.h": polynomials_header(),
        "constants.h": constants_header(),
        "tables.h": pieces.header(hexadecimal, BANNER),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    stale = False
    for name, text in headers().items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            stale = True
            print(f"{path.name} {'differs' if check else 'written'}")
            if not check:
                path.write_text(text)
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main())
