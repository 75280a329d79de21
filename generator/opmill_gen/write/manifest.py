"""``opmill-files.txt``: the list of the files that opmill wrote in an output folder.

A folder with this list at its top is an output folder; a later run deletes there what the list
names and the plan does not. A listed file must also show that opmill wrote it: by the mark in its
first lines or, where it has none because it is a plain copy, by its digest in the list.

The list also has the digest of the inputs. A run whose inputs have this digest, in a folder whose
files have theirs, has nothing to do, so that a fresh clone renders nothing.

The list is committed with the output. A merge may keep the lines of both sides (``merge=union``):
the order of lines has no meaning, a path may have several digests, and two digests of inputs are
as good as none.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from opmill_gen.base.banner import MARK, banner
from opmill_gen.base.plain_file import read_plain

MANIFEST = PurePosixPath("opmill-files.txt")
_DIGEST = "  sha256:"
_INPUTS = re.compile(r"# Inputs: (\d+) operator versions, sha256:([0-9a-f]{64})")
_MARKED_BYTES = 400


class Inputs(NamedTuple):
    """Inputs of a run: the number of operator versions, and a digest of all files."""

    versions: int
    digest: str


@dataclass(frozen=True)
class Manifest:
    """The listed files, each with the digests that are known of it.

    Attributes:
        files: the paths and their digests.
        inputs: what the files were generated from, unless several runs wrote them.
    """

    files: Mapping[PurePosixPath, frozenset[str]]
    inputs: Inputs | None = None

    def __contains__(self, path: PurePosixPath) -> bool:
        return path == MANIFEST or path in self.files

    def lists_below(self, folder: PurePosixPath) -> bool:
        """Return whether a listed file is located below a folder."""
        return any(folder in path.parents for path in self.files)

    def proves(self, folder: Path, path: PurePosixPath) -> bool:
        """True if opmill wrote the file at a path: the list names it, and its contents agree."""
        if path not in self.files:
            return False
        content = read_plain(folder / path)
        return content is not None and (
            has_mark(content) or hashlib.sha256(content).hexdigest() in self.files[path]
        )

    def holds(self, folder: Path) -> bool:
        """True if every listed file is in a folder with the bytes that it was written with."""
        for path, digests in self.files.items():
            content = read_plain(folder / path)
            if content is None or digests != _digests(content):
                return False
        return True

    def joined(self, other: Manifest) -> Manifest:
        """The files of both lists."""
        paths = self.files.keys() | other.files.keys()
        none: frozenset[str] = frozenset()
        return Manifest({p: self.files.get(p, none) | other.files.get(p, none) for p in paths})

    def text(self) -> bytes:
        """The contents of the file."""
        lines = [banner(("specs", "templates"), command="opmill generate")]
        if self.inputs is not None:
            versions, digest = self.inputs
            lines.append(f"# Inputs: {versions} operator versions, sha256:{digest}")
        for path, digests in sorted(self.files.items()):
            lines += [f"{path}{_DIGEST}{digest}" for digest in sorted(digests)] or [str(path)]
        return ("\n".join(lines) + "\n").encode()


def manifest_of(files: Mapping[PurePosixPath, bytes], inputs: Inputs | None = None) -> Manifest:
    """The list of planned files."""
    return Manifest({path: _digests(content) for path, content in files.items()}, inputs)


def read_manifest(folder: Path) -> Manifest | None:
    """The list at the top of a folder; ``None`` where there is none, or another file."""
    content = read_plain(folder / MANIFEST)
    if content is None or not has_mark(content):
        return None
    files: dict[PurePosixPath, set[str]] = defaultdict(set)
    inputs: list[Inputs] = []
    for line in content.decode("utf-8", "replace").splitlines():
        if line.startswith("#"):
            found = _INPUTS.fullmatch(line)
            inputs += [Inputs(int(found[1]), found[2])] if found else []
            continue
        name, _, digest = line.partition(_DIGEST)
        if name:
            files[PurePosixPath(name)].update(filter(None, [digest]))
    digests = {path: frozenset(found) for path, found in files.items()}
    return Manifest(digests, inputs[0] if len(inputs) == 1 else None)


def has_mark(content: bytes) -> bool:
    """Return whether the first lines of a file say that opmill generated it."""
    return MARK.encode() in content[:_MARKED_BYTES]


def _digests(content: bytes) -> frozenset[str]:
    return frozenset((hashlib.sha256(content).hexdigest(),))
