"""Records as lines for the terminal, while they are measured."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.contenders import OPMILL
from benchmarks.measure import Record
from benchmarks.report import Report
from benchmarks.summary import verdicts

_PLACES = {"minimum": 0, "median": 2}


def line(record: Record) -> str:
    """The case, opmill's time and rate, and every other's time with its ratio to opmill's.

    Ratios above 1 mean that opmill is faster. Times are medians, minima behind a slash.
    """
    times: dict[str, list[float]] = record["times"]
    head = f"{record['case']:37} {record.get('type', ''):10} x{record['threads']}"
    if OPMILL not in times:
        return f"{head}  " + "  ".join(f"{name} {_text(t)}" for name, t in times.items())
    ours = times[OPMILL]
    parts = [f"{head}  {OPMILL} {_text(ours)} us{_rate(record, ours)}"]
    parts += [
        f"{name} {_text(other)} ({_ratio(other, ours, 'median')}, {_ratio(other, ours, 'minimum')})"
        for name, other in times.items()
        if name != OPMILL
    ]
    return "  ".join(parts)


def _text(times: list[float]) -> str:
    return f"{times[_PLACES['median']]:.4g}/{times[_PLACES['minimum']]:.4g}"


def _ratio(other: list[float], ours: list[float], which: str) -> str:
    return f"{other[_PLACES[which]] / ours[_PLACES[which]]:.2f}"


def _rate(record: Record, ours: list[float]) -> str:
    median = ours[_PLACES["median"]]
    if "flops" in record:
        return f" {record['flops'] / median / 1e3:.1f} GFLOP/s [{record['kernel']}]"
    if "bytes" in record:
        return f" {record['bytes'] / median / 1e3:.1f} GB/s"
    return ""


def verdict_lines(report: Report) -> Iterator[str]:
    """The targets that the report has figures for."""
    for verdict in verdicts(report):
        answer = {True: "met", False: "MISSED", None: ""}[verdict.met]
        yield f"{answer:7}{verdict.what}: {verdict.found}, target {verdict.target}"
