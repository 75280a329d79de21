"""Each erratum of ai.onnx that leaves results open has a case that rests on it, or a reason."""

from __future__ import annotations

import re
from functools import cache

import pytest

from checked_tree import checked_tree
from opmill_gen.base.names import MAIN_DOMAIN

REASONS = {
    "the decision allows several results, and a case states one": (
        r"What results where a (score|sum of products|result) is finite and"
    ),
    "cases write a bool as true or false, and have no other bytes": (
        r"What a bool is whose byte|Which bytes are a bool|what a byte other than 0 and 1 means"
    ),
    "one more rounding stays within the tolerance of 16-bit floats": (
        r"do(es)? not say in which precision float16 and bfloat16|which rounds them once more|"
        r"whether the function of the gate is rounded"
    ),
    "parts of steps differ by less than a tolerance": (
        r"How far coordinates are rounded|Parts of the size of a region need not be exact"
    ),
    "a case compares values, not memory": r"Whether the output may share memory",
    "other versions of Cast, whose cases state what they convert": (
        r"refers to Cast, without a version"
    ),
    "the smallest such stream is an image, which cases do not have": (
        r"orientations in metadata, animations|limits neither height nor width"
    ),
    "the sums that could differ belong to processors, not to calls": (
        r"does not say in which precision products are added"
    ),
}


@cache
def without_cases() -> list[tuple[str, str]]:
    """The operators and texts of open errata that no case of any of their versions rests on."""
    rested: dict[tuple[str, str], bool] = {}
    for version in checked_tree().versions:
        spec = version.spec
        if spec.domain != MAIN_DOMAIN:
            continue
        named = {name for case in (*spec.examples, *spec.rejects) for name in case.rests_on}
        for erratum in spec.errata:
            if erratum.kind.is_open:
                key = (spec.operator, " ".join(erratum.text.split()))
                rested[key] = rested.get(key, False) or erratum.name in named
    return [key for key, is_rested in rested.items() if not is_rested]


def test_open_errata_have_cases_or_a_reason():
    unexplained = [
        (operator, text)
        for operator, text in without_cases()
        if not any(re.search(pattern, text) for pattern in REASONS.values())
    ]
    assert unexplained == []


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_needed(reason: str):
    assert any(re.search(REASONS[reason], text) for _, text in without_cases())
