"""Networks moved to other opsets; ``make conversions`` moves them to more of them."""

from __future__ import annotations

import pytest

from compiled_networks import NETWORKS
from converted_networks import moved, there_and_back

TARGETS = (9, 13, 28)

REASONS = {
    "bfloat16": "which is new in opset 13",
    "pools": "MaxPool-22 drops windows that begin in the padding at the end",
}
"""Why a network does not reach an opset from 11 on."""


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_network(name: str):
    for one in moved(name, TARGETS):
        assert one.word != "wrong", f"{one.opset}: {one.reason}"
        if one.word == "refused" and one.opset > 9:
            assert REASONS.get(name, "is converted") in one.reason


@pytest.mark.parametrize("name", ["cnn", "lstm", "qdq", "reductions", "transformer"])
def test_there_and_back(name: str):
    assert there_and_back(name, 13) in ("exact", "close")
