"""The helpers of `_shared/` that operators will use most, against NumPy and by hand."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from rules_case import Case, case, tensor

SHARED = Path(__file__).resolve().parents[2] / "families" / "_shared"


def shared(module: str) -> str:
    """The text of a shared file, without its docstring, which has its place at the beginning."""
    return (SHARED / f"{module}.py").read_text().split('"""', 2)[2]


def shapes(rng: random.Random, count: int) -> list[tuple[int, ...]]:
    """Shapes that are often broadcast to each other."""
    common = [rng.choice((0, 2, 3, 3)) for _ in range(4)]
    found = []
    for _ in range(count):
        dims = [rng.choice((dim, dim, 1)) for dim in common[rng.randint(0, 4) :]]
        if dims and rng.random() < 0.08:
            dims[rng.randrange(len(dims))] = 4
        found.append(tuple(dims))
    return found


def legal(draw: Any, expected: Any, count: int) -> list[tuple[dict[str, Any], Any]]:
    """Calls that NumPy accepts, with its result."""
    rng = random.Random(5)
    calls: list[tuple[dict[str, Any], Any]] = []
    while len(calls) < count:
        given = draw(rng)
        try:
            calls.append((given, tuple(expected(given))))
        except ValueError:
            continue
    return calls


def several(number: int) -> Any:
    return lambda rng: {"xs": [tensor(*shape) for shape in shapes(rng, number)]}


def any_number(rng: random.Random) -> dict[str, Any]:
    return several(rng.randint(1, 5))(rng)


def together(given: dict[str, Any]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(one.shape for one in given["xs"]))


def one_way(rng: random.Random) -> dict[str, Any]:
    small, large = shapes(rng, 2)
    return {"xs": [tensor(*small), tensor(*large)]}


def kept(given: dict[str, Any]) -> tuple[int, ...]:
    small, large = (one.shape for one in given["xs"])
    if np.broadcast_shapes(small, large) != large:
        raise ValueError
    return large


def some_axes(rng: random.Random) -> dict[str, Any]:
    return {"q": tuple(rng.randint(-3, 2) for _ in range(rng.randint(0, 3)))}


def normalized(given: dict[str, Any]) -> tuple[int, ...]:
    return np.lib.array_utils.normalize_axis_tuple(given["q"], 3)


def an_order(rng: random.Random) -> dict[str, Any]:
    order = rng.sample(range(3), 3)
    return {"p": tuple(order) if rng.random() < 0.8 else None}


def permuted(given: dict[str, Any]) -> tuple[int, ...]:
    return np.transpose(np.empty((0, 1, 2)), given["p"]).shape


TWO = 'plan(r=broadcast_two("A.shape", xs[0].shape, "B.shape", xs[1].shape))'
THREE = (
    'plan(r=broadcast_three("A.shape", xs[0].shape, "B.shape", xs[1].shape, "C.shape", '
    "xs[2].shape))"
)
ONE_WAY = """
check_broadcasts_to("C.shape", xs[0].shape, "Y.shape", xs[1].shape)
plan(r=list(xs[1].shape))
"""


def error(text: str) -> str:
    return f"ShapeError: Op-1: {text}"


def wrong(text: str) -> str:
    return f"AttributeValueError: Op-1: {text}"


