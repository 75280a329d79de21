"""Requirements and arithmetic: the order of steps, and the edges of int64."""

from __future__ import annotations

from rules_case import INT64_MAX, INT64_MIN, OVERFLOW, Case, case, tensor

CASES: dict[str, Case] = {
    "requirements, turned around": case(
        """
        require(not (a > 0 or b > 0) and s != "Z", "first")
        require(not (a < -5 and b < -5) or s == "B", "second")
        require(-9 <= a < 0 or not b < -7, "third")
        require(not (a > -2 or b > -2) or s == "A", "fourth")
        require((a < 0) == (b < 0), "fifth")
        plan(r=1)
        """,
        ({}, 1),
        ({"a": 1}, "ShapeError: Op-1: first"),
        ({"s": "Z"}, "ShapeError: Op-1: first"),
        ({"a": -6, "b": -6}, "ShapeError: Op-1: second"),
        ({"a": -6, "b": -6, "s": "B"}, 1),
        ({"a": -10, "b": -8, "s": "B"}, "ShapeError: Op-1: third"),
        ({"a": 0, "b": -3, "s": "B"}, "ShapeError: Op-1: fourth"),
        ({"a": -3, "b": 0, "s": "B"}, "ShapeError: Op-1: fourth"),
        ({"a": -3, "b": -3, "s": "B"}, 1),
        ({"a": -3, "b": 0}, "ShapeError: Op-1: fifth"),
    ),
    "an or of two opposites": case(
        """
        require(not (a > 0 or b > 0) or s == "A", "refused")
        plan(r=1)
        """,
        ({"a": 1}, 1),
        ({"a": 1, "s": "B"}, "ShapeError: Op-1: refused"),
        ({"b": 1, "s": "B"}, "ShapeError: Op-1: refused"),
        ({"s": "B"}, 1),
    ),
    "floor division and modulo": case(
        "plan(r=[a // 3, a % 3, a // 9223372036854775807, a % 9223372036854775807])",
        ({"a": 7}, (2, 1, 0, 7)),
        ({"a": -7}, (-3, 2, -1, INT64_MAX - 7)),
        ({"a": INT64_MIN}, (-3074457345618258603, 1, -2, INT64_MAX - 1)),
        ({"a": INT64_MAX}, (3074457345618258602, 1, 1, 0)),
    ),
    "division by what is positive": case(
        """
        require(b >= 1, "no")
        plan(r=[a // b, a % b])
        """,
        ({"a": -7, "b": 2}, (-4, 1)),
        ({"a": INT64_MIN, "b": 1}, (INT64_MIN, 0)),
        ({"a": INT64_MIN, "b": INT64_MAX}, (-2, INT64_MAX - 1)),
        ({"b": 0}, "ShapeError: Op-1: no"),
    ),
    "the edges of int64": case(
        """
        plan(r=[a + 1 - 1, 1 - a, a - 1 + 1, a * 1, -a])
        """,
        ({"a": 1}, (1, 0, 1, 1, -1)),
        ({"a": INT64_MAX}, OVERFLOW),
        ({"a": INT64_MIN}, OVERFLOW),
        (
            {"a": INT64_MAX - 1},
            (INT64_MAX - 1, -INT64_MAX + 2, INT64_MAX - 1, INT64_MAX - 1, -INT64_MAX + 1),
        ),
        (
            {"a": INT64_MIN + 2},
            (INT64_MIN + 2, INT64_MAX - 0, INT64_MIN + 2, INT64_MIN + 2, INT64_MAX - 1),
        ),
    ),
    "literals at the edges": case(
        "plan(r=[9223372036854775807, -9223372036854775808, -(-9223372036854775807)])",
        ({}, (INT64_MAX, INT64_MIN, INT64_MAX)),
    ),
    "constants overflow like variables": case(
        "plan(r=9223372036854775807 + 1 if a == 1 else -(-9223372036854775808) if a == 2 else 0)",
        ({}, 0),
        ({"a": 1}, OVERFLOW),
        ({"a": 2}, OVERFLOW),
    ),
    "the first fault is reported": case(
        "plan(r=[q[9], a + 1] if b == 0 else [a + 1, q[9]])",
        ({"a": INT64_MAX}, "IndexError"),
        ({"a": INT64_MAX, "b": 1}, OVERFLOW),
    ),
    "a value is found before its place": case(
        """
        r = [1]
        r[a] = a + 1
        plan(r=r)
        """,
        ({"a": INT64_MAX}, OVERFLOW),
        ({"a": 1}, "IndexError"),
    ),
    "the order of terms": case(
        "plan(r=a - (b - 1) - (a - b) * -2 - (7 - 3 // 2 * 2) + -a % 5 - -b)",
        ({"a": 10, "b": 4}, 7 + 12 - 5 + 0 + 4),
        ({"a": 3, "b": 1}, 3 + 4 - 5 + 2 + 1),
    ),
    # What is known of an integer decides whether a step is checked: one too few, and it is not.
    "what is below": case(
        """
        r = 0
        if a < 5:
            r = a + 9223372036854775804
        if a <= 2:
            r = a + 9223372036854775806
        if 1 > a:
            r = a + 9223372036854775807
        if -1 >= a:
            r = a + 9223372036854775807
        plan(r=r)
        """,
        ({"a": 4}, OVERFLOW),
        ({"a": 3}, INT64_MAX),
        ({"a": 2}, OVERFLOW),
        ({"a": 1}, INT64_MAX),
        ({"a": 0}, INT64_MAX),
        ({"a": -1}, INT64_MAX - 1),
        ({"a": INT64_MIN}, -1),
    ),
    "what is above": case(
        """
        r = 0
        if a > -5:
            r = a - 9223372036854775805
        if a >= -2:
            r = a - 9223372036854775807
        if -1 < a:
            r = a + 1
        plan(r=r)
        """,
        ({"a": -4}, OVERFLOW),
        ({"a": -3}, INT64_MIN),
        ({"a": -2}, OVERFLOW),
        ({"a": -1}, INT64_MIN),
        ({"a": 0}, 1),
        ({"a": INT64_MAX}, OVERFLOW),
    ),
    "what is the same, and what is not": case(
        """
        r = 0
        if a == b:
            r = a + b
        if a != 9223372036854775807:
            r = a + 1
        require(b != 3 or a == 3, "no")
        plan(r=r)
        """,
        ({"a": INT64_MAX, "b": INT64_MAX}, OVERFLOW),
        ({"a": INT64_MAX, "b": 1}, 0),
        ({"a": INT64_MAX - 1, "b": 1}, INT64_MAX),
        ({"a": INT64_MIN, "b": INT64_MIN}, OVERFLOW),
        ({"a": 4, "b": 3}, "ShapeError: Op-1: no"),
    ),
    "what a quotient can be": case(
        "plan(r=[a // 2 - 4611686018427387905, b // 2 + 4611686018427387904])",
        ({"a": INT64_MIN}, OVERFLOW),
        ({"a": INT64_MIN + 2, "b": INT64_MIN}, (INT64_MIN, 0)),
        ({"a": INT64_MIN + 2, "b": INT64_MAX}, (INT64_MIN, INT64_MAX)),
    ),
    "what a remainder can be": case(
        "plan(r=[a % 5 - 1 - 9223372036854775807, b % 5 + 9223372036854775804])",
        ({"a": 5}, (INT64_MIN, INT64_MAX - 3)),
        ({"a": 6, "b": -2}, (INT64_MIN + 1, INT64_MAX)),
        ({"a": 6, "b": 4}, OVERFLOW),
    ),
    "a remainder may be 0": case(
        "plan(r=a % 5 + -9223372036854775808)",
        ({"a": 5}, INT64_MIN),
        ({"a": -1}, INT64_MIN + 4),
    ),
    "a remainder less one may be -1": case(
        "plan(r=a % 5 - 1 + -9223372036854775808)",
        ({"a": 5}, OVERFLOW),
        ({"a": 1}, INT64_MIN),
    ),
    "terms that need no check": case(
        """
        n = X.rank
        plan(r=[
            (n + 1) * (n - 2), n - (n - 1), n - (n + 1), n * (n // 2), 9 // (7 // 2), n // 2 * 2,
            (n + 1) % 3, -(n + 1), -(-n), (n if n > 2 else 1) + 1, n - -1, 2 * (n % 2), -n % 5,
            n * 2 // 4, n * (2 // 4),
        ])
        """,
        ({}, (4, 1, -1, 3, 3, 2, 1, -4, 3, 4, 4, 2, 2, 1, 0)),
    ),
    "a value after a loop": case(
        """
        n = 1
        for i in range(len(q)):
            n = n + q[i]
        plan(r=n + 1)
        """,
        ({}, 8),
        ({"q": ()}, 2),
        ({"q": (INT64_MAX - 1,)}, OVERFLOW),
        ({"q": (INT64_MAX - 1, -1)}, INT64_MAX),
    ),
    "a value after a side that returns": case(
        "plan(r=least(a) + 9223372036854775804)",
        ({"a": 9}, INT64_MAX),
        ({"a": 4}, OVERFLOW),
        ({"a": 3}, INT64_MAX),
        helpers="""
        def least(n: int) -> int:
            if n > 4:
                return 3
            m = n
            return m
        """,
    ),
    "an index is proven by the length": case(
        """
        require(len(q) == X.rank, "not so many")
        r = 0
        for i in range(X.rank):
            r += q[i] * X.shape[X.rank - 1 - i]
        k = [1] * X.rank
        k.append(2)
        if len(q) >= 2:
            r += q[1] + k[len(q)]
        plan(r=r)
        """,
        ({}, 4 + 6 + 6 + 2 + 2),
        ({"X": tensor(5), "q": (1,)}, 5),
        ({"X": tensor(5)}, "ShapeError: Op-1: not so many"),
    ),
}
