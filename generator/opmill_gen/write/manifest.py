"""``opmill-files.txt``: the list of the files that opmill wrote in an output folder.

A folder with this list at its top is an output folder; a later run deletes there what the list
names and the plan does not. A listed file must also show that opmill wrote it: by the mark in its
first lines or, where it has none because it is a plain copy, by its digest in the list.

The list is committed with the output. A merge may keep the lines of both sides (``merge=union``):
the order of lines has no meaning, and a path may have several digests.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.base.banner import MARK, banner
from opmill_gen.base.plain_file import read_plain

MANIFEST = PurePosixPath("opmill-files.txt")
_DIGEST = "  sha256:"
_MARKED_BYTES = 400


@dataclass(frozen=True)
class Manifest:
    """The listed files. A copied file has the digests that are known of it, others have none."""

    files: Mapping[PurePosixPath, frozenset[str]]

    def __contains__(self, path: PurePosixPath) -> bool:
        return path == MANIFEST or path in self.files

    def lists_below(self, folder: PurePosixPath) -> bool:
        """Whether a listed file is located below a folder."""
        return any(folder in path.parents for path in self.files)

    def proves(self, folder: Path, path: PurePosixPath) -> bool:
        """Whether opmill wrote the file at a path: the list names it, and its contents agree."""
        if path not in self.files:
            return False
        content = read_plain(folder / path)
        return content is not None and (
            has_mark(content) or hashlib.sha256(content).hexdigest() in self.files[path]
        )

    def joined(self, other: Manifest) -> Manifest:
        """The files of both lists."""
        paths = self.files.keys() | other.files.keys()
        none: frozenset[str] = frozenset()
        return Manifest({p: self.files.get(p, none) | other.files.get(p, none) for p in paths})

    def text(self) -> bytes:
        """The contents of the file."""
        lines = [banner(("specs", "templates"), command="opmill generate")]
        for path, digests in sorted(self.files.items()):
            lines += [f"{path}{_DIGEST}{digest}" for digest in sorted(digests)] or [str(path)]
        return ("\n".join(lines) + "\n").encode()


def manifest_of(files: Mapping[PurePosixPath, bytes]) -> Manifest:
    """The list of planned files."""
    return Manifest({path: _digests(content) for path, content in files.items()})


def read_manifest(folder: Path) -> Manifest | None:
    """The list at the top of a folder; ``None`` where there is none, or another file."""
    content = read_plain(folder / MANIFEST)
    if content is None or not has_mark(content):
        return None
    files: dict[PurePosixPath, set[str]] = defaultdict(set)
    for path, digest in _entries(content.decode("utf-8", "replace").splitlines()):
        files[path].update(filter(None, [digest]))
    return Manifest({path: frozenset(digests) for path, digests in files.items()})


def has_mark(content: bytes) -> bool:
    """Whether the first lines of a file say that opmill generated it."""
    return MARK.encode() in content[:_MARKED_BYTES]


def _digests(content: bytes) -> frozenset[str]:
    return frozenset(() if has_mark(content) else (hashlib.sha256(content).hexdigest(),))


def _entries(lines: Iterable[str]) -> Iterable[tuple[PurePosixPath, str]]:
    for line in lines:
        name, _, digest = line.partition(_DIGEST)
        if name and not name.startswith("#"):
            yield PurePosixPath(name), digest