CASES: dict[str, Case] = {
    "two shapes broadcast": case(
        TWO,
        *legal(several(2), together, 60),
        (
            {"xs": [tensor(2, 3), tensor(4, 3)]},
            error("B.shape[0] is 4, expected 1 or 2 (A.shape[0])"),
        ),
        (
            {"xs": [tensor(3), tensor(5, 0)]},
            error("B.shape[1] is 0, expected 1 or 3 (A.shape[0])"),
        ),
        ({"xs": [tensor(*[1] * 64), tensor(*[2] * 64)]}, (2,) * 64),
        helpers=shared("broadcast"),
    ),
    "three shapes broadcast": case(
        THREE,
        *legal(several(3), together, 60),
        (
            {"xs": [tensor(3), tensor(2, 1), tensor(2, 4)]},
            error("C.shape[1] is 4, expected 1 or 3 (axis 1 of A.shape and B.shape together)"),
        ),
        helpers=shared("broadcast"),
    ),
    "any number of shapes broadcast": case(
        'plan(r=broadcast_all("data_0", xs))',
        *legal(any_number, together, 60),
        (
            {"xs": [tensor(3), tensor(1), tensor(7, 2)]},
            error("data_0[2].shape[1] is 2, expected 1 or 3 (as in the inputs before)"),
        ),
        helpers=shared("broadcast"),
    ),
    "one shape broadcasts to another": case(
        ONE_WAY,
        *legal(one_way, kept, 60),
        (
            {"xs": [tensor(2, 3), tensor(3)]},
            error("C.shape has 2 dims, expected at most 1 (those of Y.shape)"),
        ),
        (
            {"xs": [tensor(2), tensor(5, 3)]},
            error("C.shape[0] is 2, expected 1 or 3 (Y.shape[1])"),
        ),
        (
            {"xs": [tensor(2), tensor(5, 1)]},
            error("C.shape[0] is 2, expected 1 (Y.shape[1])"),
        ),
        helpers=shared("broadcast"),
    ),
    "axes that an attribute lists": case(
        'plan(r=attribute_axes("axes", q, X.rank, True))',
        *legal(some_axes, normalized, 60),
        ({"q": (0, 3)}, wrong("axes[1] is 3, expected -3 to 2")),
        ({"q": (1, -2)}, wrong("axes[1] duplicates axis 1, expected each axis once")),
        ({"q": (0, 1, 2, 0)}, wrong("axes has 4 values, expected at most 3 (the rank)")),
        ({"X": tensor(), "q": (0,)}, wrong("axes has 1 value, expected at most 0 (the rank)")),
        ({"X": tensor(), "q": ()}, ()),
        helpers=shared("axes"),
    ),
    "axes that an input lists": case(
        'plan(r=marked(input_axes("axes", q, X.rank, False), X.rank))',
        ({"q": (2, 0)}, (1, 0, 1)),
        ({"q": ()}, (0, 0, 0)),
        ({"q": (-1,)}, error("axes[0] is -1, expected 0 to 2")),
        ({"q": (1, 1)}, error("axes[1] duplicates axis 1, expected each axis once")),
        ({"q": (0,) * 65}, error("axes has 65 values, expected at most 3 (the rank)")),
        helpers=shared("axes"),
    ),
    "an axis": case(
        """
        if s == "input":
            plan(r=input_axis("axis", a, X.rank, b != 0))
        else:
            plan(r=attribute_axis("axis", a, X.rank, b != 0))
        """,
        ({"a": 2}, 2),
        ({"a": -3, "b": 1}, 0),
        ({"a": -1, "b": 1, "s": "input"}, 2),
        ({"a": -1}, wrong("axis is -1, expected 0 to 2")),
        ({"a": 3, "b": 1}, wrong("axis is 3, expected -3 to 2")),
        ({"a": 3, "s": "input"}, error("axis is 3, expected 0 to 2")),
        ({"a": 0, "X": tensor()}, wrong("axis is 0, expected an input of rank 1 or more")),
        helpers=shared("axes"),
    ),
    "permutations": case(
        """
        order = permutation("perm", p, X.rank)
        shape: list[int] = []
        for i in range(X.rank):
            shape.append(X.shape[order[i]])
        plan(r=shape)
        """,
        *(
            ({**given, "X": tensor(0, 1, 2)}, expected)
            for given, expected in legal(an_order, permuted, 30)
        ),
        ({"p": (0, 1)}, wrong("perm has 2 values, expected 3 (the rank)")),
        ({"p": (0, 1, 3)}, wrong("perm[2] is 3, expected 0 to 2")),
        ({"p": (0, -1, 1)}, wrong("perm[1] is -1, expected 0 to 2")),
        ({"p": (0, 2, 0)}, wrong("perm[2] duplicates axis 0, expected each axis once")),
        helpers=shared("axes"),
    ),
}
