"""Runs every test of an operator version on each backend that computes it here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import opmill


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    operator: Any = getattr(metafunc.module, "OPERATOR", None)
    if operator is not None:
        metafunc.parametrize("backend", operator.backends, indirect=True)


@pytest.fixture(autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    if not hasattr(request, "param"):
        yield
        return
    with opmill.use_backend(request.param):
        yield
