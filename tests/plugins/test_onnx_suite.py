"""ONNX's own backend tests: all that are ours, at their opset and at every other one."""

from __future__ import annotations

import re
import unittest
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any
from unittest import mock

import ml_dtypes
import numpy as np
import onnxruntime as ort
import pytest
from onnx import (
    IR_VERSION,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
    parser,
)
from onnx.backend.test import BackendTest, runner
from onnx.reference import ReferenceEvaluator

import opmill
from merged_models import merged, merged_feeds, separated
from onnx_record import Judged, ends, judged_by_version, record, recorded
from onnx_rewrites import exceptions
from onnx_suite import (
    Case,
    backends_of,
    cases,
    corrected,
    has_sequences_of_scalars,
    holds_others_than_tensors,
    is_random,
    judge,
    listed,
    nodes_of,
    own_tolerance,
    read_data,
    rebuilt,
    refusing,
    rounded,
    run_and_judge,
    supported,
)
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name
from opmill._onnx.ort_carriers import CARRIERS, obstacle
from opmill._runtime.types import element_of_code
from opmill.onnx_backend import OnnxBackend
from opmill.onnx_reference import operators
from opmill.onnxruntime_ops import ModelError, Session

RECORDED = recorded()
CASES = {case.name: case.versions for case in cases()}
"""The operator versions of each test of ONNX that is ours."""


NOT_TENSORS = tuple(case.name for case in cases() if holds_others_than_tensors(case.model))
"""The tests that hold a sequence or an optional."""

WRITERS = {
    "tensor_type": numpy_helper.from_array,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
}


def obstacle_of(case: str) -> str | None:
    """Why onnxruntime cannot be handed a version of a case; ``None`` where it can."""
    reasons = (obstacle(supported(*version).schema) for version in CASES[case].items())
    return next((reason for reason in reasons if reason is not None), None)


def inner_nodes(model: ModelProto) -> list[NodeProto]:
    """The nodes of the graphs inside of a model's graph."""
    return nodes_of(model.graph)[len(model.graph.node) :]


@cache
def without_carrier() -> tuple[str, ...]:
    """The tests that hold elements of a type which cannot get through, although others can."""
    return tuple(
        case.name
        for case in cases()
        if case.name not in NOT_TENSORS
        and obstacle_of(case.name) is None
        and not element_types(case.model) <= CARRIERS.keys()
    )


@cache
def with_graphs() -> tuple[str, ...]:
    """The tests with graphs in attributes that their operator does not require."""
    return tuple(
        case.name
        for case in cases()
        if case.name not in NOT_TENSORS
        and obstacle_of(case.name) is None
        and inner_nodes(case.model)
    )


def element_types(model: ModelProto) -> set[str | None]:
    """The element types of a model's inputs and outputs, as ``float`` for ``tensor(float)``."""
    values = (*model.graph.input, *model.graph.output)
    return {element_of_code(value.type.tensor_type.elem_type) for value in values}


@cache
def suite() -> dict[str, type[unittest.TestCase]]:
    """ONNX's test class that has each test, by the test's name."""
    with mock.patch.object(runner, "load_model_tests", listed):
        classes = BackendTest(OnnxBackend, __name__).test_cases.values()
    return {name: cls for cls in classes for name in dir(cls) if name.endswith("_cpu")}


@cache
def cases_by_name() -> dict[str, Case]:
    return {case.name: case for case in cases()}


def case_named(name: str) -> Case:
    return cases_by_name()[name]


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


