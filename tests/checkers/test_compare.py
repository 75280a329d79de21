"""Reports of differing elements, and the number of calls of an oracle."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, tensor
from opmill_checks.compare import differing
from opmill_checks.run import answer
from opmill_checks.value import Value


@pytest.mark.parametrize(
    ("wanted", "got", "is_near"),
    [
        (1.0, 1.125, True),
        (1.0, 1.25, False),
        (0.0, -0.0, True),
        (math.inf, math.inf, True),
        (math.inf, 1.0, False),
        (math.inf, -math.inf, False),
        (1.0, math.inf, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (1.0, math.nan, False),
    ],
)
def test_an_element_that_is_not_near_is_found_among_others(
    wanted: float, got: float, is_near: bool
) -> None:
    expected = Value("float", (3,), (2.0, wanted, 3.0))
    actual = np.array([2.0, got, 3.0], np.float32)
    different = differing(expected, actual, (0.125, 0.0))
    assert different == ([] if is_near else [1])


def test_versions_and_backends_share_the_answer_of_an_oracle() -> None:
    asked = []

    def oracle(inputs: Any, attributes: Any, *, defaults: Any) -> dict[str, Value]:
        asked.append((inputs["X"].items, defaults))
        return {"Y": inputs["X"]}

    def example(number: float) -> Example:
        return Example("one", {"X": tensor("float", number)}, {"Y": tensor("float", number)})

    one, other = example(1), example(2)
    first, second = partial(oracle, defaults={"a": 1}), partial(oracle, defaults={"a": 2})
    for given in (first, partial(oracle, defaults={"a": 1})):
        assert answer(given, one, one.inputs, None) == {"Y": one.inputs["X"]}
    assert answer(first, other, other.inputs, None) == {"Y": other.inputs["X"]}
    assert answer(second, one, one.inputs, None) == {"Y": one.inputs["X"]}
    assert asked == [((1.0,), {"a": 1}), ((2.0,), {"a": 1}), ((1.0,), {"a": 2})]
