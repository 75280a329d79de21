"""Stage 5, the only one that touches the disk: makes a folder hold the planned files.

Each file is replaced by an atomic rename, so that a run which is killed leaves every file
either old or new; the next run repairs the rest. Files that an earlier run wrote and that are no
longer planned are deleted; ``manifest.py`` proves which these are. Files of others are left alone
and reported; one that is in the way of a planned file stops the run before anything is written.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.base.cache import CACHE
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.plain_file import TEMPORARY, read_plain, replace_plain
from opmill_gen.write.location import shown
from opmill_gen.write.manifest import (
    MANIFEST,
    Inputs,
    Manifest,
    has_mark,
    manifest_of,
    read_manifest,
)

Files = Mapping[PurePosixPath, bytes]

_OWN = {CACHE}
_TEMPORARY = re.compile(re.escape(TEMPORARY) + r"\w+\Z")
_OTHERS = re.compile(r"\..*|__pycache__|build([-_].*)?|cmake-build.*|dist|.*\.egg-info")
"""Folders that tools make among the output, or people: repositories, environments, builds. They are
neither looked into nor deleted."""


@dataclass(frozen=True)
class Difference:
    """Difference of a folder from the planned files. Paths are relative to the folder.

    Attributes:
        missing: planned files that are not there.
        changed: planned files with other contents.
        orphans: files of an earlier run that are no longer planned.
        foreign: files that opmill did not write, or that cannot be proved to be its own.
    """

    missing: tuple[PurePosixPath, ...] = ()
    changed: tuple[PurePosixPath, ...] = ()
    orphans: tuple[PurePosixPath, ...] = ()
    foreign: tuple[PurePosixPath, ...] = ()

    @property
    def is_stale(self) -> bool:
        """True if a run would write or delete anything."""
        return bool(self.missing or self.changed or self.orphans)

    def __bool__(self) -> bool:
        return self.is_stale or bool(self.foreign)


def with_manifest(files: Files, inputs: Inputs | None = None) -> Files:
    """The planned files and the list of them."""
    return {**files, MANIFEST: manifest_of(files, inputs).text()}


def existing(folder: Path) -> Iterator[PurePosixPath]:
    """The files below a folder that count as output: all but those of other tools' folders."""
    if not folder.is_dir():
        return
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _OTHERS.fullmatch(name))
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        inside = PurePosixPath(Path(parent).relative_to(folder).as_posix())
        for name in sorted([*names, *links]):
            path = inside / name
            if str(path) not in _OWN and not name.endswith((".pyc", ".so", ".pyd")):
                yield path


def compare(folder: Path, files: Files, inputs: Inputs | None = None) -> Difference:
    """Compare a folder with the planned files and the list of them."""
    return _compare(folder, with_manifest(files, inputs), read_manifest(folder))


def _compare(folder: Path, files: Files, manifest: Manifest | None) -> Difference:
    present = set(existing(folder))
    others = present - files.keys()
    orphans = {path for path in others if _is_own(folder, path, manifest)}
    return Difference(
        missing=tuple(sorted(files.keys() - present)),
        changed=tuple(
            path
            for path in sorted(files.keys() & present)
            if read_plain(folder / path) != files[path]
        ),
        orphans=tuple(sorted(orphans)),
        foreign=tuple(sorted(others - orphans)),
    )


def _is_own(folder: Path, path: PurePosixPath, manifest: Manifest | None) -> bool:
    """True if opmill wrote a file that is not planned, or began to write it and was killed."""
    if _TEMPORARY.match(path.name) and read_plain(folder / path) is not None:
        return True
    return manifest is not None and manifest.proves(folder, path)


def foreign_files(folder: Path, present: list[PurePosixPath]) -> tuple[PurePosixPath, ...]:
    """Those of the present files that the list of a folder does not name."""
    manifest = read_manifest(folder)
    return tuple(sorted(path for path in present if manifest is None or path not in manifest))


