"""Steps of conversions, proved by running examples of both versions, and chains of all steps.

``make conversions`` proves the steps of all operators; here are those of a few operators, chosen
so that each kind of entry occurs.
"""

from __future__ import annotations

import pytest

from conversion_chains import chain, ends
from conversion_proof import prove, steps
from selection import some

OPERATORS = frozenset(
    {"Clip", "Dropout", "GridSample", "LpPool", "ReduceSum", "Selu", "Softmax", "Squeeze", "TopK"}
)


@pytest.mark.parametrize(("name", "source", "target"), list(steps(OPERATORS)))
def test_step(name: str, source: int, target: int):
    done = prove(name, source, target)
    assert not done.problems, done.notes


@pytest.mark.parametrize("operator", some(sorted(OPERATORS), 3))
def test_there_and_back(operator: str):
    for end in ends(operator):
        done = chain(*end)
        assert not done.notes
        assert done.counts["exact"] > 0
