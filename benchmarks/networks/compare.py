"""Runs networks with opmill and onnxruntime: whether they agree, how long each takes, what memory.

A record has times as measure.py has them, and the memory in bytes: the most that is resident of a
process that imports one runtime, loads the network and runs it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import opmill
from benchmarks.clock import Effort, compare
from benchmarks.measure import DisagreementError, Record, in_microseconds
from benchmarks.networks import runtimes
from benchmarks.networks.runtimes import OPMILL, OPTIMISED, PLAIN, RUNTIMES, inputs_of, load

TOLERANCE = 0.02
"""Of outputs, relative to the largest number. A quantised network may round a number the other way
where sums differ in their last bits, and then differs by a step of a layer."""


def records(path: Path, threads: int, effort: Effort) -> Iterator[Record]:
    """Run one network, and once more in integers where opmill has a way to do so.

    Arguments and errors are those of ``measure``.
    """
    yield measure(path, threads, effort)
    fused = opmill.Model(path, fallback="onnxruntime", fuse_qdq=True)
    with fused.trace() as trace:
        fused.run(inputs_of(fused))
    if any(node.operator.startswith("QLinear") for node in trace.nodes):
        yield measure(path, threads, effort, fuse_qdq=True)


def measure(path: Path, threads: int, effort: Effort, *, fuse_qdq: bool = False) -> Record:
    """Run one network with each runtime, in turns.

    Args:
        path: the model; its inputs have static shapes.
        threads: the number of threads that each may use.
        effort: how long to measure.
        fuse_qdq: whether opmill computes quantised layers in integers.

    Raises:
        DisagreementError: the outputs differ.
    """
    calls = {name: load(name, path, threads, fuse_qdq=fuse_qdq) for name in RUNTIMES}
    expected = calls[PLAIN]()
    for name in (OPMILL, OPTIMISED):
        error = float(np.abs(calls[name]() - expected).max() / np.abs(expected).max())
        if not error <= TOLERANCE:
            raise DisagreementError(f"{path.name}: {name} differs from {PLAIN} by {error:.1e}")
    spreads = compare(calls, effort)
    model = opmill.Model(path, fallback="onnxruntime", fuse_qdq=fuse_qdq)
    return {
        "case": f"{path.stem}, fuse_qdq" if fuse_qdq else path.stem,
        "fuse_qdq": fuse_qdq,
        "threads": threads,
        "times": {name: in_microseconds(spread) for name, spread in spreads.items()},
        "memory": {name: _memory(name, path, threads, fuse_qdq) for name in RUNTIMES},
        "slowest": _slowest(model),
        "elsewhere": sorted({f"{one.operator}-{one.version}" for one in model.missing}),
    }


def _slowest(model: opmill.Model) -> list[list[Any]]:
    """The operators that take the most of opmill's time, with their parts of it."""
    inputs = inputs_of(model)
    traces = []
    for _ in range(5):
        with model.trace() as trace:
            model.run(inputs)
        traces.append(trace)
    calmest = min(traces, key=lambda trace: trace.seconds)
    parts: dict[str, float] = {}
    for node in calmest.nodes:
        parts[node.operator] = parts.get(node.operator, 0.0) + node.seconds / calmest.seconds
    ordered = sorted(parts.items(), key=lambda part: -part[1])[:4]
    return [[name, round(part, 2)] for name, part in ordered]


def _memory(name: str, path: Path, threads: int, fuse_qdq: bool) -> int:
    flags = ["--fuse-qdq"] if fuse_qdq else []
    finished = subprocess.run(
        [sys.executable, runtimes.__file__, name, str(path.resolve()), str(threads), *flags],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(finished.stdout)
