"""The plots of a report, as SVG that reads on light and on dark pages.

The same report gives the same bytes with the same release of matplotlib: no dates, no random ids.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.contenders import CONSTANT_WEIGHTS, CONVOLVERS, OPMILL, PEERS
from benchmarks.measure import FILL, ONE_THREAD
from benchmarks.report import Report, median, origin
from benchmarks.summary import speed_up

INK = "#767e89"
"""Text and axes: a grey with contrast enough on white and on black."""

COLOURS = {
    OPMILL: "#1f9e89",
    "numpy": "#8f7ee0",
    "onnxruntime": "#3b8fd4",
    CONSTANT_WEIGHTS: "#9cc4e8",
    "torch": "#e2703a",
    FILL: INK,
}
_STYLE = {
    "svg.hashsalt": "opmill",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.25,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "savefig.transparent": True,
}


def draw(report: Report) -> dict[str, str]:
    """Each plot's file name and SVG; those that the report has no figures for are left out."""
    plots: dict[str, Callable[[Report], Figure | None]] = {
        "speed_up_conv_transpose.svg": speed_up_conv_transpose,
        "speed_up_copies.svg": speed_up_copies,
        "throughput_conv_transpose.svg": throughput_conv_transpose,
        "throughput_copies.svg": throughput_copies,
        "scaling_size.svg": scaling_size,
        "scaling_threads.svg": scaling_threads,
    }
    drawn = {}
    with mpl.rc_context(_STYLE):
        for name, plot in plots.items():
            figure = plot(report)
            if figure is not None:
                drawn[name] = _svg(figure, origin(report))
    return drawn


def speed_up_conv_transpose(report: Report) -> Figure | None:
    """Plot the speed-up of opmill over each peer, main cases, one thread."""
    records = [r for r in _single(report["conv_transpose"]) if r["relative"] is None]
    names = (*CONVOLVERS, CONSTANT_WEIGHTS)
    return _speed_up(records, names, "ConvTranspose: speed of opmill over its peers, 1 thread")


def speed_up_copies(report: Report) -> Figure | None:
    """The same of Expand and Tile."""
    records = [r for r in _single(report["copies"]) if r["main"] and r["type"] == "float32"]
    return _speed_up(records, PEERS, "Expand and Tile: speed of opmill over its peers, 1 thread")


def throughput_conv_transpose(report: Report) -> Figure | None:
    """GFLOP/s of the main cases beside the peers and the limit."""
    records = [
        r for r in _single(report["conv_transpose"]) if r["relative"] is None and not r["tiny"]
    ]
    names = (OPMILL, *CONVOLVERS)
    limit = report["matrix_product"].get("1")
    return _throughput(
        records,
        names,
        "ConvTranspose: arithmetic rate, float32, 1 thread",
        "GFLOP/s",
        "flops",
        (limit, "product of 1024 x 1024 matrices") if limit else None,
    )


def throughput_copies(report: Report) -> Figure | None:
    """GB/s of the main cases beside the peers and filling the output."""
    records = [r for r in _single(report["copies"]) if r["main"] and r["type"] == "float32"]
    names = (FILL, OPMILL, *PEERS)
    title = "Expand and Tile: rate of writing the output, float32, 1 thread"
    return _throughput(records, names, title, "GB/s", "bytes", None)