def by_operators(names: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """Some tests of ONNX, by the operators that they have."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        found.setdefault(tuple(sorted(CASES[name])), []).append(name)
    return found


def together(groups: dict[tuple[str, ...], list[str]]) -> pytest.MarkDecorator:
    """A test for all tests of ONNX that have the same operators."""
    return pytest.mark.parametrize(
        "names",
        [
            pytest.param(some, marks=pytest.mark.operators(*own), id=" ".join(own))
            for own, some in groups.items()
        ],
    )


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


IN_ONNXRUNTIME = by_operators(
    name
    for name in CASES
    if obstacle_of(name) is None and name not in (*NOT_TENSORS, *without_carrier(), *with_graphs())
)
TOGETHER = 16
"""Number of groups of tests, each of other operators, that sessions of onnxruntime share."""


def neighbours(names: Sequence[str]) -> tuple[str, ...]:
    """The tests of the groups that share sessions with the group of these tests."""
    groups = list(IN_ONNXRUNTIME.values())
    first = groups.index(list(names)) // TOGETHER * TOGETHER
    return tuple(name for group in groups[first : first + TOGETHER] for name in group)


def in_onnxruntime(names: Iterable[str]) -> dict[str, list[Any]]:
    """The outputs of tests by their names; those at the same opsets are one model.

    To create a session takes a tenth of a second, as onnxruntime reads the signatures of all
    operators of this package for each.
    """
    tests_of = defaultdict(list)
    for case in map(case_named, names):
        model, replaced = for_onnxruntime(case)
        opsets = tuple((one.domain, one.version) for one in model.opset_import)
        tests_of[model.ir_version, opsets].append((case, floats_for_bfloat16(model), replaced))
    found = {}
    for tests in tests_of.values():
        own, models, replaced = zip(*tests, strict=True)
        session = Session(merged(models), set().union(*replaced))
        results = session.run(None, merged_feeds([floats_of(case) for case in own]))
        for case, outputs in zip(own, separated(models, results), strict=True):
            found[case.name] = outputs
    return found


@lru_cache(maxsize=2)
def shared_outputs(names: tuple[str, ...]) -> dict[str, list[Any]] | None:
    """The outputs of tests of several operators; ``None`` if one of them fails."""
    try:
        return in_onnxruntime(names)
    except Exception:  # of any operator: each is then computed alone, and its own test fails
        return None


@together(IN_ONNXRUNTIME)
def test_onnx_s_tests_pass_inside_of_onnxruntime(names, subtests):
    """By the backend that is the default; the tests above judge each."""
    outputs = shared_outputs(neighbours(names)) or in_onnxruntime(names)
    for case in map(case_named, names):
        with subtests.test(case=case.name):
            judge_once(case, outputs[case.name])


def input_names(model: ModelProto) -> list[str]:
    """The inputs that have no initializer."""
    initial = {tensor.name for tensor in model.graph.initializer}
    return [one.name for one in model.graph.input if one.name not in initial]


def floats_of(case: Case) -> dict[str, Any]:
    """The inputs of a case by name, those of bfloat16 as floats."""
    ((inputs, _),) = case.data
    names = input_names(case.model)
    given = [x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x for x in inputs]
    return dict(zip(names, given, strict=True))


def judge_once(case: Case, outputs: list[Any]) -> None:
    """Judge the outputs of a case that were computed from ``floats_of``."""
    pairs = zip(outputs, map(is_bfloat16, case.model.graph.output), strict=True)
    found = [y.astype(ml_dtypes.bfloat16) if is_small else y for y, is_small in pairs]
    run_and_judge(case, case.model, lambda _: found)


def is_bfloat16(value: ValueInfoProto) -> bool:
    return bool(value.type.tensor_type.elem_type == TensorProto.BFLOAT16)


def floats_for_bfloat16(model: ModelProto) -> ModelProto:
    """A model whose bfloat16 inputs and outputs are floats, which lose nothing, beside Casts.

    onnxruntime takes no arrays of bfloat16.
    """
    result = ModelProto()
    result.CopyFrom(model)
    graph = result.graph
    before, after = [], []
    for values, casts in ((graph.input, before), (graph.output, after)):
        for value in filter(is_bfloat16, values):
            value.type.tensor_type.elem_type = TensorProto.FLOAT
            casts.append(value.name)
    inner = {name: f"{name}_bfloat16" for name in (*before, *after)}
    nodes = [
        helper.make_node("Cast", [name], [inner[name]], to=TensorProto.BFLOAT16) for name in before
    ]
    for node in graph.node:
        node.input[:] = [inner.get(name, name) for name in node.input]
        node.output[:] = [inner.get(name, name) for name in node.output]
        nodes.append(node)
    nodes += [
        helper.make_node("Cast", [inner[name]], [name], to=TensorProto.FLOAT) for name in after
    ]
    fresh = helper.make_graph(nodes, graph.name, graph.input, graph.output, graph.initializer)
    graph.CopyFrom(fresh)
    return result


@cache
def newest_of_onnxruntime() -> tuple[int, int]:
    """The newest IR version and the newest opset that the installed onnxruntime loads."""
    opset = defs.onnx_opset_version()
    irs = (ir for ir in range(IR_VERSION, 7, -1) if loads(ir, 13))
    opsets = (number for number in range(opset, 12, -1) if loads(8, number))
    return next(irs), next(opsets)


def loads(ir_version: int, opset: int) -> bool:
    """Return whether onnxruntime loads a model of these versions."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    model = parser.parse_model(
        f'<ir_version: {ir_version}, opset_import: ["": {opset}]> '
        "g (float[a] x) => (float[a] y) { y = Identity(x) }"
    )
    try:
        ort.InferenceSession(model.SerializeToString(), options)
    except Exception:  # of classes that onnxruntime does not name
        return False
    return True


