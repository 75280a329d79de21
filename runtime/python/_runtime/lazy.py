"""Modules that load when they are first used, so that importing the package costs little."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def attributes(
    module: str, submodules: tuple[str, ...] = (), members: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package. What was used once becomes an attribute.

    Args:
        module: the name of the package.
        submodules: its modules, imported when they are used.
        members: name -> module that defines it, for what the package passes on.
    """
    passed_on = members or {}

    def get(name: str) -> Any:
        if name in submodules:
            return importlib.import_module(f"{module}.{name}")
        if name in passed_on:
            return cached(module, name, passed_on[name])
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    def names() -> list[str]:
        return sorted({*submodules, *passed_on})

    return get, names


def cached(module: str, name: str, source: str) -> Any:
    """A member of another module, which the module keeps, so that it is found at once next time."""
    member = getattr(importlib.import_module(source), name)
    setattr(sys.modules[module], name, member)
    return member
