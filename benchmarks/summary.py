"""The targets, and whether a report meets each: the truth, misses included."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import cases_max_pool, cases_operators
from benchmarks.contenders import CONSTANT_WEIGHTS, CONVOLVERS, OPMILL, PEERS, PREPARED
from benchmarks.measure import COPY, FILL, ONE_THREAD, OPERANDS
from benchmarks.report import Report, fastest, median

LARGE = 1 << 16
"""Outputs of so many bytes are held against filling them; a smaller one is a call above all."""

TYPE_LIMITS = {"float16": 1.5, "bfloat16": 1.5, "float64": 2.2}
MEMORY_SPARE = 4 << 20


@dataclass(frozen=True)
class Verdict:
    """One target.

    Args:
        what: what is asked.
        target: the limit as text, as ``<= 1.3``.
        found: the figure as text, with what it comes from.
        met: whether it is met; None for a figure without a target.
    """

    what: str
    target: str
    found: str
    met: bool | None


def verdicts(report: Report) -> list[Verdict]:
    """All targets that the report has figures for."""
    return [
        *_copies(report["copies"]),
        *_elementwise(report.get("elementwise", [])),
        *_joins(report.get("joins", [])),
        *_moves(report.get("moves", [])),
        *_cast(report.get("cast", [])),
        *_max_pool(report.get("max_pool", [])),
        *_non_zero(report.get("non_zero", [])),
        *_reductions(report.get("reductions", [])),
        *_operators(report.get("operators", [])),
        *_networks(report.get("networks", [])),
        *_conv_transpose(report["conv_transpose"]),
        *_relatives(report["conv_transpose"]),
        *_types(report["types"]),
        *_calls(report["calls"]),
        *_memory(report["memory"]),
        *_generator(report["generator"]),
    ]


HEADLINES = (
    "speed over the fastest peer, geometric mean",
    "speed over the faster of onnxruntime and torch, geometric mean",
)
"""How the lines that compare a group of operators with its peers end."""


def headlines(found: Iterable[Verdict]) -> list[Verdict]:
    """The lines that a reader wants first: each group beside its peers, with one thread."""
    return [
        verdict
        for verdict in found
        if "1 thread" in verdict.what
        and "further" not in verdict.what
        and verdict.what.endswith(HEADLINES)
    ]


def geometric_mean(values: Iterable[float]) -> float:
    """The mean for ratios."""
    return statistics.geometric_mean(values)


def _judge(
    what: str, figures: dict[str, float], limit: float, *, at_most: bool, unit: str = ""
) -> Iterator[Verdict]:
    """The worst of named figures against a limit, with how many miss it."""
    if not figures:
        return
    pick = max if at_most else min
    worst = pick(figures, key=lambda name: figures[name])
    missed = [n for n, f in figures.items() if (f > limit if at_most else f < limit)]
    found = f"{figures[worst]:.2f}{unit} ({worst})"
    if missed:
        found += f"; missed by {len(missed)} of {len(figures)}"
    sign = "<=" if at_most else ">="
    yield Verdict(what, f"{sign} {limit:g}{unit}", found, not missed)


def _mean(
    what: str, figures: dict[str, float], limit: float, *, at_most: bool
) -> Iterator[Verdict]:
    if not figures:
        return
    found = geometric_mean(figures.values())
    met = found <= limit if at_most else found >= limit
    sign = "<=" if at_most else ">="
    text = f"{found:.2f} ({len(figures)} cases)"
    yield Verdict(f"{what}, geometric mean", f"{sign} {limit:g}", text, met)


def _ratios(records: Iterable[Any], over: tuple[str, ...]) -> dict[str, float]:
    """Speed-up of opmill over the fastest of ``over``, by case."""
    found: dict[str, float] = {}
    for record in records:
        other = fastest(record, over)
        if other is not None:
            found[title(record)] = other / record["times"][OPMILL][2]
    return found


def title(record: Any) -> str:
    """A case as the summary names it: with the type where it is not float32."""
    type = record.get("type", "float32")
    return record["case"] if type == "float32" else f"{record['case']} {type}"


def _copies(records: list[Any]) -> Iterator[Verdict]:
    single = [r for r in records if r["threads"] == 1]
    groups = (("main cases", True), ("further cases", False))
    for name, main in groups:
        chosen = [r for r in single if r["main"] == main]
        large = [r for r in chosen if r["bytes"] >= LARGE]
        over_fill = {key: 1 / ratio for key, ratio in _ratios(large, (FILL,)).items()}
        what = f"Expand, Tile, {name}: time over filling the output (of 64 KiB and more)"
        yield from _mean(what, over_fill, 1.3, at_most=True)
        yield from _judge(f"{what}, worst", over_fill, 3, at_most=True)
    small = _ratios([r for r in single if r["bytes"] < LARGE], (FILL,))
    if small:
        worst = min(small, key=lambda case: small[case])
        what = "Expand, Tile: time over filling the output (below 64 KiB), worst"
        yield Verdict(what, "reported", f"{1 / small[worst]:.2f} ({worst})", None)
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in records if r["threads"] == threads]
        what = f"Expand, Tile, {threads_text(threads)}: speed over"
        peers = _ratios(chosen, PEERS)
        yield from _judge(f"{what} the fastest peer, worst", peers, 0.95, at_most=False)
        yield from _mean(f"{what} onnxruntime", _ratios(chosen, ("onnxruntime",)), 3, at_most=False)


def _elementwise(records: list[Any]) -> Iterator[Verdict]:
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in records if r["threads"] == threads]
        what = f"Add, Identity, Relu, {threads_text(threads)}: speed over the fastest peer"
        peers = _ratios(chosen, PEERS)
        yield from _mean(what, peers, 1, at_most=False)
        yield from _judge(f"{what}, worst", peers, 0.8, at_most=False)
    yield from _over_copy("Add, Identity, Relu", records)


def _joins(records: list[Any]) -> Iterator[Verdict]:
    yield from _told("Concat, Split", records, (PEERS,))
    yield from _over_copy("Concat, Split", records)


def _moves(records: list[Any]) -> Iterator[Verdict]:
    for operator in ("Transpose", "Slice", "Pad", "DepthToSpace"):
        chosen = [r for r in records if r["case"].startswith(operator)]
        for threads in sorted({r["threads"] for r in chosen}):
            ratios = _ratios([r for r in chosen if r["threads"] == threads], PEERS)
            what = f"{operator}, {threads_text(threads)}: speed over the fastest peer"
            yield from _mean(what, ratios, 1.2, at_most=False)
            yield from _judge(f"{what}, worst", ratios, 0.8, at_most=False)
        yield from _over_copy(operator, chosen)


def _cast(records: list[Any]) -> Iterator[Verdict]:
    yield from _told("Cast", records, (("numpy",), ("onnxruntime",), PEERS))
    yield from _over_copy("Cast", records)


def _max_pool(records: list[Any]) -> Iterator[Verdict]:
    for record in records:
        if record["case"] == cases_max_pool.RESNET.name and record["type"] == "float32":
            what = f"MaxPool, {threads_text(record['threads'])}: speed over onnxruntime"
            first = _ratios([record], ("onnxruntime",))
            yield from _judge(f"{what}, first pool of ResNet", first, 1, at_most=False)
    yield from _told("MaxPool", records, (PEERS,))


def _non_zero(records: list[Any]) -> Iterator[Verdict]:
    yield from _told("NonZero", records, (PEERS,))


def _told(
    operator: str, records: list[Any], opponents: Iterable[tuple[str, ...]]
) -> Iterator[Verdict]:
    """Speed over each group of peers, as mean and worst; no target is stated for it."""
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in records if r["threads"] == threads]
        for peers in opponents:
            name = peers[0] if len(peers) == 1 else "the fastest peer"
            what = f"{operator}, {threads_text(threads)}: speed over {name}, geometric mean"
            yield from _reported_mean(what, _ratios(chosen, peers), min)


def _over_copy(operators: str, records: list[Any]) -> Iterator[Verdict]:
    """Time over copying as many bytes."""
    found = _ratios([r for r in records if r["threads"] == 1], (COPY,))
    what = f"{operators}: time over copying, geometric mean"
    yield from _reported_mean(what, {case: 1 / ratio for case, ratio in found.items()}, max)


def _reported_mean(
    what: str, figures: dict[str, float], pick: Callable[[Iterable[float]], float]
) -> Iterator[Verdict]:
    if figures:
        worst = pick(figures.values())
        case = next(case for case, figure in figures.items() if figure == worst)
        text = f"{geometric_mean(figures.values()):.2f}; worst {worst:.2f} ({case})"
        yield Verdict(what, "reported", text, None)


def _reductions(records: list[Any]) -> Iterator[Verdict]:
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in records if r["threads"] == threads]
        what = f"Reductions, {threads_text(threads)}: speed over"
        peers = _ratios(chosen, PEERS)
        yield from _mean(f"{what} the fastest peer", peers, 1, at_most=False)
        others = _ratios(chosen, ("numpy", "onnxruntime"))
        yield from _judge(f"{what} NumPy and onnxruntime, worst", others, 0.8, at_most=False)


def _reason(record: Any, least: float) -> str | None:
    """Why a case may be below the least speed of its group, if it is below."""
    ratio = _ratios([record], PEERS).get(title(record), least)
    if ratio >= least:
        return None
    return cases_operators.reason(record["group"], record["case"], record["type"])


def _operators(records: list[Any]) -> Iterator[Verdict]:
    """Each group of cases against its goal, and what has weights beside constant ones."""
    for group, (heading, mean, least) in cases_operators.GOALS.items():
        for threads in sorted({r["threads"] for r in records}):
            chosen = [r for r in records if r["group"] == group and r["threads"] == threads]
            what = f"{heading}, {threads_text(threads)}: speed over"
            peers = _ratios(chosen, PEERS)
            yield from _mean(f"{what} the fastest peer", peers, mean, at_most=False)
            excused = {title(r): _reason(r, least) for r in chosen if _reason(r, least)}
            judged = {name: ratio for name, ratio in peers.items() if name not in excused}
            yield from _judge(f"{what} the fastest peer, worst", judged, least, at_most=False)
            for name, text in excused.items():
                found = f"{peers[name]:.2f}: {text}"
                yield Verdict(f"{name}, {threads_text(threads)}: speed", "reported", found, None)
            packed = _ratios(chosen, (CONSTANT_WEIGHTS,))
            name = f"{what} onnxruntime with constant weights, geometric mean"
            yield from _reported_mean(name, packed, min)
            name = f"{what} the faster of these and torch, packed beforehand, geometric mean"
            yield from _reported_mean(name, _prepared_ratios(chosen), min)


NETWORK_GOALS = {"onnxruntime, not optimised": 1.0, "onnxruntime": 0.8}
"""The least speed over each, in geometric mean."""

NETWORK_MEMORY = 1.2
"""The most memory, over onnxruntime's."""


