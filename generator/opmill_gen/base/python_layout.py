"""Lays out generated Python with ruff, all files of a run at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from opmill_gen.base.wrap import LINE_LENGTH


def laid_out(texts: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """The texts as ``ruff format`` lays them out; a text that is not Python stays as it is.

    Args:
        texts: the contents of files, by their paths, which only serve as keys.
    """
    if not texts:
        return {}
    with TemporaryDirectory(prefix="opmill-") as folder:
        files = {path: Path(folder, f"{number}.py") for number, path in enumerate(texts)}
        for path, file in files.items():
            file.write_text(texts[path], encoding="utf-8", newline="\n")
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", "--no-cache"),
                *("--line-length", str(LINE_LENGTH), "--target-version", "py311", folder),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode and "Failed to parse" not in ran.stderr:
            raise RuntimeError(f"ruff format failed: {ran.stderr.strip()}")
        return {path: file.read_text(encoding="utf-8") for path, file in files.items()}
