"""Draws a report again: the tables and the plots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import plots, report, tables

TABLE = "README.md"


def draw(folder: Path) -> Iterator[Path]:
    """Write what is drawn from the report in the folder; yields each file that was written.

    A plot that this report has no figures for is removed.
    """
    loaded = report.load(folder / report.REPORT.name)
    texts = {folder / TABLE: tables.whole(loaded)}
    texts |= {folder / name: text for name, text in plots.draw(loaded).items()}
    for path in folder.glob("*.svg"):
        if path not in texts:
            path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        yield path