def scaling_size(report: Report) -> Figure | None:
    """Time over filling the output against the output's size, all cases of copies."""
    records = _single(report["copies"])
    if not records:
        return None
    figure, axes = _figure(4.2)
    for type in dict.fromkeys(r["type"] for r in records):
        chosen = sorted((r for r in records if r["type"] == type), key=lambda r: r["bytes"])
        axes.scatter(
            [r["bytes"] for r in chosen],
            [r["times"][OPMILL][2] / r["times"][FILL][2] for r in chosen],
            s=22,
            alpha=0.75,
            linewidths=0,
            color=_TYPE_COLOURS[type],
            label=type,
        )
    axes.axhline(1, color=INK, linewidth=1.2)
    axes.axhline(3, color=INK, linewidth=0.8, linestyle="--")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_yticks([0.5, 1, 2, 3, 4, 8], labels=["0.5", "1", "2", "3", "4", "8"])
    sizes = [2**power for power in range(12, 29, 4)]
    axes.set_xticks(sizes, labels=[_size(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("size of the output")
    axes.set_ylabel("time over filling the output")
    axes.set_title("Expand and Tile: distance to the limit by size, 1 thread")
    axes.grid(visible=True)
    return figure


def scaling_threads(report: Report) -> Figure | None:
    """The speed of two threads over one's, main cases of ConvTranspose."""
    times = {(r["case"], r["threads"]): r for r in report["conv_transpose"]}
    cases = [
        r["case"]
        for r in _single(report["conv_transpose"])
        if r["relative"] is None and not r["tiny"] and (r["case"], 2) in times
    ]
    if not cases:
        return None
    names = (OPMILL, *CONVOLVERS)

    def gain(case: str, name: str) -> float | None:
        two = median(times[case, 2], name)
        one = median(times[case, 2], ONE_THREAD) if name == OPMILL else median(times[case, 1], name)
        return one / two if one and two else None

    cases.sort(key=lambda case: gain(case, OPMILL) or 0)
    figure, axes = _figure(0.9 + 0.42 * len(cases))
    _bars(axes, cases, names, gain)
    axes.axvline(1, color=INK, linewidth=1.2)
    axes.axvline(2, color=INK, linewidth=0.8, linestyle="--")
    axes.set_xlabel("times faster with 2 threads than with 1")
    axes.set_title("ConvTranspose: what a second thread brings")
    return figure


_TYPE_COLOURS = {
    "uint8": "#e2703a",
    "int16": "#d4a72c",
    "float32": "#1f9e89",
    "float64": "#3b8fd4",
    "complex128": "#8f7ee0",
}


def _speed_up(records: Sequence[Any], names: Sequence[str], title: str) -> Figure | None:
    """Bars of the ratio to each peer on a logarithmic axis, the least lead at the bottom."""
    if not records:
        return None
    by_case = {r["case"]: r for r in records}
    present = [n for n in names if any(n in r["times"] for r in records)]

    def ratio(case: str, name: str) -> float | None:
        return speed_up(by_case[case], name)

    def lead(case: str) -> float:
        return min(r for n in present if (r := ratio(case, n)) is not None)

    cases = sorted(by_case, key=lead)
    figure, axes = _figure(1.1 + 0.15 * len(cases) * (len(present) + 1))
    axes.set_xscale("log", base=2)
    _bars(axes, cases, present, ratio, base=1)
    low, high = axes.get_xlim()
    powers = range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)
    axes.set_xticks([2.0**p for p in powers], labels=[f"{2.0**p:g}" for p in powers])
    axes.set_xlim(min(low, 0.7), high * 1.15)
    axes.minorticks_off()
    axes.axvline(1, color=INK, linewidth=1.4)
    axes.set_xlabel("times faster than the peer (right of 1: opmill is faster)")
    axes.set_title(title)
    return figure


def _throughput(
    records: Sequence[Any],
    names: Sequence[str],
    title: str,
    unit: str,
    work: str,
    limit: tuple[float, str] | None,
) -> Figure | None:
    """Bars of work a second by case, the fastest at the top."""
    if not records:
        return None
    by_case = {r["case"]: r for r in records}

    def rate(case: str, name: str) -> float | None:
        time = median(by_case[case], name)
        return None if time is None else by_case[case][work] / time / 1e3

    cases = sorted(by_case, key=lambda case: rate(case, OPMILL) or 0)
    figure, axes = _figure(1.1 + 0.15 * len(cases) * (len(names) + 1))
    _bars(axes, cases, [n for n in names if any(n in r["times"] for r in records)], rate)
    if limit is not None:
        axes.axvline(limit[0], color=INK, linewidth=1.4, linestyle="--")
        axes.annotate(
            f"{limit[1]}: {limit[0]:.0f}",
            (limit[0], 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-4, 2),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
    axes.set_xlabel(unit)
    axes.set_title(title, pad=16)
    return figure


def _bars(
    axes: Any,
    cases: Sequence[str],
    names: Sequence[str],
    value: Callable[[str, str], float | None],
    base: float = 0,
) -> None:
    """Groups of horizontal bars with their figures, the first case at the bottom."""
    height = 0.84 / len(names)
    for place, name in enumerate(names):
        rows = [
            (index + 0.42 - (place + 0.5) * height, found)
            for index, case in enumerate(cases)
            if (found := value(case, name)) is not None
        ]
        widths = [found - base for _, found in rows]
        bars = axes.barh(
            [y for y, _ in rows], widths, height * 0.92, left=base, color=COLOURS[name], label=name
        )
        labels = [_digits(found) for _, found in rows]
        axes.bar_label(bars, labels, padding=3, fontsize=7)
    axes.set_yticks(range(len(cases)), labels=cases)
    axes.set_ylim(-0.6, len(cases) - 0.4)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x")


def _figure(height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(8, height), layout="constrained")
    return figure, figure.add_subplot()


def _svg(figure: Figure, description: str) -> str:
    """The figure with its legend below it, where it hides nothing."""
    (axes,) = figure.axes
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    buffer = io.StringIO()
    metadata = {"Date": None, "Creator": "opmill", "Description": description}
    figure.savefig(buffer, format="svg", metadata=metadata)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _single(records: Sequence[Any]) -> list[Any]:
    return [r for r in records if r["threads"] == 1]


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}" if value >= 5 else f"{value:.2f}"


def _size(count: int) -> str:
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count // size} {unit}"
    return f"{count} B"
