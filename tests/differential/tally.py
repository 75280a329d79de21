"""Counts what was called and what it was compared with; the counts as a table, or as data."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any


class Tally:
    """The counts of each operator version."""

    def __init__(self) -> None:
        self.calls: dict[str, Counter[str]] = defaultdict(Counter)
        self.comparisons: dict[str, Counter[str]] = defaultdict(Counter)
        self.differences: dict[str, Counter[str]] = defaultdict(Counter)

    def count(self, label: str, outcome: str) -> None:
        """A call, and whether it is ``legal`` or ``refused``."""
        self.calls[label][outcome] += 1

    def compared(self, label: str, judge: str) -> None:
        """A comparison with a backend, the oracle, the reference or a runtime."""
        self.comparisons[label][judge] += 1

    def known(self, label: str, runtime: str) -> None:
        """A call that a runtime is known to answer otherwise."""
        self.differences[label][runtime] += 1

    def as_data(self) -> dict[str, Any]:
        """The counts as the record holds them."""
        return {
            label: {
                "legal": calls["legal"],
                "refused": calls["refused"],
                "compared": dict(sorted(self.comparisons[label].items())),
                "known_differences": dict(sorted(self.differences[label].items())),
            }
            for label, calls in self.calls.items()
        }

    def as_text(self) -> str:
        """The counts as a table; behind a runtime's count, that of the known differences."""
        judges = sorted({name for counts in self.comparisons.values() for name in counts})
        lines = [["", "legal", "refused", *judges]]
        for label, calls in self.calls.items():
            known = self.differences[label]
            counts = self.comparisons[label]
            cells = [f"{counts[j]}" + (f" (+{known[j]})" if known[j] else "") for j in judges]
            lines.append([label, str(calls["legal"]), str(calls["refused"]), *cells])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
