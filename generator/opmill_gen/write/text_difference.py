"""Changes that a run would make, as a unified difference of the changed files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from opmill_gen.base.plain_file import read_plain
from opmill_gen.write.write import Difference, Files


def text_difference(
    output: Path, files: Files, difference: Difference, schemas: Mapping[str, tuple[Path, str]]
) -> Iterator[str]:
    """The lines of the difference, computed while they are read.

    Args:
        output: the folder of the output.
        files: what it should hold.
        difference: the files that are missing or changed.
        schemas: the stale schemas by the names to show, each with its path and its text.
    """
    for path in difference.changed:
        yield from _of_file(f"{output.name}/{path}", read_plain(output / path), files[path])
    for name, (file, text) in schemas.items():
        yield from _of_file(name, file.read_bytes(), text.encode())


def _of_file(name: str, old: bytes | None, new: bytes) -> Iterator[str]:
    yield from difflib.unified_diff(
        (old or b"").decode("utf-8", "replace").splitlines(),
        new.decode("utf-8", "replace").splitlines(),
        name if old is not None else "/dev/null",
        f"{name} (as it should be)",
        lineterm="",
    )
