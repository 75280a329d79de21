"""Stage 5, the only one that touches the disk: makes a folder hold exactly the planned files.

Each file is replaced by an atomic rename, so that a run which is killed leaves every file
either old or new; the next run repairs the rest. Files that are not planned are deleted, but for
hidden folders and folders of builds.
A folder that holds files of somebody else is refused before anything is written.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.base.banner import MARK
from opmill_gen.base.cache import CACHE
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.write.stamp import STAMP

Files = Mapping[PurePosixPath, bytes]

_TEMPORARY = ".opmill-new-"
_OWN = {STAMP, CACHE, f"{CACHE}-new"}
_CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"}
_OTHERS = re.compile(r"\..*|__pycache__|build([-_].*)?|cmake-build.*|dist|.*\.egg-info")
"""Folders that tools make among the output, or people: repositories, environments, builds. They are
neither looked into nor deleted."""


@dataclass(frozen=True)
class Difference:
    """What a folder lacks of the planned files. Paths are relative to the folder."""

    missing: tuple[PurePosixPath, ...]
    changed: tuple[PurePosixPath, ...]
    orphans: tuple[PurePosixPath, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed or self.orphans)


def existing(folder: Path) -> Iterator[PurePosixPath]:
    """The files below a folder that count as output: all but those of other tools' folders."""
    if not folder.is_dir():
        return
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _OTHERS.fullmatch(name))
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(parent, name).relative_to(folder)
            if path.as_posix() not in _OWN and not name.endswith((".pyc", ".so", ".pyd")):
                yield PurePosixPath(path.as_posix())


def compare(folder: Path, files: Files) -> Difference:
    """How a folder differs from the planned files."""
    present = set(existing(folder))
    return Difference(
        missing=tuple(sorted(files.keys() - present)),
        changed=tuple(
            sorted(
                path for path in files.keys() & present if not _holds(folder / path, files[path])
            )
        ),
        orphans=tuple(sorted(present - files.keys())),
    )


def write(folder: Path, files: Files) -> Difference:
    """Make the folder hold exactly these files; what differed before is returned.

    Raises:
        InputError: the folder holds files and none of them is opmill's.
    """
    difference = compare(folder, files)
    if difference:
        _refuse_foreign(folder, files, difference)
    for path in (*difference.missing, *difference.changed):
        replace(folder, path, files[path])
    for path in difference.orphans:
        orphan = folder / path
        if orphan.is_symlink() or (orphan.exists() and not orphan.is_dir()):
            orphan.unlink()
    _remove_empty(folder)
    return difference


def _holds(path: Path, content: bytes) -> bool:
    return not path.is_symlink() and _read(path) == content


def _read(path: Path) -> bytes | None:
    """The contents of a file; ``None`` where it is none, or may not be read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except PermissionError:
        return None


def _refuse_foreign(folder: Path, files: Files, difference: Difference) -> None:
    """Deleting and replacing is only right in a folder that is opmill's already."""
    found = (*difference.orphans, *difference.changed)
    foreign = [path for path in found if not path.name.startswith(_TEMPORARY)]
    if not foreign:
        return
    mark = MARK.encode()
    for path in (*files, *foreign):
        if mark in (_read(folder / path) or b"")[:400]:
            return
    raise InputError(
        [
            Diagnostic(
                Location(folder.name),
                f"the output folder holds '{foreign[0]}' and nothing made by opmill; "
                "name an empty folder with --output",
            )
        ]
    )


def replace(folder: Path, relative: PurePosixPath, content: bytes) -> None:
    """Put a file in place by an atomic rename in its own folder."""
    _make_room(folder, relative)
    path = folder / relative
    handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _make_room(folder: Path, relative: PurePosixPath) -> None:
    """Make the folders of a file. Inside the output no link is followed."""
    folder.mkdir(parents=True, exist_ok=True)
    for parent in reversed(relative.parents[:-1]):
        inner = folder / parent
        if inner.is_symlink() or (inner.exists() and not inner.is_dir()):
            inner.unlink()
        inner.mkdir(exist_ok=True)
    path = folder / relative
    if path.is_dir() and not path.is_symlink():
        _remove_tree(path)


def _remove_tree(folder: Path) -> None:
    for parent, folders, names in os.walk(folder, topdown=False):
        for name in names:
            Path(parent, name).unlink()
        for name in folders:
            inner = Path(parent, name)
            inner.unlink() if inner.is_symlink() else inner.rmdir()
    folder.rmdir()


def _remove_empty(folder: Path) -> None:
    """Folders that hold nothing any more, or only caches of files that are gone, go too."""
    for parent, folders, names in os.walk(folder, topdown=False):
        here = Path(parent)
        if here == folder or _OTHERS.fullmatch(here.name):
            continue
        if any(map(_OTHERS.fullmatch, here.relative_to(folder).parts)):
            continue
        left = [name for name in folders if (here / name).exists() and name not in _CACHES]
        if not names and not left:
            _remove_tree(here)
