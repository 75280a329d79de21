"""Converted models run by onnxruntime, in a process of its own: some models crash it."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from onnx import ModelProto

from conversion_results import compared
from worker_process import HungError, Worker

TIMEOUT = 30.0
"""The maximum number of seconds of a run; most take milliseconds."""

WORDS = {
    "right": "onnxruntime computes what opmill computes of the original",
    "not run": "onnxruntime refuses the converted model: it lacks a version or a type",
    "alike": "onnxruntime computes something else, of the original too",
    "alone": "onnxruntime computes something else, and does not run the original",
    "apart": "onnxruntime computes something else than of the original",
}
"""The words that describe what onnxruntime does with a converted model."""


@cache
def _worker() -> Worker:
    return Worker(_answer, TIMEOUT)


def judged(
    original: ModelProto, done: ModelProto, feeds: Mapping[str, Any], wanted: Sequence[Any]
) -> str:
    """Run a converted model, and compare; return one of ``WORDS``.

    Args:
        original: the model before.
        done: the model after.
        feeds: the inputs of the original.
        wanted: its results.
    """
    found = _run(done, feeds)
    if found is None:
        return "not run"
    if _alike(wanted, found):
        return "right"
    before = _run(original, feeds)
    if before is None:
        return "alone"
    return "alike" if _alike(before, found) else "apart"


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and compared(one, other) != "different"


def _run(model: ModelProto, feeds: Mapping[str, Any]) -> list[Any] | None:
    names = {info.name for info in model.graph.input}
    constant = {one.name for one in model.graph.initializer}
    read = {name: value for name, value in feeds.items() if name in names - constant}
    try:
        answer = _worker().ask(pickle.dumps((model.SerializeToString(), read)))
    except HungError:
        return None
    found: list[Any] | None = pickle.loads(answer)
    return found


def _answer(request: bytes) -> bytes:
    """Run a model as written; no results are ``None``."""
    import onnxruntime

    model, feeds = pickle.loads(request)
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
        return pickle.dumps(session.run(None, feeds))
    except Exception:  # of classes that onnxruntime does not name
        return pickle.dumps(None)
