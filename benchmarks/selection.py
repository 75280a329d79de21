"""Selection of the cases, types and numbers of threads of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks import (
    cases_cast,
    cases_conv_transpose,
    cases_copies,
    cases_elementwise,
    cases_joins,
    cases_language,
    cases_max_pool,
    cases_moves,
    cases_non_zero,
    cases_operators,
    cases_quantised,
    cases_reductions,
    measure,
)
from benchmarks.cases import matches
from benchmarks.clock import Effort
from benchmarks.contenders import Contender
from benchmarks.measure import Record

CONV_TRANSPOSE_TYPES = ("float32", "float64", "float16", "bfloat16")
SMALL_TYPES = ("float32", "uint8")

Job = Callable[[], Record]


@dataclass(frozen=True)
class Wanted:
    """The requested cases, by patterns (none for all), and thread counts."""

    patterns: tuple[str, ...]
    threads: tuple[int, ...]
    effort: Effort


def conv_transpose_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Every case of ConvTranspose, for every thread count."""
    for case in (*cases_conv_transpose.MAIN, *cases_conv_transpose.FURTHER):
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.conv_transpose(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def type_jobs(wanted: Wanted, ours: Contender) -> Iterator[Job]:
    """The main cases of ConvTranspose, all element types against each other."""
    for case in cases_conv_transpose.MAIN:
        if matches(case.name, wanted.patterns) and not case.tiny:
            yield lambda case=case: measure.conv_transpose_types(  # type: ignore[misc]
                case, ours, CONV_TRANSPOSE_TYPES, wanted.effort
            )


def copy_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Tile and Expand: the main cases in all sizes of elements, the further ones in two.

    More than one thread is tried on the main cases in float32.
    """
    for case in (*cases_copies.MAIN, *cases_copies.FURTHER):
        if not matches(case.name, wanted.patterns):
            continue
        for type in cases_copies.TYPES.values() if case.main else SMALL_TYPES:
            for threads in wanted.threads:
                if threads == 1 or (case.main and type == "float32"):
                    yield lambda case=case, type=type, threads=threads: measure.copy(  # type: ignore[misc]
                        case, type, contenders, threads, wanted.effort.on(threads)
                    )


def elementwise_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Add, Identity and Relu, for every thread count."""
    for case in cases_elementwise.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.elementwise(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def cast_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Cast; more than one thread is tried on the large cases."""
    for case in cases_cast.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                if threads == 1 or case.size == cases_cast.LARGE:
                    yield lambda case=case, threads=threads: measure.cast(  # type: ignore[misc]
                        case, contenders, threads, wanted.effort.on(threads)
                    )


def pool_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """MaxPool, for every thread count."""
    for case in cases_max_pool.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.max_pool(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def non_zero_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """NonZero, for every thread count."""
    for case in cases_non_zero.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.non_zero(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def join_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Concat and Split, for every thread count."""
    for case in cases_joins.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.join(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def move_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Transpose, Slice, Pad and DepthToSpace, for every thread count."""
    for case in cases_moves.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.move(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def reduction_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Reductions, for every thread count."""
    for case in cases_reductions.MAIN:
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.reduction(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )


def operator_jobs(wanted: Wanted, contenders: Sequence[Contender]) -> Iterator[Job]:
    """Every other operator, for every thread count."""
    for case in (*cases_operators.MAIN, *cases_quantised.MAIN, *cases_language.MAIN):
        if matches(case.name, wanted.patterns):
            for threads in wanted.threads:
                yield lambda case=case, threads=threads: measure.operator(  # type: ignore[misc]
                    case, contenders, threads, wanted.effort.on(threads)
                )
