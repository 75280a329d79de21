"""Parameters that a rule does not use, whatever its comments and texts mention."""

from __future__ import annotations

from rules_case import Case, case

CASES: dict[str, Case] = {
    "comments that mention parameters": case(
        """
        # the op needs no context, nor a storage; X, v and xs_count do not matter
        plan(r=7)
        """,
        ({}, 7),
    ),
    "texts that mention parameters": case(
        """
        word = "op context xs X helper='halved'"
        plan(r=1 if word == "op" else 2)
        """,
        ({}, 2),
        helpers="""
        def halved(n: int) -> int:
            return n // 2
        """,
    ),
    "helpers that use nothing": case(
        """
        plan(r=first(a, xs, q, X)[1] + second())
        """,
        ({"a": 3}, 9),
        helpers="""
        def first(n: int, xs: Tensors, q: Ints, context: Tensor) -> Ints:
            # the op needs no context and no storage
            return q

        def second() -> int:
            return 7
        """,
    ),
    "the number of inputs alone": case("plan(r=len(xs))", ({}, 2)),
    "an input alone, at a place that is known": case(
        """
        r = 0
        if len(xs) == 2:
            r = xs[1].rank
        plan(r=r)
        """,
        ({}, 2),
    ),
}
