"""Advice on what to install where a package that a command needs is missing."""

from __future__ import annotations

from opmill_gen.base.hints import install_command

_OF_CLI = frozenset({"click", "onnx", "rich", "yaml"})
"""Modules of the extra ``cli``, as they are imported; ``generator`` brings all the rest too."""


def missing_package(who: str, error: ModuleNotFoundError) -> str | None:
    """State which package is missing and how to install it; ``None`` for a module of opmill's own.

    Args:
        who: what needs it, as ``run`` or ``the command line``.
        error: the failed import.
    """
    package = (error.name or "").partition(".")[0]
    if package in ("", "opmill", "opmill_gen"):
        return None
    extra = "cli" if package in _OF_CLI else "generator"
    install = install_command(package, extra)
    return f"{who} needs the package {package}; install it with: {install}"
