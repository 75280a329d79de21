"""Digests by which a run recognises that it has nothing to do, or what of its cache still holds."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from opmill_gen.base.plain_file import files_below, is_litter

_SKIPPED = {"__pycache__", "_data.tar.xz"}
"""No inputs: bytecode, and the archive of all inputs in an installed generator."""


def inputs_digest(folders: Iterable[Path], settings: str) -> str:
    """A digest of all inputs: settings, every file below the folders, the generator's sources.

    It is the same on every machine. The releases of Python and of libraries are left out, since
    the output does not depend on them within the bounds that pyproject.toml states.

    Args:
        folders: the folders that a run reads. Their names do not matter, their order does.
        settings: what the run is asked for.
    """
    digest = hashlib.sha256(f"{settings}\n".encode())
    for folder in (_generator(), *folders):
        _add_folder(digest, folder)
    return digest.hexdigest()


def generator_digest(settings: str) -> str:
    """A digest of what shapes the cache besides specs and templates: settings, code and tools."""
    digest = hashlib.sha256()
    digest.update(f"{settings}\n{sys.version_info[:2]}\n".encode())
    for tool in ("jinja2", "ruff", "pyyaml"):
        digest.update(f"{tool} {metadata.version(tool)}\n".encode())
    _add_folder(digest, _generator())
    return digest.hexdigest()


def _generator() -> Path:
    return Path(__file__).resolve().parent.parent


def _add_folder(digest: hashlib._Hash, folder: Path) -> None:
    for path in files_below(folder):
        if path.endswith(".schema.json"):
            continue  # generated from the classes, which the generator's digest covers
        if not _SKIPPED.intersection(path.split("/")) and not is_litter(path):
            digest.update(f"{path}\n".encode("utf-8", "surrogateescape"))
            with open(os.path.join(folder, path), "rb") as stream:
                content = stream.read()
            digest.update(f"{len(content)}\n".encode())
            digest.update(content)
