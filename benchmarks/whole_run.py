"""A run from beginning to end: everything that is asked for, as a report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks import calls, cases_conv_transpose, generator, machine, memory, selection, terminal
from benchmarks.cases import matches
from benchmarks.clock import Effort, compare
from benchmarks.contenders import Contender
from benchmarks.measure import DisagreementError, Record
from benchmarks.report import Report
from benchmarks.selection import Job, Wanted

MATRIX = 1024
GENERATOR_SIZES = (8, 80, 800)

Tell = Callable[[str], None]


def measure(
    wanted: Wanted, contenders: Sequence[Contender], sizes: Sequence[int], tell: Tell
) -> Report:
    """Measure what is wanted.

    Args:
        wanted: the cases, threads and effort.
        contenders: opmill first, then its peers.
        sizes: the numbers of specs to time the generator with.
        tell: takes a line for each record when it is there.
    """
    everything = not wanted.patterns
    wrong: list[str] = []

    def every(jobs: Iterable[Job]) -> list[Record]:
        return _all(jobs, tell, wrong)

    peaks = {str(t): matrix_product(contenders, t, wanted.effort) for t in wanted.threads}
    for threads, peak in peaks.items():
        if peak is not None:
            tell(f"{MATRIX}^3 matrix product, {threads} threads: {peak} GFLOP/s")
    return {
        "machine": machine.describe(),
        "versions": {one.name: one.version for one in contenders if "," not in one.name},
        "settings": {
            "rounds": wanted.effort.rounds,
            "seconds": wanted.effort.seconds,
            "processor_time": wanted.effort.processor_time,
            "threads": list(wanted.threads),
        },
        "matrix_product": {threads: peak for threads, peak in peaks.items() if peak is not None},
        "conv_transpose": every(selection.conv_transpose_jobs(wanted, contenders)),
        "types": every(selection.type_jobs(wanted, contenders[0])),
        "copies": every(selection.copy_jobs(wanted, contenders)),
        "elementwise": every(selection.elementwise_jobs(wanted, contenders)),
        "cast": every(selection.cast_jobs(wanted, contenders)),
        "max_pool": every(selection.pool_jobs(wanted, contenders)),
        "non_zero": every(selection.non_zero_jobs(wanted, contenders)),
        "joins": every(selection.join_jobs(wanted, contenders)),
        "moves": every(selection.move_jobs(wanted, contenders)),
        "reductions": every(selection.reduction_jobs(wanted, contenders)),
        "operators": every(selection.operator_jobs(wanted, contenders)),
        "networks": measure_networks(wanted, contenders, tell, wrong),
        "calls": _calls(contenders, wanted.effort, tell) if everything else {},
        "memory": _memory(contenders, tell) if everything else [],
        "generator": time_generator(sizes, tell, processor_time=wanted.effort.processor_time),
        "disagreements": wrong,
    }


def matrix_product(contenders: Sequence[Contender], threads: int, effort: Effort) -> float | None:
    """The GFLOP/s of a large product, the nearest thing to the arithmetic limit; torch makes it."""
    for contender in contenders:
        make = getattr(contender, "matrix_product", None)
        if make is not None:
            contender.set_threads(threads)
            spread = compare({"product": make(MATRIX)}, effort.on(threads))["product"]
            return round(2 * MATRIX**3 / spread.minimum / 1e9, 1)
    return None


def measure_networks(
    wanted: Wanted, contenders: Sequence[Contender], tell: Tell, wrong: list[str]
) -> list[Record]:
    """Run whole networks beside onnxruntime; torch exports them.

    Why a network has no record goes to ``wrong``.
    """
    if not {"onnxruntime", "torch"} <= {one.name for one in contenders}:
        return []
    from benchmarks.networks.compare import records as network_records
    from benchmarks.networks.definitions import NETWORKS
    from benchmarks.networks.export import export

    names = [name for name in NETWORKS if matches(name, wanted.patterns)]
    records = []
    with tempfile.TemporaryDirectory() as folder:
        for path in export(Path(folder), names):
            for threads in wanted.threads:
                try:
                    for record in network_records(path, threads, wanted.effort.on(threads)):
                        records.append(record)
                        tell(terminal.line(record))
                except DisagreementError as error:
                    _leave_out(error, tell, wrong)
    return records


def time_generator(
    sizes: Sequence[int], tell: Tell, *, processor_time: bool = False
) -> list[Record]:
    """Time ``opmill generate`` with each number of specs."""
    records = []
    for size in sizes:
        record = generator.measure(size, processor_time=processor_time)
        tell(
            f"opmill generate, {record['specs']} specs: {record['full']} s; "
            f"nothing to do: {record['no_op']} s"
        )
        records.append(record)
    return records


def _all(jobs: Iterable[Job], tell: Tell, wrong: list[str]) -> list[Record]:
    """The records of the cases on which all agree; why others have none goes to ``wrong``."""
    records = []
    for job in jobs:
        try:
            record = job()
        except DisagreementError as error:
            _leave_out(error, tell, wrong)
            continue
        tell(terminal.line(record))
        records.append(record)
    return records


def _leave_out(error: DisagreementError, tell: Tell, wrong: list[str]) -> None:
    tell(f"not timed: {error}")
    wrong.append(str(error))


def _calls(contenders: Sequence[Contender], effort: Effort, tell: Tell) -> Record:
    record = calls.measure(contenders, effort)
    for language, times in record.items():
        for name, spread in times.items():
            tell(f"{name} ({language}): {spread[2] * 1e3:.0f} ns")
    return record


def _memory(contenders: Sequence[Contender], tell: Tell) -> list[Record]:
    records = []
    for case in cases_conv_transpose.MAIN:
        record = memory.measure(case, contenders, threads=1)
        bytes = ", ".join(f"{name} {count >> 10} KiB" for name, count in record["bytes"].items())
        tell(f"{case.name}: memory beside the operands: {bytes}")
        records.append(record)
    return records
