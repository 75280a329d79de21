"""Gives an oracle, or a function that draws calls, what it takes of the version."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any


def with_parameters(function: Callable[..., Any], known: Mapping[str, Any]) -> Callable[..., Any]:
    """The function with those of the known values that it takes by keyword.

    Args:
        function: of a family, which may serve several operator versions.
        known: the family's parameters, and ``attributes``, the names of those that there are.
    """
    taken = inspect.signature(function).parameters
    given = {name: value for name, value in known.items() if name in taken}
    return partial(function, **given) if given else function


def ask(
    oracle: Callable[..., Mapping[str, Any]],
    inputs: Mapping[str, Any],
    attributes: Mapping[str, Any],
    outputs: int | None,
) -> Mapping[str, Any]:
    """Return an oracle's answer to a call; pass the requested number if it takes ``outputs``."""
    return with_parameters(oracle, {"outputs": outputs})(inputs, attributes)
