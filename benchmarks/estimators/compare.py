"""Run the model of a trained estimator, and measure how far its answers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime

import opmill
from benchmarks.estimators.trained import Trained

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Row:
    """Largest differences of a model's answers, relative to the range of each output.

    Labels differ by infinity where they are unequal, and so do outputs of unequal shapes.
    ``error`` has the message where a model is not exported, not read or not run.
    """

    name: str
    nodes: int = 0
    trainer: float = 0.0
    runtime: float = 0.0
    numpy: float = 0.0
    runtime_to_trainer: float = 0.0
    error: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both backends of opmill agree with onnxruntime."""
        return not self.error and max(self.runtime, self.numpy) <= TOLERANCE


def compare(trained: Trained, zipmap: bool) -> Row:
    """Run a model by onnxruntime and both backends of opmill."""
    name = f"{trained.name}{', ZipMap' if zipmap else ''}"
    try:
        model = trained.export(zipmap)
        expected = _by_onnxruntime(model, trained.feeds)
    except Exception as error:  # of the exporter or of onnxruntime: none of opmill's subjects
        return Row(name, error=f"not compared: {_first_line(error)}")
    results = []
    for backend in ("c", "numpy"):
        try:
            with opmill.use_backend(backend):
                results.append(list(opmill.Model(model).run(trained.feeds)))
        except Exception as error:
            return Row(name, len(model.graph.node), error=f"opmill: {_first_line(error)}")
    return Row(
        name,
        len(model.graph.node),
        worst(results[0], trained.answers),
        worst(results[0], expected),
        worst(results[1], expected),
        worst(expected, trained.answers),
    )


def _by_onnxruntime(model: Any, feeds: Mapping[str, Any]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, dict(feeds)))


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"


def worst(results: Any, expected: Any) -> float:
    """The largest difference of any output."""
    pairs = zip(results, expected, strict=False)
    return max((difference(one, other) for one, other in pairs), default=np.inf)


def difference(result: Any, expected: Any) -> float:
    """The largest difference of two outputs, relative to the range of the expected one."""
    result, expected = _matrix(result), _matrix(expected)
    if result.size != expected.size:
        return np.inf
    result = result.reshape(expected.shape)
    if result.dtype.kind not in "fiub" or expected.dtype.kind not in "fiub":
        return 0.0 if (result.astype(str) == expected.astype(str)).all() else np.inf
    if expected.dtype.kind in "iub":
        return 0.0 if (result == expected).all() else np.inf
    missing = np.isnan(expected)
    if (missing != np.isnan(result)).any():
        return np.inf
    result, expected = result[~missing].astype(float), expected[~missing].astype(float)
    if expected.size == 0:
        return 0.0
    return float(np.abs(result - expected).max() / (np.ptp(expected) or 1.0))


def _matrix(value: Any) -> Any:
    """An output as an array: maps of ZipMap as rows, sparse matrices as dense ones."""
    if isinstance(value, list):
        return np.array([list(row.values()) for row in value])
    return np.asarray(value.todense() if hasattr(value, "todense") else value)
