"""Imports what a user may have left out, and says how to get it."""

from __future__ import annotations

import importlib
from types import ModuleType


def needed(module: str, who: str, requirement: str) -> ModuleType:
    """A module of another distribution.

    Args:
        module: the module, as ``onnx``.
        who: what cannot do without it, for the message.
        requirement: the distribution that has it, with its bounds, as pip takes them.

    Raises:
        ImportError: it is not installed, or cannot be loaded.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{who} needs the package {module.partition('.')[0]} ({error}); "
            f"install it with: pip install '{requirement}'"
        ) from error
