"""Relations of lengths: which checks of an index are proven away in C, and which ones stay."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from opmill_gen.base.diagnostics import InputError
from opmill_gen.rule_language import emit_c, parse_rules

HEAD = '''
"""A rule."""

from opmill_gen.rule_language.language import Count, Ints, Tensor, counted, output, require


def lengths_of(given: Ints | None, n: Count, least: int) -> Ints:
    """One value for each of n."""
    if given is None:
        return [1] * n
    require(len(given) == n, f"given has {counted(len(given), 'value')}, expected {n}")
    for k in range(len(given)):
        require(given[k] >= least, f"given[{k}] is {given[k]}, expected at least {least}")
    return given


def either(a: Ints, b: Ints, n: Count) -> Ints:
    """The one that has n values, or the other."""
    if len(a) == n:
        return a
    return b


def check_length(given: Ints, n: int) -> None:
    """As many values as n."""
    require(len(given) == n, f"given has {counted(len(given), 'value')}, expected {n}")


def check_rank(X: Tensor, rank: int) -> None:
    """A tensor of at least one rank."""
    require(X.rank >= rank, f"X has rank {X.rank}, expected at least {rank}")


def check_both(X: Tensor, given: Ints) -> None:
    """By way of other helpers."""
    check_rank(X, 2)
    check_length(given, X.rank)


def check_some(given: Ints, n: int) -> None:
    """As many values as n, where n is positive."""
    if n > 0:
        check_length(given, n)


def check_changed(given: Ints, n: int) -> None:
    """As many values as n has afterwards."""
    n = n + 1
    require(len(given) == n, f"given has {counted(len(given), 'value')}, expected {n}")


def length_of(given: Ints, n: int) -> int:
    """The length, which is n."""
    check_length(given, n)
    return len(given)


def length_of_some(given: Ints, n: int) -> int:
    """The length, which is n unless n is less than 3."""
    if n < 3:
        return 0
    check_length(given, n)
    return len(given)


def rules(X: Tensor, Y: Tensor, *, a: Ints, b: Ints | None, c: int) -> None:
'''


def emitted(body: str) -> str:
    text = HEAD + "\n".join(f"    {line}" for line in dedent(body).strip().splitlines()) + "\n"
    compiled = parse_rules("rules.py", text, {})
    function = emit_c(compiled, "r", "r", frozenset()).body
    return function[function.index("int opmill_r_rules(") :]


def checks(body: str) -> int:
    return len(re.findall(r"opmill_rule_index", emitted(body)))


SUM = "total = 0\nfor i in range({}):\n    total = {}\noutput(Z=[total])"
EQUAL = 'require(len(a) == X.rank, f"a has {len(a)} dims, expected {X.rank}")\n'

PROVEN = {
    "a list to its length": SUM.format("len(a)", "a[i]"),
    "a shape to its rank": SUM.format("X.rank", "X.shape[i]"),
    "another list of the same length": EQUAL + SUM.format("X.rank", "a[i]"),
    "the lengths the other way round": EQUAL + SUM.format("len(a)", "X.shape[i]"),
    "equal shapes": (
        'require(X.shape == Y.shape, f"Y is {Y.shape}, expected {X.shape}")\n'
        + SUM.format("X.rank", "Y.shape[i]")
    ),
    "an end that is known by a name": EQUAL + "n = len(a)\n" + SUM.format("n", "X.shape[i]"),
    "two names": EQUAL + "n = len(a)\nm = n\n" + SUM.format("m", "X.shape[i]"),
    "from the second axis on": (
        'require(X.rank >= 2, f"X is {X.rank}, expected 2")\nn = X.rank - 2\n'
        + SUM.format("n", "X.shape[2 + i]")
    ),
    "the last one": 'require(c >= 0, "c is 0, expected 1")\n'
    'require(c < X.rank, "c is 9, expected 1")\noutput(Z=[X.shape[X.rank - 1 - c]])',
    "a list of the values twice": (
        "x: list[int] = [0] * (2 * X.rank)\n" + SUM.format("X.rank", "x[X.rank + i]")
    ),
    "what an optional is instead": "x = lengths_of(b, X.rank, 0)\n" + SUM.format("X.rank", "x[i]"),
    "a part": (
        'require(X.rank >= 1, "X is 0, expected 1")\nx = X.shape[1:]\n'
        + SUM.format("X.rank - 1", "x[i]")
    ),
    "a list that grows in order": "x: list[int] = []\nx.append(1)\nx.append(2)\noutput(Z=[x[1]])",
    "what a helper requires": "check_length(a, X.rank)\n" + SUM.format("X.rank", "a[i]"),
    "a rank that a helper requires": "check_rank(X, 2)\noutput(Z=[X.shape[1]])",
    "what a helper's helpers require": "check_both(X, a)\noutput(Z=[X.shape[1], a[1]])",
    "what a helper with a value requires": (
        "n = length_of(a, X.rank)\n" + SUM.format("X.rank", "a[i]")
    ),
    "on both sides of a choice": (
        "if c > 0:\n"
        '    require(len(a) == X.rank, "a is 1, expected 2")\n'
        "else:\n"
        '    require(len(a) == X.rank, "a is 1, expected 3")\n' + SUM.format("X.rank", "a[i]")
    ),
}

OPEN = {
    "a list that is not related": SUM.format("X.rank", "a[i]"),
    "one more": SUM.format("X.rank", "X.shape[i + 1]"),
    "one beyond": 'require(c >= 0, "c is 0, expected 1")\n'
    'require(c <= X.rank, "c is 9, expected 1")\noutput(Z=[X.shape[c]])',
    "an unequal length": (
        'require(len(a) != X.rank, "a is 1, expected 2")\n' + SUM.format("X.rank", "a[i]")
    ),
    "at least as long is not at most": (
        'require(len(a) <= X.rank, "a is 1, expected 2")\n' + SUM.format("X.rank", "a[i]")
    ),
    "a list that is replaced": (
        "x: list[int] = [0] * X.rank\nn = len(x)\nif c > 0:\n    x = [1]\n"
        + SUM.format("n", "x[i]")
    ),
    "an end that changes": "n = X.rank\nn = n + c\nrequire(n <= 64, 'n is 1, expected 2')\n"
    + SUM.format("n", "X.shape[i]"),
    "an end that changes in a loop": (
        "n = 0\nfor k in range(X.rank):\n    n = n + 1\n"
        "require(n <= 64, 'n is 1, expected 2')\n" + SUM.format("n + 1", "X.shape[i]")
    ),
    "on one side of a choice": (
        'if c > 0:\n    require(len(a) == X.rank, "a is 1, expected 2")\n'
        + SUM.format("X.rank", "a[i]")
    ),
    "a rank that is known on one side": (
        "n = 0\nif X.rank >= 3:\n    n = X.rank\noutput(Z=[X.shape[2]])"
    ),
    "the rank of another tensor": SUM.format("X.rank", "Y.shape[i]"),
    "the length of a list that grows": (
        'require(len(a) == 3, "a is 1, expected 3")\nx: list[int] = [1, 1]\ntotal = 0\n'
        "for i in range(X.rank):\n    total = a[len(x)]\n    x.append(1)\noutput(Z=[total])"
    ),
    "what a helper requires in some calls": (
        "check_some(a, X.rank)\n" + SUM.format("X.rank", "a[i]")
    ),
    "what a helper requires on one path": (
        "n = length_of_some(a, X.rank - 1)\n" + SUM.format("X.rank - 1", "a[i]")
    ),
    "what a helper requires of a name that it changes": (
        "check_changed(a, X.rank - 2)\n" + SUM.format("X.rank", "a[i]")
    ),
    "a rank that a helper requires of another tensor": "check_rank(Y, 2)\noutput(Z=[X.shape[1]])",
    "a helper on one side of a choice": (
        "if c > 0:\n    check_length(a, X.rank)\n" + SUM.format("X.rank", "a[i]")
    ),
    "a helper in one operand": (
        "total = 0\nif c > 0 and length_of(a, X.rank) > 1:\n    total = 1\n"
        "for i in range(X.rank):\n    total = a[i]\noutput(Z=[total])"
    ),
    "one of two lists": "x = either(a, b, X.rank) if b is not None else a\n"
    + SUM.format("X.rank", "x[i]"),
}


@pytest.mark.parametrize("title", PROVEN)
def test_a_proven_index_is_not_checked(title: str) -> None:
    assert checks(PROVEN[title]) == 0


@pytest.mark.parametrize("title", OPEN)
def test_any_other_index_is_checked(title: str) -> None:
    assert checks(OPEN[title]) >= 1


def divided(minimum: int, loop: str = "") -> str:
    return (
        f"x = lengths_of(b, X.rank, {minimum})\nn = 0\n"
        f"for i in range(X.rank):\n    n = X.shape[i] // x[i]\n{loop}output(Z=[n])"
    )


def test_what_is_required_of_every_value_is_known_of_each() -> None:
    assert "opmill_quotient" in emitted(divided(1))
    with pytest.raises(InputError, match="divisor"):
        emitted(divided(0))


@pytest.mark.parametrize(
    "loop",
    [
        "for k in range(1, len(a)):\n    {}",
        "for k in range(len(a) - 1):\n    {}",
        "for k in range(len(a)):\n    if c > 0:\n        {}",
        "for k in range(len(a)):\n    m = c\n    {}",
        "for k in range(X.rank):\n    {}",
    ],
)
def test_a_requirement_of_some_values_is_not_one_of_all(loop: str) -> None:
    required = (
        'require(a[k] >= m, "a is 0, expected 1")'
        if "m = c" in loop
        else ('require(a[k] >= 1, "a is 0, expected 1")')
    )
    body = (
        loop.format(required) + '\nrequire(len(a) == 3, "a is 0, expected 1")\n'
        "output(Z=[8 // a[0]])"
    )
    with pytest.raises(InputError, match="divisor"):
        emitted(body)


def test_a_requirement_of_values_that_change_is_forgotten() -> None:
    loop = 'for k in range(3):\n    require(x[k] >= 1, "x is 0, expected 1")\n'
    body = "x: list[int] = [c, c, c]\n{}output(Z=[8 // x[0]])"
    emitted(body.format(loop))
    with pytest.raises(InputError, match="divisor"):
        emitted(body.format(loop + "    x[k] = 0\n"))
