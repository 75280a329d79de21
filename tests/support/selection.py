"""Operators that a test belongs to, for ``--operators`` of ``conftest``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from pathlib import Path

import pytest

from opmill._runtime.versions import MODULES

OWN = Path(__file__).parents[1] / "operators"
LABEL = re.compile(r"(?<![A-Za-z0-9])([A-Z][A-Za-z0-9]*)-\d+(?![A-Za-z0-9])")
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


def is_wanted(item: pytest.Item, names: Collection[str]) -> bool:
    """Return whether a test belongs to one of the operators, or is generic and not slow."""
    own = operators_of(item)
    return bool(own & set(names)) if own else item.get_closest_marker("slow") is None


def operators_of(item: pytest.Item) -> frozenset[str]:
    """The operators that a test belongs to; none where it is generic."""
    if item.path.parent.parent == OWN:
        return frozenset({item.path.parent.name})
    marked = [name for marker in item.iter_markers("operators") for name in marker.args]
    callspec = getattr(item, "callspec", None)
    named = LABEL.findall(callspec.id) if callspec is not None else []
    return frozenset({*marked, *named}) & OPERATORS
