"""Runs networks with opmill and onnxruntime: whether they agree, how long each takes, what memory.

A record has times as measure.py has them, and the memory in bytes: how far the resident memory of
a process rises that loads the network and runs it, each runtime in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

import opmill
from benchmarks.clock import Effort, compare
from benchmarks.contenders import OPMILL
from benchmarks.measure import DisagreementError, Record, in_microseconds
from benchmarks.memory import reset_peak, status

PLAIN = "onnxruntime, not optimised"
OPTIMISED = "onnxruntime"
RUNTIMES = (OPMILL, PLAIN, OPTIMISED)
TOLERANCE = 0.02
"""Of outputs, relative to the largest number. A quantised network may round a number the other way
where sums differ in their last bits, and then differs by a step of a layer."""


def measure(path: Path, threads: int, effort: Effort) -> Record:
    """Run one network with each runtime, in turns.

    Args:
        path: the model; its inputs have static shapes.
        threads: the number of threads that each may use.
        effort: how long to measure.

    Raises:
        DisagreementError: the outputs differ.
    """
    calls = {name: load(name, path, threads) for name in RUNTIMES}
    expected = calls[PLAIN]()
    for name in (OPMILL, OPTIMISED):
        error = float(np.abs(calls[name]() - expected).max() / np.abs(expected).max())
        if not error <= TOLERANCE:
            raise DisagreementError(f"{path.name}: {name} differs from {PLAIN} by {error:.1e}")
    spreads = compare(calls, effort)
    model = opmill.Model(path, fallback="onnxruntime")
    return {
        "case": path.stem,
        "threads": threads,
        "times": {name: in_microseconds(spread) for name, spread in spreads.items()},
        "memory": {name: _memory(name, path, threads) for name in RUNTIMES},
        "slowest": _slowest(model),
        "elsewhere": sorted({f"{one.operator}-{one.version}" for one in model.missing}),
    }


def load(name: str, path: Path, threads: int) -> Callable[[], Any]:
    """A call of one runtime, which returns the first output."""
    if name == OPMILL:
        opmill.set_threads(threads)
        model = opmill.Model(path, fallback="onnxruntime")
        inputs = _inputs(model)
        return lambda: model.run(inputs)[0]
    levels = ort.GraphOptimizationLevel
    options = ort.SessionOptions()
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if name == OPTIMISED else levels.ORT_DISABLE_ALL
    )
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = {
        one.name: _random(one.shape, "int64" if "int64" in one.type else "float")
        for one in session.get_inputs()
    }
    return lambda: session.run(None, inputs)[0]


def _inputs(model: opmill.Model) -> dict[str, Any]:
    found = {}
    for declared in model.inputs:
        type_: Any = declared.type
        found[declared.name] = _random(type_.dims, type_.element)
    return found


def _random(dims: Any, element: str) -> Any:
    generator = np.random.default_rng(1)
    if element == "int64":
        return generator.integers(0, 1000, dims)
    return generator.standard_normal(dims).astype(np.float32)


def _slowest(model: opmill.Model) -> list[list[Any]]:
    """The operators that take the most of opmill's time, with their parts of it."""
    inputs = _inputs(model)
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


def _memory(name: str, path: Path, threads: int) -> int:
    finished = subprocess.run(
        [sys.executable, "-m", __name__, name, str(path.resolve()), str(threads)],
        cwd=Path(__file__).resolve().parents[2],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(json.loads(finished.stdout))


def main(name: str, path: str, threads: str) -> None:
    """The process that is measured: prints how far its memory rose."""
    before = reset_peak()
    call = load(name, Path(path), int(threads))
    call()
    call()
    print(json.dumps(status("VmHWM") - before))


if __name__ == "__main__":
    main(*sys.argv[1:])
