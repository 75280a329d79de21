"""Fixtures of the operators' own tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import opmill


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """So many threads, whatever this machine has."""
    before = opmill.get_threads()
    opmill.set_threads(request.param)
    yield
    opmill.set_threads(before)
