"""Parameters of a family, messages, comments and names."""

from __future__ import annotations

from rules_case import INT64_MAX, INT64_MIN, OVERFLOW, Case, case

CASES: dict[str, Case] = {
    "parameters of the family": case(
        """
        if mode == "sum" and not keep:
            r = step * 10
        elif keep or step > 5:
            r = step
        else:
            r = -step
        plan(r=r)
        """,
        ({}, -3),
        mode="mean",
        keep=False,
        step=3,
    ),
    "a parameter decides what a rule does": case(
        """
        if keep:
            plan(r=1)
        else:
            require(a == 0, f"{mode} of {a}")
            plan(r=2)
        """,
        ({}, 2),
        ({"a": 1}, "ShapeError: Op-1: mean of 1"),
        mode="mean",
        keep=False,
    ),
    "a parameter and a value": case(
        """
        r = 0
        if keep and a > 0:
            r += 1
        if a > 0 or keep:
            r += 10
        if not keep or a > 0:
            r += 100
        if mode in ("mean", "max") and a > 0:
            r += 1000
        plan(r=r if mode == "mean" else -r)
        """,
        ({"a": 1}, 1111),
        ({"a": 0}, 10),
        mode="mean",
        keep=True,
    ),
    "MAX_RANK": case("plan(r=MAX_RANK)", ({}, 64)),
    "bytes of a text": case(
        "plan(r=[byte_count(s), byte_at(s, a)])",
        ({"s": "Az"}, [2, 65]),
        ({"s": "Az", "a": 1}, [2, 122]),
        ({"s": "Az", "a": 2}, [2, -1]),
        ({"s": "Az", "a": -1}, [2, -1]),
        ({"s": "Az", "a": INT64_MAX}, [2, -1]),
        ({"s": "", "a": 0}, [0, -1]),
        ({"s": "\u00e9", "a": 1}, [2, 169]),
    ),
    "numbers and their nouns": case(
        """
        require(a == 0, f"{counted(a, 'value')} of {counted(len(q), 'axis', 'axes')}")
        plan(r=1)
        """,
        ({"a": 0}, 1),
        ({"a": 1}, "ShapeError: Op-1: 1 value of 3 axes"),
        ({"a": -1, "q": (7,)}, "ShapeError: Op-1: -1 values of 1 axis"),
        ({"a": INT64_MAX, "q": ()}, f"ShapeError: Op-1: {INT64_MAX} values of 0 axes"),
    ),
    "nouns of the rule's own, hostile as they are": case(
        """
        require(a == 0, f"{counted(a, 'a %s {', 'b?%n')}{b}")
        plan(r=1)
        """,
        ({"a": 1}, "ShapeError: Op-1: 1 a %s {0"),
        ({"a": 2}, "ShapeError: Op-1: 2 b?%n0"),
    ),
    "lists in messages": case(
        """
        x = [a] * 17
        require(a == 0, f"{x} and {q} and {X.shape}")
        plan(r=1)
        """,
        ({}, 1),
        (
            {"a": -1, "q": tuple(range(16))},
            f"ShapeError: Op-1: [{'-1, ' * 16}...] and "
            f"[{', '.join(map(str, range(16)))}] and [2, 3, 4]",
        ),
    ),
    "hostile texts in messages": case(
        """
        require_attribute(s == "A", f"s is '{s}', X is {X.type}{{}}")
        plan(r=1)
        """,
        ({"s": 'B"{a}'}, "AttributeValueError: Op-1: s is 'B\"{a}', X is float16{}"),
        (
            {"s": "\n\\\x7f\0"},
            r"AttributeValueError: Op-1: s is '\x0a\x5c\x7f\x00', X is float16{}",
        ),
        ({"s": "é€"}, r"AttributeValueError: Op-1: s is '\xc3\xa9\xe2\x82\xac', X is float16{}"),
        ({"s": "\udcff"}, r"AttributeValueError: Op-1: s is '\xed\xb3\xbf', X is float16{}"),
        ({"s": "x" * 41}, f"AttributeValueError: Op-1: s is '{'x' * 40}', X is float16{{}}"),
        (
            {"s": "x" * 39 + "\n"},
            f"AttributeValueError: Op-1: s is '{'x' * 39}\\', X is float16{{}}",
        ),
    ),
    "long messages are cut": case(
        """
        require(a == 0, f"{q} {q} {q} {q} {q}")
        plan(r=1)
        """,
        (
            {"a": 1, "q": (INT64_MIN,) * 20},
            ("ShapeError: Op-1: [" + f"{INT64_MIN}, " * 16)[: 255 + len("ShapeError: ")],
        ),
    ),
    "expressions in messages": case(
        """
        require(a >= 0, f"{a + 1} {-a} {q[0]} {'neg' if s == 'A' else s} {word('ab')} {len(q[1:])}")
        plan(r=1)
        """,
        ({"a": -2}, "ShapeError: Op-1: -1 2 1 neg word:ab 2"),
        ({"a": -2, "s": '"'}, 'ShapeError: Op-1: -1 2 1 " word:ab 2'),
        ({"a": INT64_MIN}, OVERFLOW),
        ({"a": -2, "q": ()}, "IndexError"),
        helpers="""
        def word(w: str) -> str:
            return "word:ab" if w == "ab" else w
        """,
    ),
    "constants in messages": case(
        """
        require(a == 0, f"{0.1} {1e20} {123456789.25} {7} {'it''s'} {mode} {step}")
        plan(r=1)
        """,
        ({"a": 1}, "ShapeError: Op-1: 0.1 1e+20 123456789 7 its a\\b 5"),
        mode="a\\b",
        step=5,
    ),
    "texts that say nothing to a formatter": case(
        """
        require(a == 0, "100% {} \\\\ \\" ' \\n {a}")
        require(b == 0, f"100% {{}} {{a}} {b}%d")
        plan(r=1)
        """,
        ({"a": 1}, "ShapeError: Op-1: 100% {} \\ \" ' \n {a}"),
        ({"b": 1}, "ShapeError: Op-1: 100% {} {a} 1%d"),
    ),
    "comments": case(
        """
        # Before, with a """
        + '"""'
        + """ and a \\\\ in it.
        r = 1  # behind
        #
        if a == 0:
            # inside
            r = 2
            # at the end
        # before else
        else:
            # within else
            r = 3
        plan(r=r)
        # last
        """,
        ({}, 2),
        ({"a": 1}, 3),
    ),
    "names that the emitted code uses": case(
        """
        op = 1
        derived = op + 1
        tuple = [derived]
        op_ = 10
        int = 5
        ShapeError = 7
        listed = [a]
        quoted = 3
        Sequence = 4
        require(a < 9, f"{listed} {tuple} {s} {op}")
        require(q == tuple or a < 3, "not the same")
        x = [0] * 2
        x[a] = op + op_ * derived + int * ShapeError + quoted * Sequence
        plan(r=x)
        """,
        ({}, (68, 0)),
        ({"a": 9}, "ShapeError: Op-1: [9] [2] A 1"),
        ({"a": 3}, "ShapeError: Op-1: not the same"),
        ({"a": 2}, "IndexError"),
    ),
    "helpers that the emitted code uses": case(
        "plan(r=[listed(q), tuple(a), inside(a), int(a), decimal(g)])",
        ({"a": 1}, (3, 2, 3, 5, 1)),
        helpers="""
        def listed(values: Ints) -> int:
            return len(values)


        def tuple(n: int) -> int:
            return n + 1


        def inside(n: int) -> int:
            return n + 2


        def int(n: int) -> int:
            return n + 4


        def decimal(x: float) -> int:
            require(x < 1.0, f"{x}")
            return 1
        """,
    ),
}
