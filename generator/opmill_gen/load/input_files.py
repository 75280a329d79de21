"""Refuses entries of the input folders that a run cannot read, or would leave out unnoticed.

Whatever has a name that is not UTF-8, is no regular file, is very long, or is a folder where a file
is expected ends the run before anything is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.plain_file import files_below, is_litter

MAX_BYTES = 1 << 26
"""The maximum length of an input file."""
_FILES = (".c", ".h", ".j2", ".py", ".yaml", ".yml")
"""Suffixes of the files that a run reads."""
_NOT_UTF8 = "the name is not UTF-8; rename it"
_KINDS = {
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def refuse_unreadable(folders: Iterable[Path]) -> None:
    """Check all entries of folders by their names, kinds and lengths; no file is opened.

    Raises:
        InputError: entries cannot be read; all that were found.
    """
    faults = []
    roots = list(folders)
    for root in roots:
        if any(root.is_relative_to(other) for other in roots if other != root):
            continue  # part of another one
        if printable(root.name) != root.name:
            faults.append(Diagnostic(Location(printable(root.name)), _NOT_UTF8))
        for folder, folders_below, files in os.walk(root):
            for name in (*folders_below, *files):
                path = os.path.join(folder, name)
                for problem in _problems(path, name, is_at_top=folder == str(root)):
                    shown = Path(root.name, os.path.relpath(path, root)).as_posix()
                    faults.append(Diagnostic(Location(printable(shown)), problem))
    if faults:
        raise InputError(faults)


def printable(name: str) -> str:
    """A name with each byte that is not UTF-8 as ``\\xff``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _problems(path: str, name: str, *, is_at_top: bool) -> Iterator[str]:
    if printable(name) != name:
        yield _NOT_UTF8
    try:
        found = os.stat(path)
    except OSError:
        return  # a link that leads nowhere, as editors leave them; reported where it is read
    if stat.S_ISDIR(found.st_mode):
        if os.path.islink(path):
            yield "is a link to a folder, which is not followed; put the folder itself here"
        elif os.path.splitext(name)[1] in _FILES and not is_at_top:  # a domain may end so
            yield "is a folder, expected a file; rename or remove it"
    else:
        problem = content_problem(found)
        if problem is not None:
            yield problem


def content_problem(found: os.stat_result) -> str | None:
    """The reason why a file, its links followed, cannot be read as a whole; ``None`` for none."""
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        return f"is a {_KINDS.get(kind, 'folder')}, expected a regular file; remove it"
    if found.st_size > MAX_BYTES:
        return f"has {found.st_size} bytes, expected at most {MAX_BYTES}"
    return None


def copied_files(folder: Path) -> tuple[str, ...]:
    """The files of a folder that are copied as they are."""
    return tuple(path for path in files_below(folder) if not is_litter(path))
