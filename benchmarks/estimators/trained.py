"""A trained estimator: its data, its answers, and its model in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from skl2onnx import to_onnx
from sklearn.preprocessing import LabelEncoder
from sklearn.svm import LinearSVC

OPSETS = {"": 21, "ai.onnx.ml": 3}


@dataclass(frozen=True)
class Trained:
    """An estimator that is ready to be exported and compared.

    ``answers`` has the arrays of its own library, in the order of the model's outputs; ``None``
    for outputs that the library does not compute.
    """

    name: str
    export: Callable[[bool], Any]
    feeds: Mapping[str, np.ndarray[Any, Any]]
    answers: tuple[Any, ...]
    has_zipmap: bool = False


@dataclass(frozen=True)
class Data:
    """Rows to train on and rows to compare on, float32."""

    train: Any
    target: Any
    rows: Any
    classes: int = 0
    feeds: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def inputs(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """The inputs of the model: the rows as X, or columns by name."""
        return self.feeds or {"X": self.rows}


def classification(classes: int, *, kind: str = "normal") -> Data:
    """Data of 20 features around a center for each class; kind: normal, counts or NaNs."""
    random = np.random.default_rng(classes)
    target = random.integers(0, classes, 400)
    centers = random.normal(size=(classes, 20))
    values = centers[target] + random.normal(size=(400, 20))
    if kind == "counts":
        values = np.floor(np.abs(values) * 3)
    if kind == "missing":
        values[random.random(values.shape) < 0.1] = np.nan
    values = values.astype(np.float32)
    return Data(values[:300], target[:300], values[300:], classes)


def regression(*, kind: str = "normal") -> Data:
    """Data of 20 features with a linear and a periodic part in the target."""
    random = np.random.default_rng(7)
    values = random.normal(size=(400, 20)).astype(np.float32)
    target = values @ random.normal(size=20) + np.sin(3 * values[:, 0])
    if kind == "missing":
        values[random.random(values.shape) < 0.1] = np.nan
    return Data(values[:300], target[:300], values[300:])


def answers_of(estimator: Any, rows: Any) -> tuple[Any, ...]:
    """The answers of scikit-learn, in the order of the outputs that skl2onnx writes."""
    if hasattr(estimator, "predict_proba"):
        return estimator.predict(rows), estimator.predict_proba(rows)
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(rows)
        return estimator.predict(rows), _both(scores) if hasattr(estimator, "classes_") else scores
    if hasattr(estimator, "predict"):
        if hasattr(estimator, "cluster_centers_"):
            return estimator.predict(rows), estimator.transform(rows)
        return (estimator.predict(rows),)
    return (estimator.transform(rows),)


def has_scores(estimator: Any) -> bool:
    """Whether a classifier has scores and no probabilities."""
    is_classifier = hasattr(estimator, "classes_") and hasattr(estimator, "decision_function")
    return is_classifier and not hasattr(estimator, "predict_proba")


def _both(scores: Any) -> Any:
    """The scores of two classes, of which scikit-learn returns the second alone."""
    return np.stack([-scores, scores], 1) if np.ndim(scores) == 1 else scores


def fitted(
    name: str, estimator: Any, data: Data, of_steps: Mapping[int, Any] | None = None
) -> Trained:
    """Fit an estimator of scikit-learn, to be exported by skl2onnx.

    ``of_steps`` has the exporter's options of steps of a pipeline, by ``id``.
    """
    options: dict[str, Any] = {}
    estimator.fit(data.train, *(() if data.target is None else (data.target,)))
    is_classifier = hasattr(estimator, "classes_")
    has_zipmap = is_classifier and not isinstance(estimator, (LinearSVC, LabelEncoder))
    if has_scores(estimator):
        options["raw_scores"] = True
    sample = {"X": data.train[:1]} if not data.feeds else None

    def export(zipmap: bool) -> Any:
        wanted = dict(options) if zipmap or not has_zipmap else options | {"zipmap": False}
        chosen = dict(of_steps or {}) | ({id(estimator): wanted} if wanted else {})
        given = data.train[:1] if sample else None
        types = None if sample else _types(data.feeds)
        return to_onnx(
            estimator, given, initial_types=types, options=chosen or None, target_opset=OPSETS
        )

    answers = answers_of(estimator, data.rows)
    return Trained(name, export, data.inputs(), answers, has_zipmap)


def _types(feeds: Mapping[str, np.ndarray[Any, Any]]) -> list[tuple[str, Any]]:
    """The types of named columns for skl2onnx."""
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    kinds = {"f": FloatTensorType, "i": Int64TensorType}
    return [
        (name, kinds.get(value.dtype.kind, StringTensorType)([None, *value.shape[1:]]))
        for name, value in feeds.items()
    ]
