"""Fixtures of the tests of the built manual: one server, one browser, a page for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from manual_browser import DESK, Reader, chromium, served


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def reader(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at a desk; what the console said ends the test."""
    opened = Reader(browser, address, **getattr(request, "param", {"viewport": DESK}))
    yield opened
    opened.page.close()
    assert opened.troubles == []
