"""ONNX's own backend tests: all that are ours, at their opset and at every other one."""

from __future__ import annotations

import unittest
from collections import defaultdict
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pytest
from onnx import numpy_helper
from onnx.backend.test import BackendTest, runner
from onnx.reference import ReferenceEvaluator

import opmill
from onnx_record import Judged, ends, judged_by_version, record, recorded
from onnx_rewrites import exceptions
from onnx_suite import (
    backends_of,
    corrected,
    has_sequences_of_scalars,
    is_random,
    judge,
    listed,
    own_tolerance,
    read_data,
    rebuilt,
    refusing,
    rounded,
    run_and_judge,
    supported,
)
from onnx_suite_tests import CASES, NOT_TENSORS, by_operators, case_named, input_names, together
from opmill.onnx_backend import OnnxBackend
from opmill.onnx_reference import operators

RECORDED = recorded()
WRITERS = {
    "tensor_type": numpy_helper.from_array,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
}


@cache
def suite() -> dict[str, type[unittest.TestCase]]:
    """ONNX's test class that has each test, by the test's name."""
    with mock.patch.object(runner, "load_model_tests", listed):
        classes = BackendTest(OnnxBackend, __name__).test_cases.values()
    return {name: cls for cls in classes for name in dir(cls) if name.endswith("_cpu")}


def test_the_records_say_what_the_suite_holds():
    found = record()
    differ = {name for name in {*found, *RECORDED} if found.get(name) != RECORDED.get(name)}
    assert not differ, f"run 'make records OPERATORS=\"{' '.join(sorted(differ))}\"'"


@pytest.mark.parametrize("backend", opmill.backends())
def test_all_of_onnx_s_tests_that_are_ours_pass(backend):
    names = [
        f"{name}_cpu"
        for name, versions in CASES.items()
        if backend in backends_of(versions)
        and refusing(name, versions) is None
        and not is_random(name, versions)
        and not rounded(name, versions)
        and own_tolerance(name, versions) is None
        and corrected(name, versions) is None
        and not has_sequences_of_scalars(case_named(name))
    ]
    assert names
    result = unittest.TestResult()
    with opmill.use_backend(backend):
        unittest.TestSuite(suite()[name](name) for name in names).run(result)
    assert [message for _, message in result.failures + result.errors] == []
    assert result.skipped == []
    assert result.testsRun == len(names)


@pytest.mark.slow
def test_every_version_is_judged_as_often_as_the_records_say():
    for name, own in RECORDED.items():
        for version, counts in own["versions"].items():
            judged = judged_by_version().get((name, int(version)), [])
            assert len(judged) == counts["models"], (name, version)
            asked = ends(judged)
            assert {one.case.name for one in asked} == {one.case.name for one in judged}
            # A backend that lacks another operator of a model computes none of it.
            able, wanted = (
                {backend for one in some for backend in backends_of(one.versions)}
                for some in (asked, judged)
            )
            assert able == wanted, (name, version)


@together(by_operators(CASES))
def test_operator_versions_give_what_onnx_s_tests_expect(names, subtests):
    """At the last opset of each version, some at the first; ``make records`` asks at every one."""
    for name in names:
        asked = asked_by_case().get(name, ())
        for backend in opmill.backends():
            able = [one for one in asked if backend in backends_of(one.versions)]
            if able:
                with subtests.test(case=name, backend=backend), opmill.use_backend(backend):
                    for one in able:
                        one.run()


@cache
def asked_by_case() -> dict[str, list[Judged]]:
    """The models of each case that are run, each once, although it may judge several operators.

    Of each version one case is run at the first opset too, which shows where the version begins.
    """
    found: dict[str, dict[Any, Judged]] = defaultdict(dict)
    for judged in judged_by_version().values():
        some = sorted(ends(judged), key=lambda one: one.opset)
        last = {(one.case.name, one.how): one.opset for one in some}
        for one in some:
            if one.case.name != judged[0].case.name and one.opset < last[one.case.name, one.how]:
                continue
            # At an opset, a test is one model, but where it is rewritten for an operator.
            key = one.model if one.how == "rewritten" else one.opset
            found[one.case.name].setdefault(key, one)
    return {name: list(some.values()) for name, some in found.items()}


@together(by_operators(CASES))
def test_onnx_s_tests_pass_inside_of_its_reference_evaluator(names, subtests):
    for case in map(case_named, names):
        evaluator = ReferenceEvaluator(case.model, new_ops=operators())
        inputs_of = input_names(case.model)

        def run(inputs, evaluator=evaluator, inputs_of=inputs_of):
            return evaluator.run(None, dict(zip(inputs_of, inputs, strict=True)))

        for backend in backends_of(CASES[case.name]):
            with subtests.test(case=case.name, backend=backend), opmill.use_backend(backend):
                run_and_judge(case, case.model, run)


@pytest.mark.parametrize("name", NOT_TENSORS)
def test_data_in_files_are_read_by_the_declared_types(name, tmp_path):
    """Check tests in folders, as older releases of ONNX have them; ours are built in memory."""
    case = case_named(name)
    ((inputs, outputs),) = case.data
    graph = case.model.graph
    for word, values, declared in (
        ("input", inputs, graph.input),
        ("output", outputs, graph.output),
    ):
        for number, (value, entry) in enumerate(zip(values, declared, strict=True)):
            write = WRITERS[str(entry.type.WhichOneof("value"))]
            (tmp_path / f"{word}_{number}.pb").write_bytes(write(value).SerializeToString())
    read_inputs, read_outputs = read_data(case.model, tmp_path)
    judge_read(read_inputs, inputs)
    judge_read(read_outputs, outputs)


def judge_read(found, written):
    """Compare values; ONNX's own comparison takes no optional without contents."""
    for one, other in zip(found, written, strict=True):
        if isinstance(other, list):
            judge_read(one, other)
        elif other is None:
            assert one is None
        else:
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(one, other)


def test_every_version_is_judged_by_a_test_of_onnx():
    """Check that versions without tests get those of others, rebuilt or rewritten (onnx_rewrites).

    A version that deprecates its operator has none: no model may use it. Others that no test
    reaches are listed by their operator, as ``UNTESTED``.
    """
    for name, own in RECORDED.items():
        for version, counts in own["versions"].items():
            deprecated = supported(name, int(version)).schema.deprecated
            lacks = deprecated or int(version) in exceptions(name).UNTESTED
            assert bool(counts["models"]) != lacks, (name, version)


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
