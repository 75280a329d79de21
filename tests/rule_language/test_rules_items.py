"""What lists contain and what choices yield: which checks of an index that proves away in C."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from opmill_gen.rule_language import emit_c, parse_rules

HEAD = '''
"""A rule."""

from opmill_gen.rule_language.language import Count, Ints, Tensor, Tensors, output, require


def axis_of(axis: int, rank: Count) -> int:
    """An axis counted from the front."""
    require(-rank <= axis < rank, "axis is 9, expected 1")
    return axis + rank if axis < 0 else axis


def some_axes(given: Ints | None, rank: Count) -> Ints:
    """The axes given, or all."""
    result: list[int] = []
    if given is not None:
        require(len(given) <= rank, "given is 9, expected 1")
        for i in range(len(given)):
            require(-rank <= given[i] < rank, "given is 9, expected 1")
            result.append(given[i] + rank if given[i] < 0 else given[i])
        return result
    for i in range(rank):
        result.append(i)
    return result


def either(n: int, m: int, c: int) -> int:
    """One of two numbers."""
    if c > 0:
        return n
    return m


def at(given: Ints, i: Count) -> int:
    """A value."""
    return given[i]


def last(given: Ints, n: int) -> int:
    """A value, by way of another helper."""
    require(n >= 1, "n is 0, expected 1")
    return at(given, min(n - 1, 8))


def rules(X: Tensor, rest: Tensors, *, a: Ints, b: Ints | None, c: int) -> None:
'''


def emitted(body: str) -> str:
    lines = dedent(body).strip().splitlines()
    text = HEAD + "\n".join(f"    {line}" for line in lines) + "\n    output(Z=[total])\n"
    return emit_c(parse_rules("rules.py", text, {}), "r", "r", frozenset()).body


def checks(text: str) -> int:
    return len(re.findall("opmill_rule_index", text))


def of_rule(text: str) -> str:
    return text[text.index("int opmill_r_rules(") :]


def required(*conditions: str) -> str:
    return "".join(f'require({condition}, "c is 9, expected 1")\n' for condition in conditions)


EVERY = "total = 0\nfor k in range(len(x)):\n    total = X.shape[x[k]]\n"
FILLED = "x: list[int] = []\nfor i in range(X.rank):\n    x.append(i)\n"
PAIR = "total = X.shape[a[0]]"

PROVEN = {
    "an axis counted from either end": (
        required("-X.rank <= c < X.rank") + "k = c + X.rank if c < 0 else c\ntotal = X.shape[k]"
    ),
    "an axis that a helper returns": "total = X.shape[axis_of(c, X.rank)]",
    "the larger of two numbers": required("X.rank >= 1") + "total = X.shape[max(0, X.rank - 1)]",
    "the smaller of two numbers": (
        required("X.rank >= 1", "c >= 0") + "total = X.shape[min(c, X.rank - 1)]"
    ),
    "one of two numbers that a helper returns": (
        required("X.rank >= 2") + "total = X.shape[either(X.rank - 1, X.rank - 2, c)]"
    ),
    "two rows, or the first of one": (
        required("X.rank >= 1") + "total = X.shape[max(0, X.rank - 2)]"
    ),
    "one of several numbers": required("c == 0 or c == 1", "X.rank >= 2") + "total = X.shape[c]",
    "neither of two": (
        required("X.rank >= 2") + "total = 0\nif not (c != 0 and c != 1):\n    total = X.shape[c]"
    ),
    "an integer of a list, read again": required("len(a) == 2", "0 <= a[0] < X.rank") + PAIR,
    "at an index that is known by a name": (
        required("len(a) == 2") + "i = 0\n" + required("0 <= a[i] < X.rank") + PAIR
    ),
    "the integers that a loop appends": FILLED + EVERY,
    "those that a helper's loop appends": "x = some_axes(b, X.rank)\n" + EVERY,
    "those of a part": "x = some_axes(b, X.rank)\nx = x[:min(len(x), X.rank)]\n" + EVERY,
    "those of one of two lists": (
        "x = some_axes(b, X.rank) if c > 0 else some_axes(a, X.rank)\n" + EVERY
    ),
    "the length that a loop gives a list": (
        FILLED + "total = 0\nfor k in range(X.rank):\n    total = x[k]"
    ),
    "of two integers a round": (
        required("X.rank <= 8") + "x: list[int] = []\nfor i in range(X.rank):\n    x.append(c)\n"
        "    x.append(i)\ntotal = 0\nfor k in range(X.rank):\n    total = x[2 * k + 1]"
    ),
    "the rank of one of several tensors": (
        required("len(rest) >= 2", "rest[1].rank == X.rank")
        + "total = 0\nfor k in range(X.rank):\n    total = rest[1].shape[k]"
    ),
}

OPEN = {
    "an axis that may be further below": (
        required("c < X.rank") + "k = c + X.rank if c < 0 else c\ntotal = X.shape[k]"
    ),
    "an axis that may be moved too far": (
        required("-X.rank <= c < X.rank") + "k = c + X.rank if c < 1 else c\ntotal = X.shape[k]"
    ),
    "the larger of two numbers, of which one is outside": "total = X.shape[max(0, X.rank - 1)]",
    "the smaller of two numbers, of which one is negative": (
        required("X.rank >= 1") + "total = X.shape[min(c, X.rank - 1)]"
    ),
    "one of two numbers of which one is outside": (
        required("X.rank >= 2") + "total = X.shape[either(X.rank, X.rank - 2, c)]"
    ),
    "one of several numbers of which one is outside": (
        required("c == 0 or c == 2", "X.rank >= 2") + "total = X.shape[c]"
    ),
    "one of two, or a condition that says nothing of it": (
        required("c == 0 or len(a) == 1", "X.rank >= 2") + "total = X.shape[c]"
    ),
    "another integer of a list": (
        required("len(a) == 2", "0 <= a[0] < X.rank") + "total = X.shape[a[1]]"
    ),
    "at an index that has changed": (
        required("len(a) == 2")
        + "i = 0\n"
        + required("0 <= a[i] < X.rank")
        + "i = 1\ntotal = X.shape[a[i]]"
    ),
    "an integer that has been replaced": (
        "x = [c, c]\n" + required("0 <= x[0] < X.rank") + "x[0] = 64\ntotal = X.shape[x[0]]"
    ),
    "an integer of a list that is another in each round": (
        required("len(a) == 2", "0 <= a[0] < X.rank")
        + "total = 0\nfor i in range(2):\n    total = X.shape[a[i]]"
    ),
    "what a loop appends on a condition": (
        "x: list[int] = []\nfor i in range(X.rank):\n    if c > 0:\n        x.append(c)\n"
        "    else:\n        x.append(i)\n" + EVERY
    ),
    "one more": FILLED.replace("append(i)", "append(i + 1)") + EVERY,
    "what the list had before": (required("c >= 0") + FILLED.replace("= []", "= [c]") + EVERY),
    "what is appended behind the loop": (required("c >= 0") + FILLED + "x.append(c)\n" + EVERY),
    "what is assigned behind the loop": (
        required("c >= 0", "X.rank >= 1") + FILLED + "x[0] = c\n" + EVERY
    ),
    "what is assigned in the loop": (
        required("c >= 0") + FILLED + "for i in range(X.rank):\n    x[i] = c\n" + EVERY
    ),
    "those of one of two lists, of which one is not known": (
        required("len(a) <= 64") + "x = some_axes(b, X.rank) if c > 0 else a\n" + EVERY
    ),
    "the axes of another tensor": (
        required("len(rest) >= 1") + "x = some_axes(b, rest[0].rank)\n" + EVERY
    ),
    "the length of a list that grows on a condition": (
        "x: list[int] = []\nfor i in range(X.rank):\n    if c > i:\n        x.append(i)\n"
        "total = 0\nfor k in range(X.rank):\n    total = x[k]"
    ),
    "a longer loop than the one that fills a list": (
        FILLED + "total = 0\nfor k in range(X.rank + 1):\n    total = x[k]"
    ),
    "a loop that starts later": (
        FILLED.replace("range(X", "range(1, X")
        + "total = 0\nfor k in range(X.rank):\n    total = x[k]"
    ),
    "the rank of another of several tensors": (
        required("len(rest) >= 2", "rest[1].rank == X.rank")
        + "total = 0\nfor k in range(X.rank):\n    total = rest[0].shape[k]"
    ),
}


@pytest.mark.parametrize("title", PROVEN)
def test_a_proven_index_is_not_checked(title: str) -> None:
    assert checks(of_rule(emitted(PROVEN[title]))) == 0


@pytest.mark.parametrize("title", OPEN)
def test_any_other_index_is_checked(title: str) -> None:
    assert checks(of_rule(emitted(OPEN[title]))) == 1


IN_EVERY_CALL = {
    "one call": required("len(a) >= 1") + "total = at(a, 0)",
    "two calls": required("len(a) == 2") + "total = at(a, 0) + at(a, 1)",
    "a call in a loop": (
        required("len(a) == 3") + "total = 0\nfor i in range(3):\n    total = at(a, i)"
    ),
    "a call of a helper": required("len(a) == 2") + "total = last(a, len(a))",
}
IN_SOME_CALLS = {
    "one call that may be outside": "total = at(a, 0)",
    "one of two calls": required("len(a) == 2") + "total = at(a, 0) + at(a, 2)",
    "of two lists": required("len(a) == 2") + "total = at(a, 1) + at(X.shape, 1)",
    "on one side of a choice": "total = 0\nif len(a) >= 1:\n    total = at(a, 0)\n"
    "else:\n    total = at(a, 0)",
    "a call in a loop": (
        required("len(a) == 3") + "total = 0\nfor i in range(4):\n    total = at(a, i)"
    ),
    "one of two calls of a helper": (
        required("len(a) == 2") + "total = last(a, 2) + last(X.shape, 2)"
    ),
    "a call, and one of another helper": (
        required("len(a) == 2") + "total = at(a, 0) + last(X.shape, 2)"
    ),
}


@pytest.mark.parametrize("title", IN_EVERY_CALL)
def test_a_helper_does_not_check_what_every_call_proves(title: str) -> None:
    assert checks(emitted(IN_EVERY_CALL[title])) == 0


@pytest.mark.parametrize("title", IN_SOME_CALLS)
def test_a_helper_checks_what_some_call_does_not_prove(title: str) -> None:
    assert checks(emitted(IN_SOME_CALLS[title])) == 1
