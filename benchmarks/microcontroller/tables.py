"""Writes the measurements of compiled networks as JSON and as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_HEAD = """# Networks on a Cortex-M7

The networks of MLPerf Tiny with random weights, compiled by arm-none-eabi-gcc with `-Os` and run in
QEMU; written by `python -m benchmarks compile`. Bytes; code is flash without weights, with what the
network needs of the compiler's libraries. The last column is milliseconds of processor time on this
machine, x86-64 with one thread, of C compiled by gcc with `-O3 -march=native`: the shortest of many
runs.

| network | form | | code | weights | arena | stack | million instructions | ms |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def save(folder: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write ``microcontroller.json`` and ``microcontroller.md``."""
    data = json.dumps(list(records), indent=1) + "\n"
    (folder / "microcontroller.json").write_text(data, encoding="utf-8")
    text = _HEAD + "".join(_rows(records))
    (folder / "microcontroller.md").write_text(text, encoding="utf-8")


def _rows(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    for one in records:
        cells = [one["network"], one["form"], one["contender"]]
        on_target = "code" in one
        cells += [f"{one[key]:,}" if on_target else "" for key in ("code", "weights")]
        arena = f"{one['arena']:,}" if "arena" in one else "on the stack" if on_target else ""
        cells += [arena, f"{one['stack']:,}" if on_target else ""]
        cells.append(f"{one['instructions'] / 1e6:.1f}" if on_target else "")
        cells.append(f"{one['ms']:.3f}" if "ms" in one else "")
        yield f"| {' | '.join(cells)} |\n"
