"""Recognises a run that has nothing to do: the same inputs, and the output as it was left.

The stamp is a small file in the output folder, ignored by git: a hash of all inputs and one of
all outputs. It saves time and decides nothing else; without it the run is a full one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from opmill_gen.base.plain_file import describe, read_plain, replace_plain

STAMP = ".opmill-stamp"
_SKIPPED = {"__pycache__"}


def generator_digest(settings: str) -> str:
    """A hash of what shapes the output besides specs and templates: settings, code and tools."""
    digest = hashlib.sha256()
    digest.update(f"{settings}\n{sys.version_info[:2]}\n".encode())
    for tool in ("jinja2", "black", "pyyaml"):
        digest.update(f"{tool} {metadata.version(tool)}\n".encode())
    _add_folder(digest, Path(__file__).resolve().parent.parent)
    return digest.hexdigest()


def inputs_digest(folders: Iterable[Path], generator: str) -> str:
    """A hash of every file below the folders, and of the generator."""
    digest = hashlib.sha256(generator.encode())
    for folder in folders:
        _add_folder(digest, folder)
    return digest.hexdigest()


def outputs_digest(folder: Path, paths: Iterable[object]) -> str:
    """A hash of the files of the output."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path}\n".encode("utf-8", "surrogateescape"))
        content = read_plain(folder / str(path))
        found = describe(folder / str(path)) if content is None else len(content)
        digest.update(f"{found}\n".encode("utf-8", "surrogateescape"))
        digest.update(content or b"")
    return digest.hexdigest()


def read_stamp(folder: Path) -> tuple[str, str, int] | None:
    """The inputs' hash, the outputs' hash and the number of files of the last run."""
    content = read_plain(folder / STAMP)
    try:
        inputs, outputs, count = (content or b"").decode("utf-8").split()
        return inputs, outputs, int(count)
    except ValueError:
        return None


def write_stamp(folder: Path, inputs: str, outputs: str, count: int) -> None:
    """Remember a run."""
    replace_plain(folder / STAMP, f"{inputs}\n{outputs}\n{count}\n".encode())


def _add_folder(digest: hashlib._Hash, folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(".schema.json"):
            continue  # made from the model, which the generator's digest covers
        if path.is_file() and not _SKIPPED.intersection(path.parts):
            digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
            _add_file(digest, path)


def _add_file(digest: hashlib._Hash, path: Path) -> None:
    content = path.read_bytes()
    digest.update(f"{len(content)}\n".encode())
    digest.update(content)
