"""Flow, lists, optional values, helpers and tensors: what they do."""

from __future__ import annotations

from rules_case import INT64_MAX, INT64_MIN, OVERFLOW, Case, case, tensor
from rules_values import Given

CASES: dict[str, Case] = {
    "if, elif, else": case(
        """
        if a < 0:
            r = 1
        elif a == 0:
            r = 2
        elif a == 1:
            r = 3
        else:
            r = 4
        plan(r=r)
        """,
        ({"a": -1}, 1),
        ({"a": 0}, 2),
        ({"a": 1}, 3),
        ({"a": 2}, 4),
    ),
    "a list unpacked, but for one value": case(
        """
        sizes = [a, b, a - b]
        first, _, third = sizes
        plan(r=[third, first])
        """,
        ({"a": 5, "b": 2}, (3, 5)),
    ),
    "a list of floats unpacked": case(
        """
        sizes = [g, 0.5]
        first, half = sizes
        plan(r=first + half)
        """,
        ({"g": 2.0}, 2.5),
    ),
    "a name unpacked anew": case(
        """
        first = 9
        sizes = [first + 1, 7]
        first, other = sizes
        plan(r=[first, other])
        """,
        ({}, (10, 7)),
    ),
    "for with a start": case(
        """
        r = 0
        for i in range(2, 6):
            r = r * 10 + i
        plan(r=r)
        """,
        ({}, 2345),
    ),
    "for over nothing": case(
        """
        r = 7
        for i in range(5, 2):
            r = i
        plan(r=r)
        """,
        ({}, 7),
    ),
    "a loop's bounds are evaluated once": case(
        """
        n = len(q)
        r = 0
        for i in range(n):
            n = 0
            r += 1
        plan(r=r + n)
        """,
        ({}, 3),
        ({"q": ()}, 0),
    ),
    "a list that grows while it bounds the loop": case(
        """
        items = [1, 2]
        for i in range(len(items)):
            items.append(items[i])
        plan(r=items)
        """,
        ({}, (1, 2, 1, 2)),
    ),
    "a list that is made anew in each round": case(
        """
        r = 0
        for i in range(4):
            row: list[int] = []
            for j in range(i):
                row.append(j)
            r = r * 10 + len(row)
        plan(r=r)
        """,
        ({}, 123),
    ),
    "nested loops": case(
        """
        r = 0
        for i in range(X.rank):
            for j in range(i):
                r += X.shape[i] * X.shape[j]
        plan(r=r)
        """,
        ({}, 26),
        ({"X": tensor(2)}, 0),
    ),
    "+=, -= and *=": case(
        """
        r = a
        r += 5
        r *= b
        r -= 1
        plan(r=r)
        """,
        ({"a": 1, "b": 3}, 17),
        ({"a": INT64_MAX}, OVERFLOW),
        ({"a": 0, "b": INT64_MIN}, OVERFLOW),
    ),
    "an element is given a value": case(
        """
        r = [0] * 3
        r[a] = 5
        r[0] = r[a] + 1
        plan(r=r)
        """,
        ({"a": 2}, (6, 0, 5)),
        ({"a": -1}, "IndexError"),
        ({"a": 3}, "IndexError"),
    ),
    "a loop sees the elements of the round before": case(
        """
        x = [0]
        r = 0
        for i in range(3):
            r = x[0] + 1
            x[0] = a
        plan(r=r)
        """,
        ({"a": 4}, 5),
        ({"a": INT64_MAX}, OVERFLOW),
    ),
    "slices": case(
        """
        require(len(q) <= 8, "too long")
        plan(r=q[1:] + [9] + q[:2] + [9] + q[1:2] + [9] + q[2:1] + [9] + q[5:] + [9] + q[:9])
        """,
        ({}, (2, 3, 9, 1, 2, 9, 2, 9, 9, 9, 1, 2, 3)),
        ({"q": ()}, (9, 9, 9, 9, 9)),
    ),
    "a slice from a variable": case(
        """
        require(0 <= a, "negative")
        require(0 <= b, "negative")
        plan(r=len(q[a:b]) * 100 + len(q[a:]) * 10 + len(q[:b]))
        """,
        ({"a": 1, "b": 2}, 122),
        ({"a": 2, "b": 1}, 11),
        ({"a": INT64_MAX, "b": INT64_MAX}, 3),
        ({"a": -1}, "ShapeError: Op-1: negative"),
    ),
    "repeated lists": case(
        """
        require(a <= 128, "too many")
        plan(r=[a + 1] * a)
        """,
        ({"a": 2}, (3, 3)),
        ({"a": 0}, ()),
        ({"a": INT64_MIN}, ()),
        ({"a": 128}, (129,) * 128),
        ({"a": 129}, "ShapeError: Op-1: too many"),
    ),
    "list() makes a copy": case(
        """
        r = list(X.shape)
        r[0] = 9
        r.append(X.shape[0])
        plan(r=r)
        """,
        ({}, (9, 3, 4, 2)),
    ),
    "an old list is not the new one": case(
        """
        x = [1, 2]
        y = x + [3]
        x[0] = 9
        x.append(8)
        plan(r=y + x)
        """,
        ({}, (1, 2, 3, 9, 2, 8)),
    ),
    "len, min, max, abs": case(
        "plan(r=[len(q), min(a, b, 2), max(a, b, 2), abs(a)])",
        ({"a": -5, "b": 9}, (3, -5, 9, 5)),
        ({"a": -INT64_MAX}, (3, -INT64_MAX, 2, INT64_MAX)),
        ({"a": INT64_MIN}, OVERFLOW),
    ),
    "conditional expressions": case(
        "plan(r=1 if a > 0 else 2 if a == 0 else 3)",
        ({"a": 1}, 1),
        ({"a": 0}, 2),
        ({"a": -1}, 3),
    ),
    "a conditional condition": case(
        "plan(r=(1 if b > 0 else 2) if (a > 0 if b > 0 else a < 0) else (3 if b > 0 else 4))",
        ({"a": 1, "b": 1}, 1),
        ({"a": -1, "b": 0}, 2),
        ({"a": 0, "b": 1}, 3),
        ({"a": 1, "b": 0}, 4),
    ),
    "and, or, not stop early": case(
        """
        r = 0
        if a > 0 and q[a] > 1:
            r += 1
        if a <= 0 or q[a] > 1:
            r += 10
        if not (a > 0 and q[a] > 1):
            r += 100
        plan(r=r)
        """,
        ({"a": -1}, 110),
        ({"a": 1}, 11),
        ({"a": 3}, "IndexError"),
    ),
    "chains stop early": case(
        "plan(r=1 if 0 < a < q[a] < 9 else 2)",
        ({"a": -5}, 2),
        ({"a": 1}, 1),
        ({"a": 1, "q": (0, 9)}, 2),
        ({"a": 5}, "IndexError"),
    ),
    "chains of lists": case(
        """
        k = [2, 3, 4]
        plan(r=1 if X.shape == k == q else 2)
        """,
        ({}, 2),
        ({"q": (2, 3, 4)}, 1),
    ),
    "lists are compared by value": case(
        """
        r = 0
        if p is not None:
            require_attribute(p == X.shape[1:], f"{p} is not {X.shape[1:]}")
            r = 1 if p != q else 2
        plan(r=r)
        """,
        ({}, 0),
        ({"p": (3, 4)}, 1),
        ({"p": (3, 4), "q": (3, 4)}, 2),
        ({"p": ()}, "AttributeValueError: Op-1: [] is not [3, 4]"),
    ),
    "in and not in": case(
        """
        require_attribute(s in ("A", "B", "C"), f"'{s}' is none")
        plan(r=1 if s not in ("A", "B") else 2)
        """,
        ({}, 2),
        ({"s": "C"}, 1),
        ({"s": "a"}, "AttributeValueError: Op-1: 'a' is none"),
    ),
    "one word": case('plan(r=1 if s in ("A",) else 2)', ({}, 1), ({"s": "B"}, 2)),
    "texts and truth values": case(
        """
        same = s == X.type
        other = a > 0
        t = s if same else "other"
        plan(r=1 if same == other else 2 if t == "other" else 3)
        """,
        ({"s": "float16", "a": 1}, 1),
        ({"s": "float", "a": 1}, 2),
        ({"s": "float16", "a": 0}, 3),
    ),
    "optional: if not None": case(
        """
        r = 5
        if B is not None:
            r = B.rank
        plan(r=r)
        """,
        ({}, 5),
        ({"B": tensor(1, 1)}, 2),
    ),
    "optional: else": case(
        """
        if B is None:
            r = 5
        else:
            r = B.rank
        plan(r=r)
        """,
        ({}, 5),
        ({"B": tensor(1, 1)}, 2),
    ),
    "optional: and, or": case(
        """
        r = 1 if B is not None and B.rank == 2 else 2
        require(B is None or B.rank >= 1, f"B must not be a scalar")
        plan(r=r)
        """,
        ({}, 2),
        ({"B": tensor(1, 1)}, 1),
        ({"B": tensor(1)}, 2),
        ({"B": tensor()}, "ShapeError: Op-1: B must not be a scalar"),
    ),
    "optional: required first": case(
        """
        require(B is not None, "B is missing")
        plan(r=B.shape)
        """,
        ({}, "ShapeError: Op-1: B is missing"),
        ({"B": tensor(4)}, (4,)),
    ),
    "optional: a message knows what failed": case(
        """
        require(B is None, f"B is given, of rank {B.rank}")
        plan(r=1)
        """,
        ({}, 1),
        ({"B": tensor(4)}, "ShapeError: Op-1: B is given, of rank 1"),
    ),
    "helpers": case(
        """
        check(a, 10)
        plan(r=[twice(a), first(q), chosen(B, p)])
        """,
        ({"a": 4}, (8, 1, 0)),
        ({"a": 4, "q": ()}, (8, -1, 0)),
        ({"a": 4, "B": tensor(1), "p": (1, 2)}, (8, 1, 12)),
        ({"a": 10}, "AttributeValueError: Op-1: 10 is not below 10"),
        helpers='''
        def check(n: int, end: int) -> None:
            """Below the end."""
            require_attribute(n < end, f"{n} is not below {end}")


        def twice(n: int) -> int:
            return n * 2


        def first(values: Ints) -> int:
            for i in range(len(values)):
                return values[i]
            return -1


        def chosen(t: Tensor | None, values: Ints | None) -> int:
            r = 0
            if t is not None:
                r += 10
            if values is not None:
                r += len(values)
            return r
        ''',
    ),
    "helpers call helpers": case(
        "plan(r=outer([a, b]))",
        ({"a": 1, "b": 2}, 6),
        helpers="""
        def inner(values: Ints, n: Count) -> int:
            r = 0
            for i in range(n):
                r += values[i]
            return r


        def outer(values: Ints) -> int:
            if len(values) > 128:
                return 0
            return inner(values, len(values)) * 2
        """,
    ),
    "a tensor from a helper, and a list": case(
        "plan(r=padded(last(xs).shape, a))",
        ({}, (2, 2)),
        ({"a": 2}, (0, 0, 2, 2)),
        helpers="""
        def last(ts: Tensors) -> Tensor:
            return ts[len(ts) - 1]


        def padded(values: Ints, n: int) -> Ints:
            if n == 0:
                return values
            require(0 <= n <= 64, f"{n} out of range")
            require(len(values) <= 64, "too long")
            return [0] * n + values
        """,
    ),
    "variadic": case(
        """
        r = 0
        for i in range(len(xs)):
            require_type(xs[i].type != "bool", f"xs[{i}] is {xs[i].type}")
            r = r * 10 + xs[i].rank
        plan(r=r)
        """,
        ({}, 12),
        ({"xs": []}, 0),
        (
            {"xs": [tensor(1), Given("xs", "bool", ())]},
            "TypeConstraintError: Op-1: xs[1] is bool",
        ),
    ),
    "contents": case(
        "plan(r=[v.size, v.values[1], len(v.values)])",
        ({}, (3, -6, 3)),
        ({"v": Given("v", "int64", (2,), (INT64_MIN, INT64_MAX))}, (2, INT64_MAX, 2)),
        (
            {"v": Given("v", "int64", (3,))},
            "OpError: Op-1: value of v is unknown, expected a tensor with data",
        ),
    ),
    "a size": case(
        "plan(r=X.size)",
        ({}, 24),
        ({"X": tensor()}, 1),
        ({"X": tensor(2**62, 0, 2**62)}, 0),
        ({"X": tensor(INT64_MAX)}, INT64_MAX),
        ({"X": tensor(2**62, 2)}, OVERFLOW),
    ),
    "a size is any int64": case("plan(r=X.size * 4)", ({"X": tensor(2**61)}, OVERFLOW)),
    "floats": case(
        """
        x = f.numbers[0]
        require(is_int64(x), f"{x} is not whole")
        plan(r=int64(x))
        """,
        ({}, "ShapeError: Op-1: 1.5 is not whole"),
        ({"f": Given("f", "float", (1,), (-0.0,))}, 0),
        ({"f": Given("f", "double", (1,), (-(2.0**63),))}, INT64_MIN),
        (
            {"f": Given("f", "double", (1,), (2.0**63,))},
            "ShapeError: Op-1: 9.22337204e+18 is not whole",
        ),
        ({"f": Given("f", "double", (1,), (2.0**63 - 1024,))}, 2**63 - 1024),
        ({"f": Given("f", "double", (1,), (float("nan"),))}, "ShapeError: Op-1: nan is not whole"),
        (
            {"f": Given("f", "double", (1,), (float("-inf"),))},
            "ShapeError: Op-1: -inf is not whole",
        ),
        ({"f": Given("f", "double", (1,), (1e-7,))}, "ShapeError: Op-1: 1e-07 is not whole"),
    ),
    "a requirement on a float fails with NaN": case(
        """
        require(g < 3.0, f"{g} is not below 3")
        require(g > -1.5, f"{g} is not above")
        require(g <= 2.0 and g >= -1.0, f"{g} is outside")
        require(g != 1.0, "one")
        plan(r=1)
        """,
        ({"g": 0.5}, 1),
        ({"g": 3.0}, "ShapeError: Op-1: 3 is not below 3"),
        ({"g": -1.5}, "ShapeError: Op-1: -1.5 is not above"),
        ({"g": 2.5}, "ShapeError: Op-1: 2.5 is outside"),
        ({"g": 1.0}, "ShapeError: Op-1: one"),
        ({"g": float("nan")}, "ShapeError: Op-1: nan is not below 3"),
    ),
    "literals of floats": case(
        "plan(r=1 if g == -0.0 else 2 if g > 1e999 else 3 if g == 1e-05 else 4)",
        ({"g": 0.0}, 1),
        ({"g": 1e-05}, 3),
        ({"g": float("inf")}, 4),
    ),
}
