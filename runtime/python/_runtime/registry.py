"""Finds operator versions by their names, for tools that run nodes rather than call functions."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from opmill._runtime.counts import as_count, integer_text
from opmill._runtime.errors import Error
from opmill._runtime.operator import Operator
from opmill._runtime.opset import Published, meant, not_supported
from opmill._runtime.public import public
from opmill._runtime.versions import HOME, MODULES


@public
class NoOperatorError(Error, LookupError):
    """There is no operator version of the requested name and number; the message says why."""


@public
def operators() -> tuple[tuple[str, str, int], ...]:
    """All supported operator versions, as (domain, operator, since_version), sorted."""
    return tuple(sorted(MODULES))


@public
def operator(name: str, since_version: int, domain: str = HOME) -> Operator:
    """Return an operator version, to be called with a list of inputs and a dict of attributes.

    Args:
        name: ONNX's name of the operator, as ``Tile``.
        since_version: the version, as 13; not the opset of a model.
        domain: the domain; ``""`` means ai.onnx, as in a model.

    Raises:
        TypeError: an argument has the wrong type.
        NoOperatorError: there is no such operator version, or it is not supported yet.
    """
    texts: dict[str, object] = {"name": name, "domain": domain}
    for what, given in texts.items():
        if not isinstance(given, str):
            kind = type(given).__name__
            raise TypeError(f"operator: {what} is of type {kind}, expected a string")
    try:
        since_version = as_count(since_version)
    except TypeError:
        kind = type(since_version).__name__
        words = f"operator: since_version is of type {kind}, expected an integer"
        raise TypeError(words) from None
    key = (domain or "ai.onnx", name, since_version)
    if key not in MODULES:
        raise NoOperatorError(_reason(*key))
    found: Operator = importlib.import_module(MODULES[key]).OPERATOR
    return found


def _reason(domain: str, name: str, version: int) -> str:
    """Why there is no such operator version."""
    asked = f"{name}-{integer_text(version)}"
    modules = [module for (home, _, _), module in MODULES.items() if home == domain]
    if not modules:
        have = ", ".join(sorted({home for home, _, _ in MODULES}))
        return f"no {asked} in {domain}; there is no such domain, but {have}"
    package = modules[0].rsplit(".", 2)[0]
    index: Mapping[str, Published] = importlib.import_module(f"{package}._index").PUBLISHED
    by_name = {published.operator: published for published in index.values()}
    published = by_name.get(name)
    if published is None:
        return f"{domain} has no operator '{name}'{meant(name, by_name)}"
    if version in published.deprecated:
        return f"{name} is deprecated since opset {version}"
    if version in published.versions:
        return not_supported(name, version, version)
    return f"no {asked} in {domain}; there are {list(published.versions)}"
