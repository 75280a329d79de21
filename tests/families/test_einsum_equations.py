"""Einsum's equation is read twice, in plain Python and in plain C: the two are compared here.

Equations are drawn, valid and damaged ones, and both backends compute them by the public function:
the result is equal, or the error and its message.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from string import ascii_letters

import numpy as np
import pytest

import opmill

pytestmark = [
    pytest.mark.operators("Einsum"),
    pytest.mark.skipif("c" not in opmill.backends(), reason="the backend c is not built here"),
]

CALLS = 6000
DAMAGE = (*"ijAzZ.-> ,1;@[`{é\u4e2d\ud800\t", "...", "->", ",,", "..", "......", "->->", "")
Call = tuple[str, list[tuple[int, ...]]]
SEEN = (
    "an incomplete ellipsis",
    "a hyphen alone",
    " byte ",
    "a comma at",
    "2 ellipses in term",
    "2 ellipses in the output",
    "3 ellipses in the output",
    "that no input has",
    "for the second time",
    "(the number of inputs)",
    "expected at most 4096",
    "(the letters of its term)",
    "expected at least",
    "(those of the first)",
    "(the same letter in this term)",
    "(that under an earlier ellipsis)",
    "(the same letter before)",
    "output rank is",
)
"""Parts of all messages of the rule: each must come, so that no fault is left out."""


def valid(rng: random.Random) -> Call:
    """Terms of few letters, perhaps an ellipsis in some, perhaps spaces, perhaps an output."""
    sizes = {letter: rng.choice((1, 2, 2, 3)) for letter in "ijkAbZ"}
    hidden = [rng.choice((1, 2)) for _ in range(rng.choice((0, 1, 2)))]
    dotted = rng.random() < 0.4
    terms, shapes = [], []
    for _ in range(rng.choice((1, 2, 2, 3))):
        letters = rng.choices([*sizes], k=rng.randrange(4))
        dims = [sizes[letter] for letter in letters]
        if dotted and rng.random() < 0.7:
            position = rng.randrange(len(letters) + 1)
            letters.insert(position, "...")
            dims[position:position] = hidden
        terms.append(letters)
        shapes.append(tuple(dims))
    equation = ",".join(map("".join, terms))
    if rng.random() < 0.6:
        used = sorted({letter for letters in terms for letter in letters} - {"..."})
        output = rng.sample(used, rng.randrange(len(used) + 1))
        if rng.random() < 0.4:
            output.insert(rng.randrange(len(output) + 1), "...")
        equation += "->" + "".join(output)
    return equation.replace("->", rng.choice(("->", " -> "))), shapes


def damaged(rng: random.Random) -> Call:
    """A valid call whose equation or shapes have been changed a little."""
    equation, shapes = valid(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        position = rng.randrange(len(equation) + 1)
        skipped = position + rng.choice((0, 0, 1))
        equation = equation[:position] + rng.choice(DAMAGE) + equation[skipped:]
    if rng.random() < 0.3:
        k = rng.randrange(len(shapes))
        dims = [*shapes[k], 2][rng.randrange(2) :]
        shapes[k] = tuple(rng.sample(dims, len(dims)))
    elif rng.random() < 0.5:
        shapes = [tuple(4 if rng.random() < 0.2 else dim for dim in dims) for dims in shapes]
    return equation, shapes


def long(rng: random.Random) -> Call:
    """Many letters, many terms, or as many bytes as an equation may have."""
    count = rng.choice((63, 64, 65, 127, 128, 129, 200, 1000))
    letters = "".join(rng.choices(ascii_letters, k=count))
    distinct = "".join(rng.sample(ascii_letters, 52))
    one = (1,) * min(count, 64)
    padding = " " * (rng.choice((4095, 4096, 4097)) - 2)
    return rng.choice(
        (
            (letters, [one]),
            (letters + "->" + distinct[: rng.randrange(53)], [one]),
            (f"...{letters}", [one]),
            (f"...,{distinct}", [(1,) * rng.randrange(8, 65), (1,) * 52]),
            (f"...,{distinct}->{distinct}...", [(1,) * rng.randrange(8, 65), (1,) * 52]),
            (",".join(letters), [(1,)] * count),
            ("," * (count - 1), [()] * count),
            (f"i{padding}i", [(2, 2)]),
            ("." * 3 * count, [one]),
            (f"i->{'...' * rng.randrange(1, 5)}", [(2,)]),
        )
    )


def calls() -> Iterator[Call]:
    rng = random.Random("equations")
    for _ in range(CALLS):
        yield rng.choices((valid, damaged, long), weights=(3, 6, 1))[0](rng)


def outcome(backend: str, call: Call) -> tuple[object, ...]:
    """The result, or the error and its message."""
    equation, shapes = call
    inputs = [np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape) for shape in shapes]
    with opmill.use_backend(backend):
        try:
            (found,) = opmill.operator("Einsum", 12)(inputs, {"equation": equation})
        except opmill.OpError as error:
            return type(error).__name__, str(error)
    return found.shape, found.tolist()


def test_both_languages_read_equations_alike() -> None:
    seen: Counter[str] = Counter()
    for call in calls():
        expected = outcome("numpy", call)
        assert outcome("c", call) == expected, call
        message = str(expected[1]) if isinstance(expected[0], str) else "a result"
        seen.update(part for part in (*SEEN, "a result") if part in message)
    assert {part for part in (*SEEN, "a result") if seen[part] < 5} == set()
