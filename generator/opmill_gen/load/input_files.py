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
from opmill_gen.base.plain_file import is_litter

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
                path = Path(folder, name)
                shown = Path(root.name, path.relative_to(root)).as_posix()
                is_domain = path.parent == root and not path.is_symlink()
                for problem in _problems(path, may_be_folder=is_domain):
                    faults.append(Diagnostic(Location(printable(shown)), problem))
    if faults:
        raise InputError(faults)


def printable(name: str) -> str:
    """A name with each byte that is not UTF-8 as ``\\xff``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _problems(path: Path, *, may_be_folder: bool) -> Iterator[str]:
    if printable(path.name) != path.name:
        yield _NOT_UTF8
    try:
        found = path.stat()
    except OSError:
        return  # a link that leads nowhere, as editors leave them; reported where it is read
    if stat.S_ISDIR(found.st_mode):
        if path.is_symlink():
            yield "is a link to a folder, which is not followed; put the folder itself here"
        elif path.suffix in _FILES and not may_be_folder:
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
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not is_litter(path)
    )