def _networks(records: list[Any]) -> Iterator[Verdict]:
    """The targets, which are for exact runs; then the figures with quantised layers in integers."""
    exact = [r for r in records if not r.get("fuse_qdq")]
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in exact if r["threads"] == threads]
        for peer, mean in NETWORK_GOALS.items():
            what = f"Networks, {threads_text(threads)}: speed over {peer}"
            yield from _mean(what, _ratios(chosen, (peer,)), mean, at_most=False)
        memory = {r["case"]: r["memory"][OPMILL] / r["memory"]["onnxruntime"] for r in chosen}
        what = f"Networks, {threads_text(threads)}: peak memory over onnxruntime's, worst"
        yield from _judge(what, memory, NETWORK_MEMORY, at_most=True)
        fused = [r for r in records if r["threads"] == threads and r.get("fuse_qdq")]
        if fused:
            published = {r["case"].removesuffix(", fuse_qdq") for r in fused}
            others = [r for r in chosen if r["case"] not in published]
            what = f"Networks, {threads_text(threads)}: speed over onnxruntime, both in integers"
            ratios = _ratios([*others, *fused], ("onnxruntime",))
            yield from _reported_mean(f"{what} where quantised, geometric mean", ratios, min)


def _prepared_ratios(records: Iterable[Any]) -> dict[str, float]:
    """Speed-up of opmill over others with constant weights, packed by both before."""
    found: dict[str, float] = {}
    for record in records:
        other = fastest(record, (CONSTANT_WEIGHTS, "torch"))
        if other is not None and PREPARED in record["times"]:
            found[title(record)] = other / record["times"][PREPARED][2]
    return found


