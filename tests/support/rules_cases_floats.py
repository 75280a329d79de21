"""Floats: IEEE 754 in every backend, to the bit; and integers of all types from tensors."""

from __future__ import annotations

import math
import random
from typing import Any

import rules_reference as reference
from rules_case import INT64_MAX, OVERFLOW, Case, case
from rules_floats import number, written
from rules_values import Given

INF, NAN = math.inf, math.nan
FUSED_FLOAT = 1 + 2.0**-23
"""A float whose square only a double holds."""
FUSED = 1 + 2.0**-27
"""Its square, rounded, differs from its square: a fused x * x - y shows it."""


def random_case(seed: int) -> Case:
    """A random expression, with what the slow executor makes of it."""
    rng = random.Random(seed)
    made = case(f"require(f.size == 2, 'two')\nplan(r={written(rng, 4)})")
    for _ in range(12):
        given: dict[str, Any] = {
            "g": number(rng),
            "a": rng.choice((0, 1, -3, 2**53 + 1, INT64_MAX, -(2**63))),
            "f": Given("f", "double", (2,), (number(rng), number(rng))),
        }
        done = reference.run(made.source, *made.arguments(given))
        assert done.plan is not None
        made.calls.append((given, float.fromhex(done.plan["r"])))
    return made


def of_type(name: str, *values: int) -> dict[str, Any]:
    return {"v": Given("v", name, (len(values),), values)}


