"""The language of the conditions and values in ``conversions.yaml``."""

from __future__ import annotations

import pytest

from opmill._convert.expressions import ExpressionError, LazyNames, value_of

NAMES = {"x": [3, 1, 2], "n": 4, "none": None, "sorted": sorted, "sum": sum, "zip": zip}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 7 // 2", 4),
        ("-n % 3", 2),
        ("2 ** 10 / 4", 256.0),
        ("n in (3, 4) and not none", True),
        ("none is None or missing", True),
        ("1 < n <= 4 != 5", True),
        ("x[0] if n > 3 else x[-1]", 3),
        ("x[1:] + [*x, 9][::-1]", [1, 2, 9, 2, 1, 3]),
        ("[a * b for a, b in zip(x, [1, 2, 3]) if a != 1]", [3, 6]),
        ("sum(a for row in [x, x] for a in row)", 12),
        ("sorted(x)", [1, 2, 3]),
        ("(1, 'two', 3.5)", (1, "two", 3.5)),
    ],
)
def test_value(text: str, value: object):
    assert value_of(text, NAMES) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x.append(1)", "'x.append(1)' is not supported in an expression"),
        ("x.__class__", "'x.__class__' is not supported in an expression"),
        ("__import__('os')", "'__import__' is unknown in an expression"),
        ("lambda: 1", "'lambda: 1' is not supported in an expression"),
        ("(n := 1)", "'(n := 1)' is not supported in an expression"),
        ("sorted(x, reverse=True)", "'sorted(x, reverse=True)' is not supported in an expression"),
        ("1 +", "'1 +' is no expression: invalid syntax"),
        ("1 << 4", "'1 << 4' is not supported in an expression"),
        ("9 ** 9 ** 9", "'9 ** 9 ** 9' is too large"),
        ("x @ x", "'x @ x' is not supported in an expression"),
    ],
)
def test_refused(text: str, words: str):
    with pytest.raises(ExpressionError) as caught:
        value_of(text, NAMES)
    assert str(caught.value) == words


def test_names_of_expressions_are_computed_when_they_are_used():
    texts = {"double": "2 * n", "lists": "[k * double for k in x]", "bad": "missing", "own": "own"}
    names = LazyNames(NAMES, texts)
    assert value_of("sum(lists) + double", names) == 56
    with pytest.raises(ExpressionError, match="'missing' is unknown"):
        value_of("bad", names)
    with pytest.raises(ExpressionError, match="'own' is defined by itself"):
        value_of("own", names)