def _conv_transpose(records: list[Any]) -> Iterator[Verdict]:
    for threads in sorted({r["threads"] for r in records}):
        chosen = [r for r in records if r["threads"] == threads]
        for name, main in (("main", True), ("further", False)):
            group = [r for r in chosen if (r["relative"] is None) == main]
            what = f"ConvTranspose, {name} cases, {threads_text(threads)}: speed over"
            faster = f"{what} the faster of onnxruntime and torch"
            yield from _judge(f"{faster}, worst", _ratios(group, CONVOLVERS), 0.95, at_most=False)
            counted = [r for r in group if not r["tiny"]]
            yield from _mean(faster, _ratios(counted, CONVOLVERS), 1.25, at_most=False)
            name = f"{what} onnxruntime with W packed beforehand, geometric mean"
            yield from _reported_mean(name, _ratios(counted, (CONSTANT_WEIGHTS,)), min)
    yield from _scaling(records)


def _scaling(records: list[Any]) -> Iterator[Verdict]:
    """Two threads against one, where one takes a millisecond or more."""
    figures = {}
    for record in records:
        alone = median(record, ONE_THREAD)
        if record["threads"] == 2 and alone and alone >= 1000:
            figures[record["case"]] = alone / record["times"][OPMILL][2]
    what = "ConvTranspose over 1 ms: two threads' speed over one's"
    yield from _judge(what, figures, 1.8, at_most=False)


