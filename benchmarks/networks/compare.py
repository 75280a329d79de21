"""Runs networks with opmill and onnxruntime: whether they agree, and how long each takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime as ort

import opmill

_ROUNDS = 15


class Result(NamedTuple):
    """A network.

    Args:
        name: its name.
        error: the largest difference, relative to the largest number of the output.
        opmill: the time of a run in seconds.
        plain: that of onnxruntime without graph optimisations.
        optimised: that of onnxruntime with all of them.
        slowest: the operators that take the most of opmill's time, with their parts.
        elsewhere: the operators that onnxruntime computes for opmill.
    """

    name: str
    error: float
    opmill: float
    plain: float
    optimised: float
    slowest: tuple[tuple[str, float], ...]
    elsewhere: tuple[str, ...]


def compare(path: Path, threads: int = 1) -> Result:
    """Run one network with each; they take turns, and medians count."""
    opmill.set_threads(threads)
    model = opmill.Model(path, fallback="onnxruntime")
    inputs = {declared.name: _random(declared) for declared in model.inputs}
    plain = _session(path, threads, ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    optimised = _session(path, threads, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
    (expected,) = plain.run(None, inputs)
    (found,) = model.run(inputs)
    error = float(np.abs(found - expected).max() / np.abs(expected).max())
    calls: list[Callable[[], Any]] = [
        lambda: model.run(inputs),
        lambda: plain.run(None, inputs),
        lambda: optimised.run(None, inputs),
    ]
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(_ROUNDS):
        for call, own in zip(calls, times, strict=True):
            call()
            started = time.perf_counter()
            call()
            own.append(time.perf_counter() - started)
    with model.trace() as trace:
        model.run(inputs)
    parts: dict[str, float] = {}
    for node in trace.nodes:
        parts[node.operator] = parts.get(node.operator, 0.0) + node.seconds / trace.seconds
    ours, theirs, best = (float(np.median(own)) for own in times)
    return Result(
        path.stem,
        error,
        ours,
        theirs,
        best,
        tuple(sorted(parts.items(), key=lambda part: -part[1])[:4]),
        tuple(sorted({f"{one.operator}-{one.version}" for one in model.missing})),
    )


def _session(path: Path, threads: int, level: Any) -> Any:
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _random(declared: Any) -> Any:
    generator = np.random.default_rng(1)
    if declared.type.element == "int64":
        return generator.integers(0, 1000, declared.type.dims)
    return generator.standard_normal(declared.type.dims).astype(np.float32)
