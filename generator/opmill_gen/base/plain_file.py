"""Files as opmill writes them: read without following links or blocking, replaced atomically.

A folder of output may hold anything by the time of the next run: links, pipes, unreadable files.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

TEMPORARY = ".opmill-new-"
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe must not wait for a writer."""


def read_plain(path: Path) -> bytes | None:
    """Read a regular file; ``None`` for a link, a pipe, a folder and what cannot be read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with open(path, "rb", opener=_opened) as stream:
            return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except OSError:
        return None


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS)


def describe(path: Path) -> str:
    """Tell entries apart that ``read_plain`` does not read: ``pipe``, ``link to ../x``."""
    try:
        if path.is_symlink():
            return f"link to {os.readlink(path)}"
        return f"entry of mode {stat.S_IFMT(path.lstat().st_mode):o}"
    except OSError:
        return "nothing"


def files_below(folder: Path) -> list[str]:
    """The paths of all regular files below a folder, from there, in the order of their parts.

    Links to files count, links to folders are not followed. A folder that is not there has none.
    """
    found, pending = list[str](), [""] if folder.is_dir() else []
    while pending:
        inside = pending.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{inside}{entry.name}/")
                elif entry.is_file():
                    found.append(f"{inside}{entry.name}")
    return sorted(found, key=lambda path: path.split("/"))


def is_litter(path: str) -> bool:
    """Return whether editors, systems or Python left a file behind: it is no input."""
    litter = ("~", ".orig", ".rej", ".swp", ".pyc")
    return path.endswith(litter) or path.rpartition("/")[2] in (".DS_Store", "Thumbs.db")


def replace_plain(path: Path, content: bytes) -> None:
    """Write a file by an atomic rename within its folder; a link in its place is replaced."""
    handle, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
