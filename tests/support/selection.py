"""The operators and versions that a test belongs to, for options and markers of ``conftest``."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from opmill._runtime.versions import MODULES

OWN = Path(__file__).parents[1] / "operators"
LABEL = re.compile(r"(?<![A-Za-z0-9])([A-Z][A-Za-z0-9]*)-(\d+)(?![A-Za-z0-9])")
OPERATORS = frozenset(name for _, name, _ in MODULES)


def parsed(text: str) -> frozenset[str]:
    """The operators of an option, as ``Tile Conv``.

    Raises:
        pytest.UsageError: one of them is not supported.
    """
    names = frozenset(text.replace(",", " ").split())
    for name in sorted(names - OPERATORS):
        near = difflib.get_close_matches(name, OPERATORS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise pytest.UsageError(f"--operators: {name} is not supported{hint}")
    return names


def some(values: Iterable[Any], every: int) -> list[Any]:
    """Parameters of which one of so many is tested without ``deep``."""
    return [
        pytest.param(value, marks=pytest.mark.deep) if number % every else value
        for number, value in enumerate(values)
    ]


def is_wanted(item: pytest.Item, names: Collection[str]) -> bool:
    """Return whether a test belongs to one of the operators, or is generic and not slow."""
    own = operators_of(item)
    return bool(own & set(names)) if own else item.get_closest_marker("slow") is None


def operators_of(item: pytest.Item) -> frozenset[str]:
    """The operators that a test belongs to; none where it is generic."""
    if item.path.parent.parent == OWN:
        return frozenset({item.path.parent.name})
    marked = [name for marker in item.iter_markers("operators") for name in marker.args]
    return frozenset({*marked, *(name for name, _ in versions_of(item))}) & OPERATORS


def versions_of(item: pytest.Item) -> list[tuple[str, str]]:
    """The names and numbers of versions in a test's parameters."""
    callspec = getattr(item, "callspec", None)
    return LABEL.findall(callspec.id) if callspec is not None else []


def is_deep(item: pytest.Item) -> bool:
    """Return whether a test is marked so, or is about a version whose rules a later one has too."""
    if item.get_closest_marker("each_version") is None:
        return item.get_closest_marker("deep") is not None
    versions = versions_of(item)
    return bool(versions) and not leading().intersection(versions)


@cache
def leading() -> frozenset[tuple[str, str]]:
    """Name and number of the newest version of each operator with each of its rules."""
    newest = {}
    for domain, name, number in sorted(MODULES):
        operator = importlib.import_module(MODULES[domain, name, number]).OPERATOR
        newest[domain, name, operator._checker.rules] = (name, str(number))
    return frozenset(newest.values())