def write(folder: Path, files: Files, inputs: Inputs | None = None) -> Difference:
    """Make the folder hold these files and the list of them; what differed before is returned.

    Args:
        folder: the output folder.
        files: the planned files.
        inputs: what they are generated from, for the list.

    Raises:
        InputError: a file of somebody else is in the way; nothing was written.
    """
    manifest = read_manifest(folder)
    planned = with_manifest(files, inputs)
    difference = _compare(folder, planned, manifest)
    obstacles = list(_obstacles(folder, difference, manifest))
    if obstacles:
        raise InputError(Diagnostic(Location(shown(folder)), words) for words in obstacles)
    if not difference.is_stale:
        return difference
    folder.mkdir(parents=True, exist_ok=True)
    # A run that is killed half-way leaves a list of all that it may have left.
    both = manifest_of(files).joined(manifest or Manifest({})).text()
    if read_plain(folder / MANIFEST) != both:
        replace_plain(folder / MANIFEST, both)
    for path in difference.orphans:
        _delete(folder, path)
    for path in (*difference.missing, *difference.changed):
        if path != MANIFEST:
            replace(folder, path, planned[path])
    if both != planned[MANIFEST]:
        replace_plain(folder / MANIFEST, planned[MANIFEST])
    return difference


def _obstacles(folder: Path, difference: Difference, manifest: Manifest | None) -> Iterator[str]:
    """Reason to stop the run: deleting or replacing a file could lose the work of somebody."""
    for name in (str(MANIFEST), *sorted(_OWN)):
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            yield f"'{name}' is a folder, expected a file or nothing; move it away"
            return
    if manifest is None:
        found = sorted({*difference.changed, *difference.foreign})
        if found:
            yield (
                f"the folder holds '{found[0]}' and no list '{MANIFEST}' of files that opmill "
                "made, expected an empty folder or an earlier output; name one with --output"
            )
        return
    orphans = set(difference.orphans)
    blocked = {path: _is_replaceable(folder, path, manifest) for path in difference.changed}
    for path in difference.missing:
        for parent in path.parents[:-1]:
            entry = folder / parent
            if entry.is_symlink() or (entry.exists() and not entry.is_dir()):
                blocked[parent] = parent in orphans or (
                    read_plain(entry) is None and manifest.lists_below(parent)
                )
        for inner in _below(folder, path):
            blocked[inner] = inner in orphans
    for path in sorted(path for path, free in blocked.items() if not free):
        yield f"'{path}' was not made by opmill and is in the way of a planned file; move it away"


def _is_replaceable(folder: Path, path: PurePosixPath, manifest: Manifest) -> bool:
    """True if what is in the place of a planned file is opmill's: a list may lack merged files."""
    return path in manifest or has_mark(read_plain(folder / path) or b"")


def _below(folder: Path, path: PurePosixPath) -> Iterator[PurePosixPath]:
    """Every file and link below a folder, those of other tools too."""
    if (folder / path).is_symlink():
        return
    for parent, folders, names in os.walk(folder / path):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        for name in (*names, *links):
            yield PurePosixPath(Path(parent, name).relative_to(folder).as_posix())


def replace(folder: Path, relative: PurePosixPath, content: bytes) -> None:
    """Put a file in place by an atomic rename in its own folder."""
    _make_room(folder, relative)
    replace_plain(folder / relative, content)


def _make_room(folder: Path, relative: PurePosixPath) -> None:
    """Make the folders of a file. Inside the output no link is followed."""
    for parent in reversed(relative.parents[:-1]):
        inner = folder / parent
        if inner.is_symlink() or (inner.exists() and not inner.is_dir()):
            inner.unlink()
        inner.mkdir(exist_ok=True)
    path = folder / relative
    if path.is_dir() and not path.is_symlink():
        for inner_folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(inner_folder)


def _delete(folder: Path, path: PurePosixPath) -> None:
    """Delete a file that opmill wrote, what Python compiled from it, and folders left empty."""
    orphan = folder / path
    compiled = orphan.parent / "__pycache__"
    orphan.unlink()
    if orphan.suffix == ".py" and not compiled.is_symlink():
        for bytecode in compiled.glob(f"{glob.escape(orphan.stem)}.*.pyc"):
            if bytecode.is_file():
                bytecode.unlink()
        with suppress(OSError):
            compiled.rmdir()
    with suppress(OSError):  # the first folder that is not empty
        for parent in path.parents[:-1]:
            (folder / parent).rmdir()
