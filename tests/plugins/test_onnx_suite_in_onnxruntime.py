"""ONNX's own backend tests inside of onnxruntime, whose operators are replaced by ours."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

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
    parser,
)

from merged_models import merged, merged_feeds, separated
from onnx_suite import Case, cases, nodes_of, rebuilt, run_and_judge, supported
from onnx_suite_tests import CASES, NOT_TENSORS, by_operators, case_named, input_names, together
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name
from opmill._onnx.ort_carriers import CARRIERS, obstacle
from opmill._runtime.types import element_of_code
from opmill.onnxruntime_ops import ModelError, Session


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


IN_ONNXRUNTIME = by_operators(
    name
    for name in CASES
    if obstacle_of(name) is None and name not in (*NOT_TENSORS, *without_carrier(), *with_graphs())
)
TOGETHER = 16
"""Number of groups of tests, each of other operators, that sessions of onnxruntime share."""


def is_deep(number: int) -> bool:
    """Return whether a group's sessions are left to 'make deep-test': three of four are."""
    return number // TOGETHER % 4 > 0


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


@together(IN_ONNXRUNTIME, deep=is_deep)
def test_onnx_s_tests_pass_inside_of_onnxruntime(names, subtests):
    """By the backend that is the default; the tests above judge each."""
    outputs = shared_outputs(neighbours(names)) or in_onnxruntime(names)
    for case in map(case_named, names):
        with subtests.test(case=case.name):
            judge_once(case, outputs[case.name])


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
