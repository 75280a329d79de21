"""Checks of an output folder: it neither contains nor is part of what a user works with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location


def refuse_location(output: Path, inputs: Mapping[str, Path]) -> None:
    """Refuse an output folder by its location. Links are followed.

    Args:
        output: the folder.
        inputs: the folders that the run reads, by what they are called in messages.

    Raises:
        InputError: the folder is or contains an input, the working folder, the home folder or a
            root, lies in an input, or is a file.
    """
    problem = _problem(output, inputs)
    if problem is not None:
        words = f"the output folder {problem}; name another folder with --output"
        raise InputError([Diagnostic(Location(shown(output)), words)])


def shown(path: Path) -> str:
    """A path as messages show it: from the working folder where it is below that."""
    working = Path.cwd()
    below = path.is_absolute() and path != working and path.is_relative_to(working)
    return (path.relative_to(working) if below else path).as_posix()


def _problem(output: Path, inputs: Mapping[str, Path]) -> str | None:
    real = Path(os.path.realpath(output))
    if real.parent == real:
        return "is a root of the file system"
    if not real.is_dir() and os.path.lexists(output):
        return "is a file" if real.exists() else "is a link that leads nowhere"
    folders = {**inputs, "the working folder": Path.cwd(), **_home()}
    for name, folder in folders.items():
        inner = Path(os.path.realpath(folder))
        if _same(real, inner):
            return f"is {name}"
        if any(_same(real, parent) for parent in inner.parents):
            return f"contains {name}, {shown(folder)}"
        if name in inputs and any(_same(inner, parent) for parent in real.parents):
            return f"lies in {name}, {shown(folder)}"
    return None


def _home() -> dict[str, Path]:
    try:
        return {"the home folder": Path.home()}
    except RuntimeError:  # no environment variable and no entry says where it is
        return {}


def _same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one folder, also where letter case or mounts hide it."""
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False