def for_onnxruntime(case: Case) -> tuple[ModelProto, set[str]]:
    """A case's model as onnxruntime takes it, and the operators to replace in it.

    The oldest opset that it supports is 7, and onnx can be newer than it. Where a test is not legal
    there, its nodes are of the domain ``opmill``, in the version that they have at the test's own
    opset. Operators of another domain are beside ``ai.onnx``, whose Cast and Reshape are needed.
    """
    newest_ir, newest_opset = newest_of_onnxruntime()
    if case.domain != MAIN_DOMAIN:
        model = ModelProto()
        model.CopyFrom(case.model)
        model.ir_version = min(model.ir_version, newest_ir)
        if all(domain_name(entry.domain) != MAIN_DOMAIN for entry in model.opset_import):
            model.opset_import.append(helper.make_opsetid("", newest_opset))
        return model, set(CASES[case.name])
    opset = min(max(7, case.opset), newest_opset)
    model = rebuilt(case, opset)
    if model is not None:
        model.ir_version = min(model.ir_version, newest_ir)
        return model, set(CASES[case.name])
    model = ModelProto()
    model.CopyFrom(case.model)
    model.ir_version = min(model.ir_version, newest_ir)
    model.opset_import[0].version = opset
    for node in model.graph.node:
        if node.op_type in CASES[case.name]:
            node.op_type, node.domain = f"{node.op_type}_{CASES[case.name][node.op_type]}", "opmill"
    model.opset_import.append(helper.make_opsetid("opmill", 1))
    return model, set()


def test_onnxruntime_is_handed_all_but_what_has_a_known_obstacle():
    refused = {name: obstacle_of(name) for name in CASES if obstacle_of(name) is not None}
    assert {op for name in refused for op in CASES[name]} >= {"Cast", "Concat", "Split"}
    for name, reason in refused.items():
        operator, version = next(
            (operator, version)
            for operator, version in CASES[name].items()
            if obstacle(supported(operator, version).schema) == reason
        )
        words = f": {operator}-{version} cannot be computed in onnxruntime: {reason}"
        model = case_named(name).model
        if operator in {node.op_type for node in inner_nodes(model)}:
            words = f" holds a node '{operator}'; opmill can compute nodes of the main graph only"
        with pytest.raises(ModelError, match=f"^node .*{re.escape(words)}$"):
            Session(model, {operator})


def test_onnxruntime_is_not_handed_elements_without_a_carrier():
    names = without_carrier()
    assert {op for name in names for op in CASES[name]} >= {"CastLike", "QuantizeLinear"}
    for name in names:
        model, replaced = for_onnxruntime(case_named(name))
        refused = element_types(model) - CARRIERS.keys()
        words = f"^node .*: ({'|'.join(map(str, refused))}) cannot be handed over by onnxruntime$"
        with pytest.raises(ModelError, match=words):
            Session(model, replaced)


def test_onnxruntime_is_not_handed_graphs():
    assert {op for name in with_graphs() for op in CASES[name]} == {"FlexAttention"}
    for name in with_graphs():
        model, replaced = for_onnxruntime(case_named(name))
        with pytest.raises(ModelError, match=r"^node .* is of kind GRAPH, which is not supported$"):
            Session(model, replaced)


@pytest.mark.parametrize("name", NOT_TENSORS)
def test_onnxruntime_is_not_handed_sequences_and_optionals(name):
    case = case_named(name)
    values = (*case.model.graph.input, *case.model.graph.output)
    value = next(v for v in values if v.type.WhichOneof("value") != "tensor_type")
    kind = str(value.type.WhichOneof("value")).removesuffix("_type")
    words = [f"'{value.name}' is of kind {kind}; opmill can be handed tensors alone"]
    if obstacle_of(name) is not None:  # the first node that has one is refused
        words = [
            f"{operator}-{version} cannot be computed in onnxruntime: {reason}"
            for operator, version in CASES[name].items()
            if (reason := obstacle(supported(operator, version).schema)) is not None
        ]
    words += [
        f"holds a node '{node.op_type}'; opmill can compute nodes of the main graph only"
        for node in inner_nodes(case.model)
    ]
    with pytest.raises(ModelError, match=f"^node .*({'|'.join(map(re.escape, words))})$"):
        Session(case.model, set(CASES[name]))


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
