"""Estimators and pipelines of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn import (
    calibration,
    cluster,
    compose,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_extraction,
    gaussian_process,
    impute,
    linear_model,
    mixture,
    multiclass,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)

from benchmarks.estimators.trained import Data, Trained, classification, fitted, regression

Make = Callable[[], Any]

_TREE = partial(tree.DecisionTreeClassifier, max_depth=5, random_state=0)
_LOGISTIC = partial(linear_model.LogisticRegression, max_iter=1000)
_SMALL = {"n_estimators": 10, "random_state": 0}

CLASSIFIERS: dict[str, Make] = {
    "LogisticRegression": _LOGISTIC,
    "RidgeClassifier": linear_model.RidgeClassifier,
    "SGDClassifier log": partial(linear_model.SGDClassifier, loss="log_loss", random_state=0),
    "SGDClassifier hinge": partial(linear_model.SGDClassifier, random_state=0),
    "Perceptron": linear_model.Perceptron,
    "LinearSVC": svm.LinearSVC,
    "SVC rbf": svm.SVC,
    "SVC poly": partial(svm.SVC, kernel="poly"),
    "SVC sigmoid": partial(svm.SVC, kernel="sigmoid"),
    "SVC linear": partial(svm.SVC, kernel="linear"),
    "SVC rbf probability": partial(svm.SVC, probability=True, random_state=0),
    "SVC poly probability": partial(svm.SVC, kernel="poly", probability=True, random_state=0),
    "NuSVC": partial(svm.NuSVC, nu=0.2),
    "NuSVC probability": partial(svm.NuSVC, nu=0.2, probability=True, random_state=0),
    "KNeighborsClassifier": neighbors.KNeighborsClassifier,
    "GaussianNB": naive_bayes.GaussianNB,
    "BernoulliNB": naive_bayes.BernoulliNB,
    "DecisionTreeClassifier": _TREE,
    "ExtraTreeClassifier": partial(tree.ExtraTreeClassifier, max_depth=5, random_state=0),
    "ExtraTreesClassifier": partial(ensemble.ExtraTreesClassifier, **_SMALL),
    "RandomForestClassifier": partial(ensemble.RandomForestClassifier, **_SMALL),
    "GradientBoostingClassifier": partial(ensemble.GradientBoostingClassifier, **_SMALL),
    "HistGradientBoostingClassifier": partial(ensemble.HistGradientBoostingClassifier, max_iter=10),
    "AdaBoostClassifier": partial(ensemble.AdaBoostClassifier, **_SMALL),
    "BaggingClassifier": partial(ensemble.BaggingClassifier, _TREE(), random_state=0),
    "VotingClassifier soft": lambda: ensemble.VotingClassifier(
        [("tree", _TREE()), ("logistic", _LOGISTIC())], voting="soft", flatten_transform=False
    ),
    "StackingClassifier": lambda: ensemble.StackingClassifier(
        [("tree", _TREE()), ("logistic", _LOGISTIC())]
    ),
    "MLPClassifier": partial(
        neural_network.MLPClassifier, hidden_layer_sizes=(16,), max_iter=300, random_state=0
    ),
    "GaussianProcessClassifier": gaussian_process.GaussianProcessClassifier,
    "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis,
    "QuadraticDiscriminantAnalysis": discriminant_analysis.QuadraticDiscriminantAnalysis,
    "CalibratedClassifierCV sigmoid": lambda: calibration.CalibratedClassifierCV(_LOGISTIC()),
    "CalibratedClassifierCV isotonic": lambda: calibration.CalibratedClassifierCV(
        _TREE(), method="isotonic"
    ),
    "OneVsRestClassifier": lambda: multiclass.OneVsRestClassifier(_LOGISTIC()),
    "pipeline scaler, PCA, logistic": lambda: pipeline.make_pipeline(
        preprocessing.StandardScaler(), decomposition.PCA(8), _LOGISTIC()
    ),
}

COUNTS: dict[str, Make] = {
    "MultinomialNB": naive_bayes.MultinomialNB,
    "ComplementNB": naive_bayes.ComplementNB,
}

MISSING: dict[str, Make] = {
    "HistGradientBoostingClassifier, NaN": CLASSIFIERS["HistGradientBoostingClassifier"],
    "RandomForestClassifier, NaN": CLASSIFIERS["RandomForestClassifier"],
    "DecisionTreeClassifier, NaN": _TREE,
    "pipeline imputer, logistic": lambda: pipeline.make_pipeline(
        impute.SimpleImputer(), _LOGISTIC()
    ),
}

_RBF = gaussian_process.kernels.RBF(4.0) + gaussian_process.kernels.WhiteKernel(0.1)

REGRESSORS: dict[str, Make] = {
    "LinearRegression": linear_model.LinearRegression,
    "Ridge": linear_model.Ridge,
    "Lasso": linear_model.Lasso,
    "SGDRegressor": partial(linear_model.SGDRegressor, random_state=0),
    "LinearSVR": svm.LinearSVR,
    "SVR rbf": svm.SVR,
    "SVR poly": partial(svm.SVR, kernel="poly"),
    "SVR sigmoid": partial(svm.SVR, kernel="sigmoid"),
    "NuSVR": svm.NuSVR,
    "KNeighborsRegressor": neighbors.KNeighborsRegressor,
    "DecisionTreeRegressor": partial(tree.DecisionTreeRegressor, max_depth=5, random_state=0),
    "ExtraTreeRegressor": partial(tree.ExtraTreeRegressor, max_depth=5, random_state=0),
    "ExtraTreesRegressor": partial(ensemble.ExtraTreesRegressor, **_SMALL),
    "RandomForestRegressor": partial(ensemble.RandomForestRegressor, **_SMALL),
    "GradientBoostingRegressor": partial(ensemble.GradientBoostingRegressor, **_SMALL),
    "HistGradientBoostingRegressor": partial(ensemble.HistGradientBoostingRegressor, max_iter=10),
    "AdaBoostRegressor": partial(ensemble.AdaBoostRegressor, **_SMALL),
    "BaggingRegressor": partial(ensemble.BaggingRegressor, random_state=0),
    "VotingRegressor": lambda: ensemble.VotingRegressor(
        [("tree", tree.DecisionTreeRegressor(max_depth=5)), ("ridge", linear_model.Ridge())]
    ),
    "StackingRegressor": lambda: ensemble.StackingRegressor(
        [("svr", svm.SVR()), ("ridge", linear_model.Ridge())]
    ),
    "MLPRegressor": partial(
        neural_network.MLPRegressor, hidden_layer_sizes=(16,), max_iter=300, random_state=0
    ),
    "GaussianProcessRegressor": partial(gaussian_process.GaussianProcessRegressor, _RBF),
}

OUTLIERS: dict[str, Make] = {
    "OneClassSVM": svm.OneClassSVM,
    "IsolationForest": partial(ensemble.IsolationForest, **_SMALL),
    "LocalOutlierFactor": partial(neighbors.LocalOutlierFactor, novelty=True),
    "KMeans": partial(cluster.KMeans, 3, random_state=0),
    "MiniBatchKMeans": partial(cluster.MiniBatchKMeans, 3, random_state=0),
    "GaussianMixture": partial(mixture.GaussianMixture, 3, random_state=0),
}

TRANSFORMERS: dict[str, Make] = {
    "PCA": partial(decomposition.PCA, 5),
    "TruncatedSVD": partial(decomposition.TruncatedSVD, 5, random_state=0),
    "StandardScaler": preprocessing.StandardScaler,
    "MinMaxScaler": preprocessing.MinMaxScaler,
    "MaxAbsScaler": preprocessing.MaxAbsScaler,
    "RobustScaler": preprocessing.RobustScaler,
    "Normalizer l1": partial(preprocessing.Normalizer, "l1"),
    "Normalizer l2": preprocessing.Normalizer,
    "Normalizer max": partial(preprocessing.Normalizer, "max"),
    "Binarizer": partial(preprocessing.Binarizer, threshold=0.3),
    "KBinsDiscretizer ordinal": partial(
        preprocessing.KBinsDiscretizer, encode="ordinal", quantile_method="linear"
    ),
    "KBinsDiscretizer onehot": partial(
        preprocessing.KBinsDiscretizer, encode="onehot-dense", quantile_method="linear"
    ),
    "PolynomialFeatures": preprocessing.PolynomialFeatures,
}

TEXTS = np.array(
    ["the cat sat on the mat", "a dog, and a CAT!", "no pets here", "the the the", "mat dog dog"]
    * 8
)
COLOURS = np.array([["red", "small"], ["green", "large"], ["blue", "small"], ["red", "huge"]] * 10)


def all_trained() -> Iterator[partial[Trained]]:
    """Functions that train one estimator each."""
    for name, make in REGRESSORS.items():
        yield partial(_fit, name, make, regression())
    for name, make in (OUTLIERS | TRANSFORMERS).items():
        yield partial(_fit, name, make, classification(3))
    missing = regression(kind="missing")
    for strategy in ("mean", "median", "most_frequent", "constant"):
        make = partial(impute.SimpleImputer, strategy=strategy)
        yield partial(_fit, f"SimpleImputer {strategy}", make, missing)
    yield partial(_fit, "KNNImputer", impute.KNNImputer, missing)
    yield from _of_categories()
    yield from _of_texts()
    for classes in (2, 3, 10):
        for kind, table in (("normal", CLASSIFIERS), ("counts", COUNTS), ("missing", MISSING)):
            data = classification(classes, kind=kind)
            for name, make in table.items():
                yield partial(_fit, f"{name}, {classes} classes", make, data)


def _fit(name: str, make: Make, data: Data) -> Trained:
    return fitted(name, make(), data)


def _of_categories() -> Iterator[partial[Trained]]:
    """Encoders of numbers and of strings, and pipelines over columns of both."""
    numbers = np.random.default_rng(3).integers(0, 4, (40, 3))
    strings = COLOURS.astype(object)
    for kind, rows in (("numbers", numbers), ("strings", strings)):
        data = Data(rows, None, rows, feeds={"X": rows})
        one_hot = partial(preprocessing.OneHotEncoder, sparse_output=False, handle_unknown="ignore")
        yield partial(_fit, f"OneHotEncoder {kind}", one_hot, data)
        yield partial(_fit, f"OrdinalEncoder {kind}", preprocessing.OrdinalEncoder, data)
        column = rows[:, 0]
        labels = Data(column, None, column, feeds={"X": column})
        yield partial(_fit, f"LabelEncoder {kind}", preprocessing.LabelEncoder, labels)
    for name, last in (("logistic", _LOGISTIC), ("forest", CLASSIFIERS["RandomForestClassifier"])):
        yield partial(_columns, f"ColumnTransformer, {name}", last)


def _columns(name: str, last: Make) -> Trained:
    """A pipeline over a matrix of floats and one of strings, with labels that are strings."""
    random = np.random.default_rng(5)
    floats = random.normal(size=(40, 4)).astype(np.float32)
    strings = COLOURS.astype(object)
    target = np.where(floats[:, 0] + (strings[:, 0] == "red") > 0.3, "yes", "no")
    rows = np.concatenate([floats.astype(object), strings], 1)
    encoder = preprocessing.OneHotEncoder(handle_unknown="ignore")
    columns = compose.ColumnTransformer(
        [("floats", preprocessing.StandardScaler(), [0, 1, 2, 3]), ("strings", encoder, [4, 5])]
    )
    data = Data(rows, target, rows, 2, {"floats": floats, "strings": strings})
    return fitted(name, pipeline.make_pipeline(columns, last()), data)


def _fit_texts(name: str, make: Make, data: Data) -> Trained:
    """Fit a vectorizer, exported with the locale C: onnxruntime fails where others are missing."""
    estimator = make()
    first = estimator.steps[0][1] if isinstance(estimator, pipeline.Pipeline) else estimator
    return fitted(name, estimator, data, {id(first): {"locale": "C"}})


def _of_texts() -> Iterator[partial[Trained]]:
    """Vectorizers of texts, hashes and dicts."""
    column = TEXTS.astype(object)
    data = Data(column, np.arange(40) % 5, column, feeds={"X": column[:, None]})
    text = feature_extraction.text
    makes: dict[str, Make] = {
        "CountVectorizer": text.CountVectorizer,
        "CountVectorizer 1 to 2 words": partial(text.CountVectorizer, ngram_range=(1, 2)),
        "CountVectorizer binary": partial(text.CountVectorizer, binary=True),
        "CountVectorizer characters": partial(
            text.CountVectorizer, analyzer="char", ngram_range=(1, 2)
        ),
        "TfidfVectorizer": text.TfidfVectorizer,
        "TfidfVectorizer 1 to 2 words": partial(text.TfidfVectorizer, ngram_range=(1, 2)),
        "TfidfVectorizer, logistic": lambda: pipeline.make_pipeline(
            text.TfidfVectorizer(), _LOGISTIC()
        ),
    }
    for name, make in makes.items():
        yield partial(_fit_texts, name, make, data)
    strings = COLOURS.astype(object)
    hashed = Data(strings, None, strings, feeds={"X": strings})
    hasher = partial(feature_extraction.FeatureHasher, 16, input_type="string")
    yield partial(_fit, "FeatureHasher", hasher, hashed)
