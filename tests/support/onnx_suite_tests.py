"""ONNX's own backend tests as parameters of ours: by name, and grouped by their operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import pytest
from onnx import ModelProto

from onnx_suite import Case, cases, holds_others_than_tensors

CASES = {case.name: case.versions for case in cases()}
"""The operator versions of each test of ONNX that is ours."""

NOT_TENSORS = tuple(case.name for case in cases() if holds_others_than_tensors(case.model))
"""The tests that hold a sequence or an optional."""


@cache
def cases_by_name() -> dict[str, Case]:
    return {case.name: case for case in cases()}


def case_named(name: str) -> Case:
    return cases_by_name()[name]


def by_operators(names: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """Some tests of ONNX, by the operators that they have."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        found.setdefault(tuple(sorted(CASES[name])), []).append(name)
    return found


def together(
    groups: dict[tuple[str, ...], list[str]], deep: Callable[[int], bool] = lambda number: False
) -> pytest.MarkDecorator:
    """A test for all tests of ONNX that have the same operators; ``deep`` asks by their number."""
    return pytest.mark.parametrize(
        "names",
        [
            pytest.param(
                some,
                marks=[pytest.mark.operators(*own), *[pytest.mark.deep] * deep(number)],
                id=" ".join(own),
            )
            for number, (own, some) in enumerate(groups.items())
        ],
    )


def input_names(model: ModelProto) -> list[str]:
    """The inputs that have no initializer."""
    initial = {tensor.name for tensor in model.graph.initializer}
    return [one.name for one in model.graph.input if one.name not in initial]
