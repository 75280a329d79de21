"""The report of a run: one JSON file, from which table and plots are drawn.

    machine, versions, settings   where and how it was measured
    matrix_product                GFLOP/s of a large float32 product, by threads: the limit
    conv_transpose, copies,       a record a case, see measure.py
    elementwise, cast,
    joins, moves, max_pool, non_zero,
    reductions, operators
    types                         ConvTranspose in all element types, on one thread
    networks                      opmill.Model beside onnxruntime, see networks/compare.py
    calls                         what a call of 8 elements costs, from Python and from C
    memory                        bytes beside the operands, see memory.py
    generator                     seconds of opmill generate, see generator.py

Times are microseconds: minimum, lower quartile, median, upper quartile.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

Report = dict[str, Any]

MINIMUM, LOWER, MEDIAN, UPPER = range(4)

RESULTS = Path(__file__).resolve().parent / "results"
REPORT = RESULTS / "report.json"


def dump(report: Report) -> str:
    """JSON with one record a line, so that runs can be compared line by line."""
    parts = []
    for key, value in report.items():
        if isinstance(value, list):
            records = ",\n    ".join(json.dumps(record) for record in value)
            text = f"[\n    {records}\n  ]" if value else "[]"
        else:
            text = json.dumps(value)
        parts.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def load(path: Path = REPORT) -> Report:
    report: Report = json.loads(path.read_text(encoding="utf-8"))
    return report


def origin(report: Report) -> str:
    """The origin of a plot's data, by which a stale plot is recognized without drawing it again."""
    return f"drawn from {REPORT.name}, sha256 {hashlib.sha256(dump(report).encode()).hexdigest()}"


def median(record: Any, contender: str) -> float | None:
    """The median time of a contender in microseconds; None where it took no part."""
    times = record["times"].get(contender)
    return float(times[MEDIAN]) if times else None


def fastest(record: Any, contenders: tuple[str, ...]) -> float | None:
    """The shortest of the contenders' median times."""
    times = [time for name in contenders if (time := median(record, name)) is not None]
    return min(times, default=None)
