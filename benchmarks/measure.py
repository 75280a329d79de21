"""Measures cases: makes the inputs, sees that all contenders give the same result, and times them.

A record is a plain dict, as in the report: the case, the element type, the threads, and
for each contender the minimum, lower quartile, median and upper quartile of a call in microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes  # noqa: F401 - gives NumPy the type bfloat16
import numpy as np

import opmill
from benchmarks.cases import (
    Case,
    CastCase,
    ConvTransposeCase,
    CopyCase,
    ElementwiseCase,
    JoinCase,
    MoveCase,
    NonZeroCase,
    PoolCase,
    ReductionCase,
)
from benchmarks.cases_operators import Given, OperatorCase
from benchmarks.clock import Call, Effort, Spread, compare
from benchmarks.contenders import OPMILL, Array, Contender
from benchmarks.contenders.with_opmill import operator_of
from benchmarks.machine import aligned

Record = dict[str, Any]

FILL = "fill"
OPERANDS = "operands"
"""Reading the inputs of ConvTranspose and filling its output, without computing anything."""
ONE_THREAD = "opmill, one thread"
"""The same call without its other threads, in turns with it: what threads bring is a few percent
more or less from one minute to the next."""
COPY = "copy"
"""Copying as many bytes as the case reads and writes, without computing anything. Of what reads two
inputs, it reads and writes as many as the output holds."""
SEED = 7
_AGREEMENT = {"float64": 1e-10, "float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1}


class DisagreementError(AssertionError):
    """Two contenders computed different things: their times cannot be compared."""


def conv_transpose(
    case: ConvTransposeCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """ConvTranspose in float32, every contender that has it."""
    x, w = conv_inputs(case, "float32")
    out = aligned(case.y, x.dtype)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.conv_transpose(case, x, w, out)))
    calls = _agreeing(case.name, prepared, out, _AGREEMENT["float32"])
    if threads == 1:
        calls[OPERANDS] = lambda: _touch(x, w, out)
    elif OPMILL in calls and not case.tiny:
        calls[ONE_THREAD] = _on_one_thread(calls[OPMILL])
    return {
        **_head(case, "float32", threads),
        "text": case.text(),
        "flops": case.flops,
        "outputs": math.prod(case.y),
        "relative": case.relative,
        "tiny": case.tiny,
        "kernel": _chosen_kernel(case, x, w),
        "times": _times(compare(calls, effort)),
    }


def _on_one_thread(call: Call) -> Call:
    def alone() -> None:
        threads = opmill.get_threads()
        opmill.set_threads(1)
        call()
        opmill.set_threads(threads)

    return alone


def conv_transpose_types(
    case: ConvTransposeCase, ours: Contender, types: Sequence[str], effort: Effort
) -> Record:
    """The same call of opmill in several element types, on one thread.

    Turns are longer than elsewhere, to bring back what the other types have driven out of caches.
    """
    ours.set_threads(1)
    calls: dict[str, Call] = {}
    for name in types:
        x, w = conv_inputs(case, name)
        call = ours.conv_transpose(case, x, w, aligned(case.y, x.dtype))
        assert call is not None
        calls[name] = call
    longer = replace(effort, seconds=16 * effort.seconds)
    return {**_head(case, None, 1), "times": _times(compare(calls, longer))}


def copy(
    case: CopyCase, type: str, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """Tile or Expand in one element type, beside filling the output with one value."""
    dtype = np.dtype(type)
    size = math.prod(case.input)
    x = aligned(case.input, dtype)
    x[...] = (np.arange(size) % 251).astype(dtype).reshape(case.input)
    out = aligned(case.output, dtype)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.copy(case, x, out)))
    calls = _agreeing(f"{case.name} of {type}", prepared, out, 0)
    calls[FILL] = lambda: out.fill(1)
    return {
        **_head(case, type, threads),
        "main": case.main,
        "bytes": case.bytes(dtype.itemsize),
        "times": _times(compare(calls, effort)),
    }


def elementwise(
    case: ElementwiseCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """Measure elementwise operators, beside copying as many bytes as the output has."""
    random = np.random.default_rng(SEED)
    dtype = np.dtype(case.type)
    inputs = []
    for shape in case.inputs:
        array = aligned(shape, dtype)
        array[...] = random.integers(-50, 50, shape).astype(dtype)
        inputs.append(array)
    out, source = aligned(case.output, dtype), aligned(case.output, dtype)
    source[...] = inputs[0]
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.elementwise(case, inputs, out)))
    calls = _agreeing(f"{case.name} of {case.type}", prepared, out, 0)
    if threads == 1:
        calls[COPY] = lambda: np.copyto(out, source)
    return {
        **_head(case, case.type, threads),
        "bytes": out.nbytes,
        "times": _times(compare(calls, effort)),
    }


def cast(case: CastCase, contenders: Sequence[Contender], threads: int, effort: Effort) -> Record:
    """Cast of numbers within the range of all types of the cases, with fractions to integers."""
    source, target = np.dtype(case.source), np.dtype(case.target)
    x = aligned((case.size,), source)
    fraction = 0.25 if source.kind == "f" and case.target.startswith(("int", "uint")) else 0
    numbers = np.random.default_rng(SEED).integers(0, 100, case.size) + fraction
    x[...] = numbers.astype(source)
    out = aligned((case.size,), target)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.cast(case, x, out)))
    calls = _agreeing(case.name, prepared, out, 0)
    if threads == 1:
        calls[COPY] = _copy_of(x.nbytes + out.nbytes)
    return {
        **_head(case, None, threads),
        "bytes": x.nbytes + out.nbytes,
        "times": _times(compare(calls, effort)),
    }


def max_pool(
    case: PoolCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """MaxPool, and of Indices the ones that a contender counts as ONNX does."""
    dtype = np.dtype(case.type)
    random = np.random.default_rng(SEED)
    x, y = aligned(case.x, dtype), aligned(case.y, dtype)
    x[...] = random.integers(*((-2000, 2000) if dtype.kind == "f" else (0, 256)), case.x)
    indices = aligned(case.y, np.dtype("int64")) if case.indices else None
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.max_pool(case, x, y, indices)))
    calls = _agreeing(f"{case.name} of {case.type}", prepared, y, 0, indices)
    moved = x.nbytes + y.nbytes + (0 if indices is None else indices.nbytes)
    if threads == 1:
        calls[COPY] = _copy_of(moved)
    return {
        **_head(case, case.type, threads),
        "bytes": moved,
        "times": _times(compare(calls, effort)),
    }


def non_zero(
    case: NonZeroCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """NonZero, into a buffer of the size that comes out where a contender can."""
    random = np.random.default_rng(SEED)
    x = aligned(case.x, np.dtype(case.type))
    x[...] = random.integers(0, 100, case.x) < case.percent
    out = aligned((len(case.x), int(np.count_nonzero(x))), np.dtype("int64"))
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.non_zero(case, x, out)))
    calls = _agreeing(f"{case.name} of {case.type}", prepared, out, 0)
    if threads == 1:
        calls[COPY] = _copy_of(x.nbytes + out.nbytes)
    return {
        **_head(case, case.type, threads),
        "bytes": x.nbytes + out.nbytes,
        "times": _times(compare(calls, effort)),
    }


def _copy_of(moved: int) -> Call:
    """Reading half of so many bytes, and writing them elsewhere."""
    source, target = (aligned((moved // 2,), np.dtype("uint8")) for _ in range(2))
    return lambda: np.copyto(target, source)


def join(case: JoinCase, contenders: Sequence[Contender], threads: int, effort: Effort) -> Record:
    """Concat or Split in float32. The parts lie in one buffer, each from a cache line on."""
    dtype = np.dtype("float32")
    size = math.prod(case.part)
    step = -(-size // 16) * 16
    room, whole = aligned((case.count * step,), dtype), aligned(case.whole, dtype)
    places = [slice(k * step, k * step + size) for k in range(case.count)]
    parts = [room[place].reshape(case.part) for place in places]
    source, out = (room, whole) if case.operator == "Concat" else (whole, room)
    source[...] = np.arange(source.size).reshape(source.shape)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.join(case, parts, whole)))
    calls = _agreeing(case.name, prepared, out, 0)
    if threads == 1:
        calls[COPY] = _copy_of(2 * whole.nbytes)
    return {
        **_head(case, "float32", threads),
        "bytes": whole.nbytes,
        "times": _times(compare(calls, effort)),
    }


def move(case: MoveCase, contenders: Sequence[Contender], threads: int, effort: Effort) -> Record:
    """Measure operators that move elements; the bytes are those of the output."""
    dtype = np.dtype(case.type)
    x, out = aligned(case.input, dtype), aligned(case.output, dtype)
    x[...] = (np.arange(x.size) % 113).astype(dtype).reshape(case.input)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.move(case, x, out)))
    calls = _agreeing(f"{case.name} of {case.type}", prepared, out, 0)
    if threads == 1:
        calls[COPY] = _copy_of(2 * out.nbytes)
    return {
        **_head(case, case.type, threads),
        "bytes": out.nbytes,
        "times": _times(compare(calls, effort)),
    }


def reduction(
    case: ReductionCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """Measure reductions along axes; the bytes are those of the input."""
    dtype = np.dtype(case.type)
    x, out = aligned(case.input, dtype), aligned(case.output, dtype)
    # Few ones: every type holds every partial sum, whatever the order.
    x[...] = (np.arange(math.prod(case.input)) % 1031 == 0).astype(dtype).reshape(case.input)
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.reduction(case, x, out)))
    # onnxruntime rounds the sum of a million exponentials at each of them.
    tolerance = {"ReduceMax": 0, "ReduceSum": 0, "ReduceLogSumExp": 1e-2}.get(case.operator, 1e-5)
    calls = _agreeing(f"{case.name} of {case.type}", prepared, out, tolerance)
    return {
        **_head(case, case.type, threads),
        "bytes": x.nbytes,
        "times": _times(compare(calls, effort)),
    }


def operator(
    case: OperatorCase, contenders: Sequence[Contender], threads: int, effort: Effort
) -> Record:
    """Any operator; the bytes are those of its inputs and outputs."""
    random = np.random.default_rng(SEED)
    inputs = [None if given is None else _drawn(given, random) for given in case.inputs]
    ours = operator_of(case)
    found = ours(inputs, case.attribute, outputs=case.outputs)
    outs = [aligned(one.shape, one.dtype) for one in found]
    prepared = []
    for contender in contenders:
        contender.set_threads(threads)
        prepared.append((contender.name, contender.operator(case, inputs, outs)))
    calls = _agreeing(f"{case.name} of {case.type}", prepared, outs[0], case.tolerance)
    operands = [array for array in inputs if array is not None] + outs
    record = {
        **_head(case, case.type, threads),
        "group": case.group,
        "bytes": sum(array.nbytes for array in operands),
        "times": _times(compare(calls, effort)),
    }
    if case.flops:
        explained = ours.explain(inputs, case.attribute)
        record |= {
            "flops": case.flops,
            "kernel": f"{explained.kernel}, {explained.instruction_set}",
        }
    return record


def _drawn(given: Given, random: np.random.Generator) -> Array:
    """The elements of an input, the same in every run."""
    array = aligned(given.shape, np.dtype(given.type))
    if given.values is not None:
        array[...] = np.reshape(given.values, given.shape)
    elif array.dtype.kind == "f":
        array[...] = random.uniform(given.low, given.high, given.shape)
    else:
        array[...] = random.integers(int(given.low), int(given.high), given.shape)
    return array


def _touch(x: Array, w: Array, out: Array) -> None:
    x.max()
    w.max()
    out.fill(1)


def conv_inputs(case: ConvTransposeCase, type: str) -> tuple[Array, Array]:
    """X and W, the same numbers in every run."""
    random = np.random.default_rng(SEED)
    dtype = np.dtype(type)
    x, w = aligned(case.x, dtype), aligned(case.w, dtype)
    x[...] = random.standard_normal(case.x, np.float32).astype(dtype)
    w[...] = (random.standard_normal(case.w, np.float32) / 8).astype(dtype)
    return x, w


def _chosen_kernel(case: ConvTransposeCase, x: Array, w: Array) -> str:
    explained = opmill.operator("ConvTranspose", 22).explain([x, w], case.attributes())
    return f"{explained.kernel}, {explained.instruction_set}"


def _agreeing(
    what: str,
    prepared: Sequence[tuple[str, Call | None]],
    out: Array,
    tolerance: float,
    second: Array | None = None,
) -> dict[str, Call]:
    """The calls that there are, once each has given what opmill gives; all write to ``out``.

    Those that write to ``second``, a second output, have to give the same there too.
    """
    results: dict[str, Array] = {}
    seconds: dict[str, Array] = {}
    calls: dict[str, Call] = {}
    for name, call in prepared:
        if call is not None:
            out.fill(0)
            returned = call()
            results[name] = np.array(out if returned is None else returned)
            if second is not None and (name == OPMILL or returned is None):
                seconds[name] = second.copy()
            calls[name] = call
    ours = results[OPMILL]
    for name, result in results.items():
        if result.shape != ours.shape or not _close(result, ours, tolerance):
            raise DisagreementError(f"{what}: {name} does not give what opmill gives")
    for name, result in seconds.items():
        if not np.array_equal(result, seconds[OPMILL]):
            raise DisagreementError(f"{what}: {name} gives another second output than opmill")
    return calls


def _close(result: Array, ours: Array, tolerance: float) -> bool:
    if tolerance == 0:
        return bool(np.array_equal(result, ours))
    wide = np.promote_types(ours.dtype, np.float32)  # differences of unsigned integers wrap around
    expected = ours.astype(wide)
    largest = float(np.abs(expected).max(initial=1e-30))
    return bool(float(np.abs(result.astype(wide) - expected).max(initial=0)) <= tolerance * largest)


def _head(case: Case, type: str | None, threads: int) -> Record:
    head: Record = {"operator": case.operator, "case": case.name}
    return head | ({"type": type} if type else {}) | {"threads": threads}


def _times(spreads: dict[str, Spread]) -> dict[str, list[float]]:
    return {name: in_microseconds(spread) for name, spread in spreads.items()}


def in_microseconds(spread: Spread) -> list[float]:
    """Minimum, lower quartile, median, upper quartile, to four digits."""
    values = (spread.minimum, spread.lower, spread.median, spread.upper)
    return [float(f"{value * 1e6:.4g}") for value in values]