def _relatives(records: list[Any]) -> Iterator[Verdict]:
    found = reaches(records)
    what = "ConvTranspose, further cases: GFLOP/s over their relatives'"
    rates = {case: reach.rate / reach.relative_rate for case, reach in found.items()}
    calls = [case for case, reach in found.items() if reach.is_call]
    counted = {case: rate for case, rate in rates.items() if case not in calls}
    yield from _judge(what, counted, 0.6, at_most=False)
    for case in calls:
        yield Verdict(
            f"{what}, where a call takes longer", "reported", f"{rates[case]:.2f} ({case})", None
        )
    figures = {case: reach.part for case, reach in found.items()}
    what = "ConvTranspose, further cases: part of what their relatives' rates and memory allow"
    yield from _judge(what, figures, 0.6, at_most=False)


@dataclass(frozen=True)
class Reach:
    """Ratio of a further case to the best time that it could reach, on one thread.

    Args:
        rate: its GFLOP/s.
        relative_rate: those of its relative.
        is_call: whether a call of a few numbers takes longer than its products at that rate, so
            that no kernel could reach it.
        operands: microseconds for reading its inputs and filling its output.
        part: its shortest possible time over its own. That is what a call of a few numbers takes,
            and then the longer of two: the products at the relative's rate, or the operands.
    """

    rate: float
    relative_rate: float
    is_call: bool
    operands: float
    part: float


def reaches(records: list[Any]) -> dict[str, Reach]:
    """Each further case beside its relative, where both were measured."""
    single = {r["case"]: r for r in records if r["threads"] == 1}
    rates = {case: r["flops"] / r["times"][OPMILL][2] / 1e3 for case, r in single.items()}
    tiny = next((r for r in single.values() if r["tiny"]), None)
    call = tiny["times"][OPMILL][2] if tiny else 0.0
    idle = _operands(tiny)
    found = {}
    for case, record in single.items():
        relative = record["relative"]
        if relative in rates:
            operands = max(0.0, _operands(record) - idle)
            products = record["flops"] / rates[relative] / 1e3
            part = (call + max(products, operands)) / record["times"][OPMILL][2]
            found[case] = Reach(rates[case], rates[relative], products < call, operands, part)
    return found


def _operands(record: Any) -> float:
    """The calls of NumPy included, which are all that there is in a record of a few numbers."""
    time = median(record, OPERANDS) if record else None
    return time or 0.0


def _types(records: list[Any]) -> Iterator[Verdict]:
    for type, limit in TYPE_LIMITS.items():
        figures = {r["case"]: r["times"][type][2] / r["times"]["float32"][2] for r in records}
        yield from _judge(
            f"ConvTranspose: time of {type} over float32", figures, limit, at_most=True
        )


def _calls(calls: Any) -> Iterator[Verdict]:
    figures = {name: times[2] for name, times in calls.get("c", {}).items()}
    what = "A call of a few numbers from C, its checks included"
    yield from _judge(what, figures, 1.5, at_most=True, unit=" us")


def _memory(records: list[Any]) -> Iterator[Verdict]:
    figures = {title(r): r["bytes"][OPMILL] / (r["input"] + MEMORY_SPARE) for r in records}
    what = "ConvTranspose: workspace over the size of X and 4 MiB"
    yield from _judge(what, figures, 1, at_most=True)


def _generator(records: list[Any]) -> Iterator[Verdict]:
    if not records:
        return
    ordered = sorted(records, key=lambda r: r["specs"])
    largest = ordered[-1]
    what = f"opmill generate, {largest['specs']} specs:"
    seconds = {"nothing to do": largest["no_op"]}
    yield from _judge(f"{what} without work", seconds, 1.5, at_most=True, unit=" s")
    if len(ordered) > 2:
        before = ordered[-2]
        growth = {
            f"{before['specs']} to {largest['specs']} specs": (largest["full"] / largest["specs"])
            / (before["full"] / before["specs"])
        }
        yield from _judge(f"{what} growth of the time for each spec", growth, 1.2, at_most=True)


def threads_text(threads: int) -> str:
    """``1 thread``, ``2 threads``."""
    return f"{threads} thread{'' if threads == 1 else 's'}"


def speed_up(record: Any, peer: str) -> float | None:
    """Speed-up of opmill over a peer in a record; None where the peer took no part."""
    other = median(record, peer)
    return None if other is None else other / float(record["times"][OPMILL][2])
