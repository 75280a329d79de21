"""ONNX's own backend tests: all that are ours, at their opset and at every other one."""

from __future__ import annotations

import unittest
import warnings
from functools import cache

import numpy as np
import pytest
from onnx.backend.test import BackendTest
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator

import opmill
from onnx_record import models_by_version, record, recorded, text
from onnx_suite import Case, cases, opset_of, rebuilt
from opmill.onnx_backend import OnnxBackend
from opmill.onnx_reference import operators
from opmill.onnxruntime_ops import Session

backends = pytest.mark.parametrize("backend", opmill.backends())
versions = pytest.mark.parametrize(
    ("name", "version"),
    [
        (name, int(version))
        for name, numbers in recorded()["versions"]["ai.onnx"].items()
        for version, counts in numbers.items()
        if counts["models"]
    ],
)
UNTESTED: set[tuple[str, str]] = set()
"""The milled versions that no test of ONNX can judge."""


@cache
def suite() -> dict[str, type[unittest.TestCase]]:
    """ONNX's test class that has each test, by the test's name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some cases overflow on purpose while they are made
        classes = BackendTest(OnnxBackend, __name__).test_cases.values()
    return {name: cls for cls in classes for name in dir(cls) if name.endswith("_cpu")}


def case_named(name: str) -> Case:
    (case,) = (case for case in cases() if case.name == name)
    return case


def judge(case: Case, outputs, expected) -> None:
    Runner.assert_similar_outputs(expected, list(outputs), case.rtol, case.atol, case.name)


def test_the_record_says_what_the_suite_holds():
    assert text(record()) == text(recorded()), "run 'make records'"


@backends
def test_all_of_onnx_s_tests_that_are_ours_pass(backend):
    names = [f"{name}_cpu" for name in recorded()["cases"]]
    assert len(names) >= 23
    result = unittest.TestResult()
    with opmill.use_backend(backend):
        unittest.TestSuite(suite()[name](name) for name in names).run(result)
    assert [message for _, message in result.failures + result.errors] == []
    assert result.skipped == []
    assert result.testsRun == len(names)


@backends
@versions
def test_an_operator_version_gives_what_onnx_s_tests_expect(name, version, backend):
    judged = models_by_version()[name, version]
    assert len(judged) == recorded()["versions"]["ai.onnx"][name][str(version)]["models"]
    for case, _, opset, model in judged:
        assert opset_of(model) == opset
        with opmill.use_backend(backend):
            prepared = OnnxBackend.prepare(model)
            for inputs, expected in case.data:
                judge(case, prepared.run(inputs[: len(prepared.input_names)]), expected)


@backends
@pytest.mark.parametrize("case", recorded()["cases"])
def test_onnx_s_tests_pass_inside_of_its_reference_evaluator(case, backend):
    case = case_named(case)
    evaluator = ReferenceEvaluator(case.model, new_ops=operators())
    names = OnnxBackend.prepare(case.model).input_names
    with opmill.use_backend(backend):
        for inputs, expected in case.data:
            feeds = dict(zip(names, inputs, strict=True))
            judge(case, evaluator.run(None, feeds), expected)


@backends
@pytest.mark.parametrize("case", recorded()["cases"])
def test_onnx_s_tests_pass_inside_of_onnxruntime(case, backend):
    case = case_named(case)
    ours = {node.op_type for node in case.model.graph.node} - {"Constant"}
    opset = max(7, opset_of(case.model))  # the oldest that onnxruntime supports
    session = Session(rebuilt(case, opset), replace=ours)
    names = OnnxBackend.prepare(case.model).input_names
    with opmill.use_backend(backend):
        for inputs, expected in case.data:
            judge(case, session.run(None, dict(zip(names, inputs, strict=True))), expected)


def test_only_known_versions_are_without_a_test_of_onnx():
    found = {
        (name, version)
        for name, numbers in recorded()["versions"]["ai.onnx"].items()
        for version, counts in numbers.items()
        if not counts["models"]
    }
    assert found == UNTESTED


def test_a_test_is_not_rebuilt_where_its_operator_is_not_the_same():
    tile = case_named("test_tile")
    assert rebuilt(tile, 5) is None  # Tile-1 takes other inputs
    assert rebuilt(tile, 6) is not None
    expand = case_named("test_expand_dim_changed")
    assert rebuilt(expand, 7) is None  # there is no Expand yet
    assert rebuilt(expand, 8) is not None
    assert rebuilt(expand, 13).opset_import[0].version == 13


@pytest.mark.parametrize("name", ["test_tile", "test_convtranspose", "test_expand_dim_changed"])
def test_a_planted_wrong_answer_is_noticed(name):
    case = case_named(name)
    ((inputs, (expected,)),) = case.data
    outputs = OnnxBackend.run_model(case.model, inputs)
    judge(case, outputs, [expected])
    wrong = expected.copy()
    wrong.flat[-1] += 1
    for planted in (wrong, expected.astype(np.float64), expected[np.newaxis]):
        with pytest.raises(AssertionError):
            judge(case, outputs, [planted])
