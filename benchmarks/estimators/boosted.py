"""Models of LightGBM and XGBoost, exported by onnxmltools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import lightgbm
import numpy as np
import onnxmltools
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

from benchmarks.estimators.trained import Data, Trained, classification, regression

OPSET = 15
_LIGHT = {"n_estimators": 10, "verbose": -1, "random_state": 0}
_EXTREME = {"n_estimators": 10, "max_depth": 4, "random_state": 0}


def all_trained() -> Iterator[partial[Trained]]:
    """Functions that train one model each."""
    for kind, label in (("normal", ""), ("missing", ", NaN")):
        for classes in (2, 3, 10):
            data, suffix = classification(classes, kind=kind), f", {classes} classes{label}"
            yield partial(_light, f"LGBMClassifier{suffix}", data)
            yield partial(_extreme, f"XGBClassifier{suffix}", data)
        yield partial(_light, f"LGBMRegressor{label}", regression(kind=kind))
        yield partial(_extreme, f"XGBRegressor{label}", regression(kind=kind))
    for classes in (0, 2, 3):
        data = _categories(regression() if classes == 0 else classification(classes))
        yield partial(_light, f"LGBM categorical, {classes} classes", data, [0, 1])
        yield partial(_extreme, f"XGB categorical, {classes} classes", data, [0, 1])


def _categories(data: Data) -> Data:
    """Put categories from 0 to 5 into the first two columns, on which the target depends."""
    rows = np.concatenate([data.train, data.rows])
    rows[:, :2] = np.clip(np.floor(np.abs(rows[:, :2]) * 3), 0, 5)
    effect = (rows[:300, 0] == 3) + 2 * (rows[:300, 1] == 1)
    target = (data.target + effect) % data.classes if data.classes else data.target + effect
    return replace(data, train=rows[:300], rows=rows[300:], target=target)


def _light(name: str, data: Data, categories: list[int] | None = None) -> Trained:
    kind = lightgbm.LGBMClassifier if data.classes else lightgbm.LGBMRegressor
    extra = {"min_data_per_group": 1, "max_cat_to_onehot": 1} if categories else {}
    estimator = kind(**_LIGHT, **extra)
    estimator.fit(data.train, data.target, categorical_feature=categories or "auto")
    types = [("X", FloatTensorType([None, 20]))]

    def export(zipmap: bool) -> Any:
        return onnxmltools.convert_lightgbm(
            estimator, initial_types=types, zipmap=zipmap, target_opset=OPSET
        )

    answers = _answers(estimator, data.rows, data.classes)
    return Trained(name, export, data.inputs(), answers, bool(data.classes))


def _extreme(name: str, data: Data, categories: list[int] | None = None) -> Trained:
    kind = xgboost.XGBClassifier if data.classes else xgboost.XGBRegressor
    kinds = ["c" if k in (categories or ()) else "q" for k in range(20)]
    extra = {"enable_categorical": True, "feature_types": kinds} if categories else {}
    estimator = kind(**_EXTREME, **extra)
    estimator.fit(data.train, data.target)
    types = [("X", FloatTensorType([None, 20]))]

    def export(zipmap: bool) -> Any:
        return onnxmltools.convert_xgboost(estimator, initial_types=types, target_opset=OPSET)

    return Trained(name, export, data.inputs(), _answers(estimator, data.rows, data.classes))


def _answers(estimator: Any, rows: Any, classes: int) -> tuple[Any, ...]:
    """The answers of the library, in the order of the model's outputs."""
    labels = (estimator.predict(rows),)
    return (*labels, estimator.predict_proba(rows)) if classes else labels
