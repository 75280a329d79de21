"""The kit's cases: which there are, and that their models mean the same as the calls."""

import numpy as np
import onnx
import pytest

import opmill
from checked_tree import checked_tree
from opmill import conformance
from opmill.onnx_backend import OnnxBackend
from opmill_checks.case import Held


@pytest.fixture(scope="module")
def tile():
    return list(conformance.cases(["Tile"]))


def test_every_example_and_reject_of_every_version_is_a_case(tile):
    for version in checked_tree().versions:
        if version.spec.operator != "Tile":
            continue
        own = [case for case in tile if case.schema.since_version == version.spec.since_version]
        examples = {one.name for one in version.spec.examples}
        rejects = {one.name for one in version.spec.rejects}
        assert {case.example for case in own if not case.is_reject} == examples
        assert {case.example for case in own if case.is_reject} == rejects


def test_an_example_is_repeated_in_each_other_type(tile):
    repeated = [c for c in tile if c.label == "Tile-13" and c.example == "every type"]
    assert len({case.type for case in repeated}) == len(repeated)
    elements = {case.inputs[0].type for case in repeated}
    listed = opmill.operator("Tile", 13).schema.type_constraints["T"]
    assert {f"tensor({element})" for element in elements} == set(listed)


@pytest.mark.parametrize(("opset", "versions"), [(1, {1}), (12, {6}), (28, {13})])
def test_an_opset_chooses_the_versions_that_it_uses(opset, versions):
    chosen = conformance.cases(["Tile"], opset=opset)
    assert {case.schema.since_version for case in chosen} == versions


def test_an_operator_may_be_given_with_its_version():
    chosen = {case.label for case in conformance.cases(["Tile-13", "Tile-1", "Relu"], opset=None)}
    assert chosen == {"Tile-1", "Tile-13", "Relu-1", "Relu-6", "Relu-13", "Relu-14"}
    assert {case.label for case in conformance.cases(["Tile-1", "Tile"])} >= {"Tile-1", "Tile-6"}


def test_a_type_chooses_the_cases_that_have_it():
    chosen = list(conformance.cases(["Tile"], versions=[13], types=["float16"]))
    assert chosen
    assert all("float16" in case.types for case in chosen)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"operators": ["Tiles"]}, "Tiles is not a supported operator"),
        ({"types": ["float17"]}, "float17 is not an element type"),
        ({"operators": ["Tile"], "versions": [2]}, "no supported operator version is chosen"),
        ({"operators": ["Tile-2", "Relu"]}, "no case of Tile-2 is chosen"),
        ({"operators": ["Tile-13"], "opset": 12}, "no case of Tile-13 is chosen"),
        ({"operators": ["Tile-x"]}, "'Tile-x' is no operator, expected Tile or Tile-13"),
    ],
)
def test_a_choice_of_nothing_is_an_error(options, words):
    with pytest.raises(opmill.Error, match=words):
        list(conformance.cases(**options))


def test_models_hold_the_calls(tile):
    """Each model passes onnx's checker, and opmill computes or refuses it as the spec has it."""
    for case in tile:
        model = case.model()
        given = [a for a, v in zip(case.input_arrays(), case.inputs, strict=True) if v is not None]
        if case.is_reject:
            with pytest.raises(ValueError):  # noqa: PT011  what the model says decides the class
                OnnxBackend.prepare(model).run(given)
            continue
        onnx.checker.check_model(model)
        case.judge(OnnxBackend.prepare(model).run(given), strict=True)


def test_a_model_imports_the_lowest_opset_of_its_version(tile):
    for case in tile:
        (opset,) = case.model().opset_import
        assert opset.version == case.schema.since_version
    assert tile[-1].model(20).opset_import[0].version == 20


def test_sequences_and_optionals_have_models():
    held = [
        case
        for case in conformance.cases(["Identity"], versions=[16], rejects=False)
        if any(isinstance(one, Held) for one in case.inputs)
    ]
    assert {case.inputs[0].items is None for case in held} == {True, False}
    for case in held:
        onnx.checker.check_model(case.model())


def test_wrong_outputs_are_a_mismatch_that_says_where(tile):
    case = next(one for one in tile if one.example == "second axis")
    (right,) = case.expected_arrays()
    case.judge([right])
    wrong = right.copy()
    wrong[0, 1] = 7
    with pytest.raises(conformance.Mismatch, match=r"output: 1 of 12 .* at \[0, 1\] expected 1"):
        case.judge([wrong])
    with pytest.raises(conformance.Mismatch, match="0 outputs, expected 1"):
        case.judge([])


def test_tolerances_are_those_of_onnx_unless_strict():
    case = next(conformance.cases(["Exp"], versions=[13], types=["float"], rejects=False))
    (right,) = case.expected_arrays()
    near = (right * np.float32(1 + 1e-4)).astype(np.float32)
    case.judge([near])
    with pytest.raises(conformance.Mismatch, match="differ by more than"):
        case.judge([near], strict=True)
