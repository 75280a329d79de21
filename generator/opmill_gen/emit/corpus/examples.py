"""The examples of a corpus that was written, as the manual's panels read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.plain_file import read_plain
from opmill_gen.emit.corpus.layout import HEAD, INDEX

Examples = Mapping[str, tuple[str, ...]]
"""The blocks of the examples of each operator, by domain and name, as ``ai.onnx/Tile``."""


def read_examples(folder: Path) -> Examples:
    """Return the examples of a corpus, without drawn ones and those repeated in other types.

    Raises:
        InputError: the folder has no corpus.
    """
    index = _text(folder / INDEX).split("\n")
    words = [line.split(" ") for line in index[1:] if line.startswith("file ")]
    return {
        path.removesuffix(".txt"): tuple(
            block for block in _text(folder / path).split("\n\n") if _is_written(block)
        )
        for _, path, _ in words
    }


def _is_written(block: str) -> bool:
    is_added = "\norigin drawn\n" in block or "\nrepeated " in block
    return block.startswith("example ") and not is_added


def _text(path: Path) -> str:
    text = (read_plain(path) or b"").decode("utf-8", "replace")
    if not text.startswith(f"{HEAD}\n"):
        message = (
            f"is no file of a corpus, expected '{HEAD}' in its first line; write the corpus with "
            "'opmill generate --corpus --output DIR'"
        )
        raise InputError([Diagnostic(Location(str(path)), message)])
    return text
