"""Opset modules: every operator at exactly the version that an opset uses."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from opmill._runtime.errors import Error
from opmill._runtime.lazy import cached
from opmill._runtime.public import public


_MAX_NAME = 100
"""The number of letters that are compared with known names."""


class Published(NamedTuple):
    """The published versions of an operator of a domain, and those that deprecate it."""

    operator: str
    versions: tuple[int, ...]
    deprecated: tuple[int, ...] = ()

    def at(self, opset: int) -> int | None:
        """The version in force at an opset; ``None`` where the operator is not published yet."""
        return max((version for version in self.versions if version <= opset), default=None)


@public
class NotInOpsetError(Error, AttributeError):
    """An opset module has no operator of the requested name; the message says why."""


def operators(
    module: str, opset: int, supported: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of an opset module.

    Args:
        module: the name of the opset module; its package has the index of the domain.
        opset: the number of the opset.
        supported: Python name of an operator -> the module of the version that this opset uses.
    """

    def get(name: str) -> Any:
        if name in supported:
            return cached(module, name, supported[name])
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        raise NotInOpsetError(_reason(module, opset, name))

    def names() -> list[str]:
        return sorted(supported)

    return get, names


def _reason(module: str, opset: int, name: str) -> str:
    """Why an opset module lacks a name."""
    package = module.rpartition(".")[0]
    index: Mapping[str, Published] = importlib.import_module(f"{package}._index").PUBLISHED
    published = index.get(name)
    if published is None:
        return f"opset {opset} has no operator '{name}'{meant(name, index)}"
    operator, versions, deprecated = published
    version = published.at(opset)
    if version is None:
        return f"{operator} is not in opset {opset}; its first version is {operator}-{versions[0]}"
    if version in deprecated:
        return f"{operator} is deprecated since opset {version}"
    return not_supported(operator, version, opset)


def not_supported(operator: str, version: int, opset: int) -> str:
    """The message for an operator version that has no spec."""
    return f"{operator}-{version} is published for opset {opset} but not supported yet"


def meant(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'conv_transpose'?`` for the most similar known name, if there is one."""
    by_letters = {_letters(one): one for one in known}
    found = get_close_matches(_letters(name[:_MAX_NAME]), by_letters, n=1, cutoff=0.75)
    return f"; did you mean '{by_letters[found[0]]}'?" if found else ""


def _letters(name: str) -> str:
    return name.replace("_", "").lower()