CASES: dict[str, Case] = {
    "floats are added, subtracted, multiplied and divided": case(
        "plan(r=(g + 0.5) * 3.0 - g / 4.0)",
        ({"g": 2.0}, 7.0),
        ({"g": INF}, NAN),
        ({"g": -INF}, NAN),
        ({"g": 1e308}, INF),
    ),
    "a division by 0": case(
        "plan(r=g / float(a))",
        ({"g": 1.0, "a": 0}, INF),
        ({"g": -1.0, "a": 0}, -INF),
        ({"g": 0.0, "a": 0}, NAN),
        ({"g": INF, "a": 0}, INF),
        ({"g": NAN, "a": 0}, NAN),
        ({"g": 1.0, "a": 3}, 1 / 3),
    ),
    "a division by -0.0": case(
        "plan(r=g / -0.0)", ({"g": 1.0}, -INF), ({"g": -2.0}, INF), ({"g": -0.0}, NAN)
    ),
    "a list of floats": case(
        """
        x: list[float] = []
        require(f.size <= 9, "too many")
        for i in range(f.size):
            x.append(f.numbers[i] / 2.0)
        if len(x) > 0:
            x[0] = x[0] + 1.0
        plan(r=x)
        """,
        ({}, (1.75, 1.0)),
        ({"f": Given("f", "double", (3,), (1.0, NAN, -INF))}, (1.5, NAN, -INF)),
        helpers="",
    ),
    "a float, repeated": case(
        """
        require(0 <= a <= 64, "a is out of range")
        x = [g * 2.0] * a
        if a > 1:
            x[1] = -0.0
        plan(r=x)
        """,
        ({"g": 0.25, "a": 3}, (0.5, -0.0, 0.5)),
        ({"g": 0.25, "a": 1}, (0.5,)),
    ),
    "a list of floats from its own values": case(
        """
        x = [g, 2.0]
        x = [x[1], x[0]]
        plan(r=x)
        """,
        ({"g": 7.0}, (2.0, 7.0)),
    ),
    "floats of an attribute": case(
        """
        if fs is None:
            plan(r=-1.0)
        elif len(fs) < 2:
            plan(r=-2.0)
        else:
            plan(r=fs[0] * fs[1])
        """,
        ({}, -1.0),
        ({"fs": (3.0,)}, -2.0),
        ({"fs": (FUSED_FLOAT, FUSED_FLOAT)}, FUSED_FLOAT * FUSED_FLOAT),
    ),
    "texts of an attribute": case(
        """
        n = 0
        if ss is not None:
            require(len(ss) <= 4, "too many")
            for i in range(len(ss)):
                require_attribute(ss[i] in ("A", "B"), f"ss[{i}] is '{ss[i]}', expected 'A' or 'B'")
                if ss[i] == "B":
                    n += 1
        plan(r=n)
        """,
        ({}, 0),
        ({"ss": ("B", "A", "B")}, 2),
        ({"ss": ("A", "C")}, "AttributeValueError: Op-1: ss[1] is 'C', expected 'A' or 'B'"),
    ),
    "a product is rounded before it is added to": case(
        "plan(r=g * g - f.numbers[0])",
        ({"g": FUSED, "f": Given("f", "double", (1,), (1 + 2.0**-26,))}, 0.0),
        helpers="",
    ),
    "floor and ceil": case(
        "plan(r=floor(g) * 1000.0 + ceil(g))",
        ({"g": 2.5}, 2003.0),
        ({"g": -2.5}, -3002.0),
        ({"g": 7.0}, 7007.0),
        ({"g": INF}, INF),
        ({"g": NAN}, NAN),
    ),
    "ceil of what is above -1": case("plan(r=ceil(g))", ({"g": -0.5}, -0.0), ({"g": -0.0}, -0.0)),
    "floor of what is below 1": case(
        "plan(r=floor(g))",
        ({"g": 0.5}, 0.0),
        ({"g": -0.0}, -0.0),
        ({"g": -5e-324}, -1.0),
        ({"g": 2.0**52 - 0.5}, 2.0**52 - 1),
        ({"g": -(2.0**62)}, -(2.0**62)),
    ),
    "an integer as a float": case(
        "plan(r=float(a))",
        ({"a": 2**53 + 1}, 2.0**53),
        ({"a": INT64_MAX}, 2.0**63),
        ({"a": -3}, -3.0),
    ),
    "minus": case("plan(r=-g)", ({"g": 0.0}, -0.0), ({"g": -1.5}, 1.5), ({"g": -INF}, INF)),
    "rounded to float": case(
        'plan(r=rounded(g, "float"))',
        ({"g": 0.1}, 0.10000000149011612),
        ({"g": 2.0**24 + 1}, 2.0**24),
        ({"g": 2.0**24 + 3}, 2.0**24 + 4),
        ({"g": -1e39}, -INF),
        ({"g": 3.4028235677973366e38}, INF),
        ({"g": 3.4028235677973362e38}, 3.4028234663852886e38),
        ({"g": 2.0**-150}, 0.0),
        ({"g": -3 * 2.0**-150}, -(2.0**-148)),
        ({"g": 5e-324}, 0.0),
        ({"g": -5e-324}, -0.0),
        ({"g": NAN}, NAN),
    ),
    "rounded to the type of an input": case(
        "plan(r=rounded(g, X.type))",
        ({"g": 2049.0}, 2048.0),
        ({"g": 65519.9}, 65504.0),
        ({"g": 65520.0}, INF),
        ({"g": 2049.0, "X": Given("X", "bfloat16", ())}, 2048.0),
        ({"g": 257.0, "X": Given("X", "bfloat16", ())}, 256.0),
        ({"g": 0.1, "X": Given("X", "double", ())}, 0.1),
        ({"g": 0.1, "X": Given("X", "int64", ())}, 0.1),
    ),
    "attributes that have not been prepared": case(
        "r = 1 if is_prepared() else 0\nif not is_prepared() and g > 0.5:\n    r = 2\nplan(r=r)",
        ({"g": 0.0}, 0),
        ({"g": 1.0}, 2),
    ),
    "how many numbers a range has": case(
        """
        require(f.size == 2, f"f has {f.size} values")
        steps = ceil(rounded(rounded(f.numbers[1] - f.numbers[0], f.type) / g, f.type))
        require(
            is_int64(steps) or steps < 0.0,
            f"(limit - start) / delta is {steps}, expected a finite number below 2^63",
        )
        r = 0
        if is_int64(steps):
            r = max(int64(steps), 0)
        plan(r=r)
        """,
        ({"f": Given("f", "float", (2,), (0.0, 1.0)), "g": 0.25}, 4),
        ({"f": Given("f", "float", (2,), (0.0, 1.0)), "g": 0.3}, 4),
        ({"f": Given("f", "float", (2,), (1.0, 0.0)), "g": 0.3}, 0),
        ({"f": Given("f", "float", (2,), (1.0, -INF)), "g": 0.3}, 0),
        (
            {"f": Given("f", "float", (2,), (0.0, 1.0)), "g": 0.0},
            "ShapeError: Op-1: (limit - start) / delta is inf, expected a finite number below 2^63",
        ),
        (
            {"f": Given("f", "float", (2,), (0.0, 0.0)), "g": 0.0},
            "ShapeError: Op-1: (limit - start) / delta is nan, expected a finite number below 2^63",
        ),
    ),
    "the size of a resized axis": case(
        """
        length = floor(rounded(float(X.shape[1]) * g, "float"))
        require(is_int64(length) and length >= 0.0, f"{length} is no size")
        plan(r=int64(length))
        """,
        ({"g": 2.5}, 7),
        ({"g": 0.10000000149011612}, 0),
        ({"g": -1.0}, "ShapeError: Op-1: -3 is no size"),
        ({"g": 1e300}, "ShapeError: Op-1: inf is no size"),
    ),
    "an index of numbers that is not known to be inside": case(
        "plan(r=f.numbers[a])",
        ({"a": 0}, 1.5),
        ({"a": 1}, 2.0),
        ({"a": 2}, "IndexError"),
        ({"a": -1}, "IndexError"),
    ),
    "values of every type": case(
        "plan(r=list(v.values[:4]))",
        (of_type("int32", 7, -(2**31), 2**31 - 1), (7, -(2**31), 2**31 - 1)),
        (of_type("int8", -128, 127), (-128, 127)),
        (of_type("uint8", 255), (255,)),
        (of_type("int16", -(2**15)), (-(2**15),)),
        (of_type("uint16", 65535), (65535,)),
        (of_type("uint32", 2**32 - 1, 0), (2**32 - 1, 0)),
        (of_type("uint64", INT64_MAX), (INT64_MAX,)),
        (of_type("uint64", 0, INT64_MAX + 1), OVERFLOW),
        (of_type("bool", 1, 0), (1, 0)),
        (of_type("int64", *range(200)), (0, 1, 2, 3)),
        (of_type("int32", *range(128)), (0, 1, 2, 3)),
        (
            of_type("int32", *range(129)),
            "ShapeError: Op-1: v has 129 values, expected at most 128",
        ),
        (
            {"v": Given("v", "int32", (3,), None)},
            "OpError: Op-1: value of v is unknown, expected a tensor with data",
        ),
    ),
    "a scalar": case(
        """
        require(v.size == 1, f"v has {counted(v.size, 'value')}")
        plan(r=v.values[0])
        """,
        ({"v": Given("v", "int32", (), (-5,))}, -5),
        ({"v": Given("v", "int64", (), (2**40,))}, 2**40),
        ({"v": Given("v", "int64", (2,), (1, 2))}, "ShapeError: Op-1: v has 2 values"),
    ),
    **{f"random floats {seed}": random_case(seed) for seed in range(12)},
}
