"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.cases_operators import GOALS
from benchmarks.contenders import CONSTANT_WEIGHTS, CONVOLVERS, OPMILL, PEERS, PREPARED
from benchmarks.measure import COPY, FILL
from benchmarks.report import LOWER, MEDIAN, MINIMUM, UPPER, Report, median
from benchmarks.summary import (
    Verdict,
    headlines,
    reaches,
    speed_up,
    threads_text,
    verdicts,
)

_MOVED = "reads and writes as many bytes, those of inputs and outputs"
_BESIDE_COPY = {
    "elementwise": ("Add, Identity and Relu", "copies an array of the output's size"),
    "joins": ("Concat and Split", "copies an array of the whole's size"),
    "moves": ("Transpose, Slice, Pad and DepthToSpace", "copies an array of the output's size"),
    "cast": ("Cast", _MOVED),
    "max_pool": ("MaxPool", _MOVED),
    "non_zero": ("NonZero", _MOVED),
}
"""The parts of a report whose records stand beside a copy: what they are called, what it copies."""

_ANSWERS = {True: "met", False: "**missed**", None: ""}


def whole(report: Report) -> str:
    """The Markdown file beside the JSON."""
    parts = [
        "# Benchmarks",
        "Drawn from `report.json` by `python -m benchmarks redraw`; `../README.md` says how it was"
        " measured.",
        _machine(report),
        "## Summary",
        _summary(report),
        "## Targets",
        _verdict_table(verdicts(report)),
        "## Plots",
        *(f"![{text}]({name})" for name, text in _plots(report).items()),
        "## ConvTranspose, float32",
        "Times are medians in microseconds. In brackets is the distance of the quartiles, in"
        " per cent of the median; then how many times faster opmill is.",
    ]
    for threads in report["settings"]["threads"]:
        chosen = [r for r in report["conv_transpose"] if r["threads"] == threads]
        peak = report["matrix_product"].get(str(threads))
        limit = f", a large matrix product: {peak:.0f} GFLOP/s" if peak else ""
        parts += [f"### {threads_text(threads)}{limit}", _conv_transpose_table(chosen)]
    parts += [
        "## ConvTranspose: further cases beside their relatives",
        "One thread. `products` are summed up for one output, on average. `at its rate` is what"
        " they would take at the relative's GFLOP/s, `operands` what reading X and W and filling Y"
        " take. The longer of the two, and a call of a few numbers before it, are the least that a"
        " case could take; `part` is that least over what it does take.",
        _relatives_table(report["conv_transpose"]),
        "## ConvTranspose: element types",
        "Time over that of float32, one thread.",
        _types_table(report["types"]),
        "## ConvTranspose: memory beside X, W and Y",
        "KiB. opmill's is the workspace that the C library asks for; the others' how far the"
        " resident memory rises in the first call.",
        _memory_table(report["memory"]),
        "## Expand and Tile",
        "As above; `fill` writes one value to the whole output.",
    ]
    for threads in report["settings"]["threads"]:
        chosen = [r for r in report["copies"] if r["threads"] == threads]
        parts += [f"### {threads_text(threads)}", _copies_table(chosen)]
    for key, (operators, note) in _BESIDE_COPY.items():
        for threads in report["settings"]["threads"]:
            chosen = [r for r in report.get(key, []) if r["threads"] == threads]
            if chosen:
                parts += [
                    f"## {operators}: {threads_text(threads)}",
                    f"As above; `copy` {note}.",
                    _copies_table(chosen, COPY),
                ]
    for threads in report["settings"]["threads"]:
        chosen = [r for r in report.get("reductions", []) if r["threads"] == threads]
        if chosen:
            parts += [
                f"## Reductions: {threads_text(threads)}",
                "As above; GB/s are of the input.",
                _copies_table(chosen, None),
            ]
    parts += _operator_parts(report)
    parts += _network_parts(report)
    parts += [
        "## Calls of 8 elements",
        _calls_table(report["calls"]),
        "## The generator",
        "Whole processes, in seconds; the specs are the project's own under other names.",
        _generator_table(report["generator"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _operator_parts(report: Report) -> Iterator[str]:
    for group, (title, _, _) in GOALS.items():
        for threads in report["settings"]["threads"]:
            chosen = [
                r
                for r in report.get("operators", [])
                if r["group"] == group and r["threads"] == threads
            ]
            if chosen:
                yield f"## {title}: {threads_text(threads)}"
                yield _operators_table(chosen)


def _operators_table(records: Sequence[Any]) -> str:
    """Rates are of the products where they are counted, else of the inputs and outputs."""
    peers = [
        name
        for name in (*PEERS, CONSTANT_WEIGHTS, PREPARED)
        if any(name in r["times"] for r in records)
    ]
    rows = [
        [r["case"], r["type"], _time(r, OPMILL), _rate(r), *(_beside(r, peer) for peer in peers)]
        for r in records
    ]
    return _table(["case", "type", OPMILL, "rate", *peers], rows)


def _rate(record: Any) -> str:
    unit, amount = ("GFLOP/s", "flops") if "flops" in record else ("GB/s", "bytes")
    return f"{record[amount] / record['times'][OPMILL][2] / 1e3:.1f} {unit}"


def _plots(report: Report) -> dict[str, str]:
    """The plots of a report, and what each shows."""
    shown = {
        "speed_up_conv_transpose.svg": "Speed of ConvTranspose over its peers",
        "throughput_conv_transpose.svg": "Rate of ConvTranspose beside the limit",
        "speed_up_copies.svg": "Speed of Expand and Tile over their peers",
        "throughput_copies.svg": "Rate of Expand and Tile beside filling the output",
        "scaling_size.svg": "Rate by size",
    }
    if any(record["threads"] == 2 for record in report["conv_transpose"]):
        shown["scaling_threads.svg"] = "What a second thread brings"
    return shown


def _summary(report: Report) -> str:
    """Text and table of the geometric means with one thread: a line for each group of operators."""
    found = verdicts(report)
    judged = [v.met for v in found if v.met is not None]
    head = (
        f"{sum(judged)} of {len(judged)} targets are met.{_shared(report)} These are the geometric"
        " means with one thread, by group of operators; every target is in the next table."
    )
    return f"{head}\n\n{_verdict_table(headlines(found))}"


def _shared(report: Report) -> str:
    """A note on a report that was measured while the machine had other work."""
    if not report["settings"]["processor_time"]:
        return ""
    text = " Other work shared the machine; one thread is timed by what it computes"
    if len(report["settings"]["threads"]) > 1:
        text += ", and figures for more threads are disturbed"
    return f"{text}."


def _machine(report: Report) -> str:
    machine, settings = report["machine"], report["settings"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [
        f"* {machine['cpu']}, {machine['cores']} cores; {machine['system']}",
        f"* {versions}; Python {machine['python']}; {machine['compiler']}",
        f"* {settings['rounds']} rounds of at least {settings['seconds'] * 1e3:g} ms for each"
        " contender",
    ]
    if settings["processor_time"]:
        lines.append(f"*{_shared(report)}")
    return "\n".join(lines)


def _verdict_table(found: Sequence[Verdict]) -> str:
    rows = [[v.what, v.target, v.found, _ANSWERS[v.met]] for v in found]
    return _table(["what", "target", "found", ""], rows)


def _conv_transpose_table(records: Sequence[Any]) -> str:
    peers = (*CONVOLVERS, CONSTANT_WEIGHTS)
    heads = ["case", "call", "kernel", OPMILL, "GFLOP/s", *peers]
    rows = [
        [
            r["case"],
            r["text"],
            r["kernel"],
            _time(r, OPMILL),
            f"{r['flops'] / r['times'][OPMILL][2] / 1e3:.1f}",
            *(_beside(r, peer) for peer in peers),
        ]
        for r in records
    ]
    return _table(heads, rows)


def _relatives_table(records: Sequence[Any]) -> str:
    single = {r["case"]: r for r in records if r["threads"] == 1}
    rows = [
        [
            case,
            _products(single[case]),
            f"{reach.rate:.1f}",
            single[case]["relative"],
            _products(single[single[case]["relative"]]),
            f"{reach.relative_rate:.1f}",
            _microseconds(single[case]["flops"] / reach.relative_rate / 1e3),
            _microseconds(reach.operands) if reach.operands else "-",
            _time(single[case], OPMILL),
            f"{reach.part:.0%}",
        ]
        for case, reach in reaches(list(records)).items()
    ]
    heads = [
        "case", "products", "GFLOP/s", "relative", "its products", "its GFLOP/s", "at its rate",
        "operands", OPMILL, "part",
    ]  # fmt: skip
    return _table(heads, rows)


def _products(record: Any) -> str:
    """Products that are summed up for an output, on average."""
    return f"{record['flops'] / 2 / record['outputs']:.0f}" if "outputs" in record else "-"


def _types_table(records: Sequence[Any]) -> str:
    if not records:
        return ""
    types = list(records[0]["times"])
    rows = [
        [
            r["case"],
            *(
                f"{_microseconds(median(r, t) or 0)} us" if t == "float32" else _over(r, t)
                for t in types
            ),
        ]
        for r in records
    ]
    return _table(["case", *types], rows)


def _over(record: Any, type: str) -> str:
    return f"{record['times'][type][2] / record['times']['float32'][2]:.2f}"


def _network_parts(report: Report) -> Iterator[str]:
    records = report.get("networks", [])
    if not records:
        return
    yield "## Whole networks"
    yield (
        "Random weights, exported by torch; the opset is in the name. Times are medians in"
        " milliseconds of `Model.run` and of a session's `run`. Memory is the most that is"
        " resident of a process that imports one runtime, loads the network and runs it twice, in"
        " MiB. opmill computes each node as it is published; onnxruntime's optimisations join"
        " nodes, pack weights in blocks of channels, and compute in 8 bits what a quantised"
        " network has as"
        " DequantizeLinear and a layer of float. With `fuse_qdq` opmill does so too; targets do not"
        " count these rows."
    )
    yield _networks_table(records)


def _networks_table(records: Sequence[Any]) -> str:
    names = list(records[0]["times"])
    rows = [
        [
            r["case"],
            str(r["threads"]),
            *(f"{r['times'][name][MEDIAN] / 1e3:.2f}" for name in names),
            *(f"{speed_up(r, name) or 0:.2f}" for name in names[1:]),
            *(f"{r['memory'][name] / 2**20:.0f}" for name in names),
            ", ".join(f"{operator} {100 * part:.0f}%" for operator, part in r["slowest"]),
        ]
        for r in records
    ]
    speeds = [f"speed over {name}" for name in names[1:]]
    memories = [f"memory, {name}" for name in names]
    return _table(["network", "threads", *names, *speeds, *memories, "most of opmill's time"], rows)


def _memory_table(records: Sequence[Any]) -> str:
    names = (OPMILL, *CONVOLVERS)
    rows = [
        [
            r["case"],
            str(r["threads"]),
            _kib(r["input"]),
            *(_kib(r["bytes"][name]) if name in r["bytes"] else "-" for name in names),
        ]
        for r in records
    ]
    return _table(["case", "threads", "X", *names], rows)


def _copies_table(records: Sequence[Any], limit: str | None = FILL) -> str:
    peers = (*([limit] if limit else []), *PEERS)
    rows = [
        [
            r["case"],
            r.get("type", ""),
            _kib(r["bytes"]),
            _time(r, OPMILL),
            f"{r['bytes'] / r['times'][OPMILL][2] / 1e3:.1f}",
            *(_beside(r, peer) for peer in peers),
        ]
        for r in records
    ]
    return _table(["case", "type", "KiB", OPMILL, "GB/s", *peers], rows)


def _calls_table(calls: Any) -> str:
    rows = [[name, f"{times[2] * 1e3:.0f} ns"] for name, times in calls.get("python", {}).items()]
    rows += [
        [f"opmill {name}, from C", f"{t[2] * 1e3:.0f} ns"] for name, t in calls.get("c", {}).items()
    ]
    return _table(["call", "time"], rows)


def _generator_table(records: Sequence[Any]) -> str:
    rows = [
        [str(r["specs"]), f"{r['full']:.1f}", f"{r['full'] / r['specs']:.3f}", f"{r['no_op']:.2f}"]
        for r in records
    ]
    return _table(["specs", "full run", "a spec", "nothing to do"], rows)


def _time(record: Any, contender: str) -> str:
    times = record["times"].get(contender)
    if times is None:
        return "-"
    value = float(times[2])
    spread = (times[UPPER] - times[LOWER]) / max(value, times[MINIMUM])
    return f"{_microseconds(value)} ({spread:.0%})"


def _microseconds(value: float) -> str:
    """Three or four digits, never with an exponent."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _beside(record: Any, peer: str) -> str:
    ratio = speed_up(record, peer)
    return "-" if ratio is None else f"{_time(record, peer)} x{ratio:.2f}"


def _kib(count: int) -> str:
    return f"{count / 1024:.0f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
