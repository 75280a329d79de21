"""Examples, rejects, changes and tolerances that do not fit the version that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.cases import check_cases
from opmill_gen.load.load import Loaded
from opmill_gen.yaml_reader.decode import Faults
from small_project import CASES, FILES, Fault, Project, fault, fault_of, faults_of, plant


def stage(loaded: Loaded, faults: Faults) -> None:
    for _, spec in loaded.versions:
        check_cases(spec, faults)


PLAIN = "inputs: {X: {type: int32, value: [1, 2]}}"
RESULT = "outputs: {Y: {type: int32, value: [1, 2]}}"
BIAS = "option: optional, description: What is added."
MATRIX = "inputs: {X: {type: int32, value: [[1]]}}"
TENSOR = "{type: int32, value: 1}"

FAULTS = {
    "no example": fault(
        FILES[CASES].partition("examples:\n")[2].partition("rejects:")[0],
        "  []\n",
        f"{CASES}: there is no example of Blend-1; every version has one at least",
    ),
    "a name in capitals": fault(
        "name: plain",
        "name: §Plain",
        "'Plain' cannot name a case; use lower-case letters, digits, spaces, _ and -",
    ),
    "a name that would leave a folder": fault(
        "name: plain",
        "name: §../plain",
        "'../plain' cannot name a case; use lower-case letters, digits, spaces, _ and -",
    ),
    "a name with quotes": fault(
        "name: plain",
        "name: §'a\"\"\"b'",
        "'a\"\"\"b' cannot name a case; use lower-case letters, digits, spaces, _ and -",
    ),
    "a name of two lines": fault(
        "name: plain",
        'name: §"a\\n"',
        "'a\n' cannot name a case; use lower-case letters, digits, spaces, _ and -",
    ),
    "a name twice": fault("name: doubled", "name: §plain", "there is a case 'plain' already"),
    "a name of an example for a reject": fault(
        "name: a matrix", "name: §plain", "there is a case 'plain' already"
    ),
    "unknown input": fault(
        PLAIN,
        "inputs: §{X: {type: int32, value: [1, 2]}, bais: {type: int32, value: 1}}",
        "there is no input 'bais'; did you mean 'bias'?",
    ),
    "unknown output": fault(
        RESULT,
        "outputs: §{Y: {type: int32, value: [1, 2]}, Z: {type: int32, value: 1}}",
        "there is no output 'Z'; expected Y",
    ),
    "a missing input": fault(
        PLAIN, "inputs: §{}", "the input 'X' is missing in this example"
    ),
    "an input that is null": fault(
        PLAIN, "inputs: §{X: null}", "the input 'X' is missing in this example"
    ),
    "a missing output": fault(
        RESULT, "outputs: §{}", "the output 'Y' is missing in this example"
    ),
    "another type": fault(
        PLAIN,
        "inputs: {X: §{type: int64, value: [1, 2]}}",
        "'X' does not allow tensor(int64)",
    ),
    "another type of an output": fault(
        RESULT,
        "outputs: {Y: §{type: double, value: [1, 2]}}",
        "'Y' does not allow tensor(double)",
    ),
    "a list for one tensor": fault(
        PLAIN, "inputs: {X: §[{type: int32, value: [1, 2]}]}", "'X' takes one tensor"
    ),
    "one tensor for a variadic": fault_of(
        [
            (BIAS, "option: variadic, min_arity: 0, description: What is added."),
            ("bias: {type: float, value: 3}", "bias: §{type: float, value: 3}"),
        ],
        "'bias' takes a list of tensors",
    ),
    "an input by the oracle": fault(
        PLAIN,
        "inputs: {X: §{type: int32, shape: [2], oracle: true}}",
        "an oracle computes outputs; write the input's values",
    ),
    "a reject by the oracle": fault(
        MATRIX,
        "inputs: {X: §{type: int32, shape: [2], oracle: true}}",
        "an oracle computes outputs; write the input's values",
    ),
    "an optional input by the oracle": fault(
        "bias: {type: float, value: 3}",
        "bias: §{type: float, shape: [], oracle: true}",
        "an oracle computes outputs; write the input's values",
    ),
    "a reject by the oracle, by position": fault(
        MATRIX,
        "inputs: [null, §{type: int32, shape: [2], oracle: true}]",
        "an oracle computes outputs; write the input's values",
    ),
    "unknown attribute": fault(
        "attributes: {gain: 2}",
        "attributes: §{gian: 2}",
        "there is no attribute 'gian'; did you mean 'gain'?",
    ),
    "an attribute of another kind": fault(
        "attributes: {gain: 2}",
        "attributes: {gain: §2.5, mode: §[flat]}",
        "attribute 'gain' must be a whole number, got the number 2.5",
        "attribute 'mode' must be text, got a list",
    ),
    "a missing attribute": fault(
        "{name: gain, kind: INT, default: 1,",
        "{name: gain, kind: INT, required: true,",
        f"{CASES}:2:5: the required attribute 'gain' is missing",
    ),
    "each_type of an unknown variable": fault(
        "  - name: plain\n",
        "  - name: plain\n    each_type: §T1\n",
        "there is no type variable 'T1'; did you mean 'T'?",
    ),
    "an unknown input of a reject": fault(
        MATRIX,
        "inputs: §{Y: {type: int32, value: [[1]]}}",
        "there is no input 'Y'; expected X or bias",
    ),
    "an unknown attribute of a reject": fault(
        "    raises: ShapeError",
        "    attributes: §{gains: 1}\n    raises: ShapeError",
        "there is no attribute 'gains', and the error does not say so; did you mean 'gain'?",
    ),
    "an error without words": fault(
        'error: "X must be 1-D, got rank 2"', 'error: §" "', "the error must have words"
    ),
    "a change that nothing shows": fault(
        "source:",
        "changes:\n  - {what: More., shown_by: §plan}\nsource:",
        "there is no example or reject 'plan'; did you mean 'plain'?",
    ),
    "a change that is nothing like a case": fault(
        "source:",
        "changes:\n  - {what: More., shown_by: §everything}\nsource:",
        "there is no example or reject 'everything'; expected a matrix, doubled or plain",
    ),
    "a tolerance of a type that no output has": fault(
        "accuracy: {float: {rtol: 1e-06, atol: 0}}",
        "accuracy: §{float: {rtol: 1e-06, atol: 0}, double: {rtol: 0, atol: 0}}",
        "no output has the type tensor(double)",
    ),
    "types that lack their tolerances": fault_of(
        [
            ("types: [", "types: [tensor(double), tensor(float16), "),
            ("accuracy: {float: ", "accuracy: §{float: "),
        ],
        "an output may be of double or float16 too, whose accuracy is not stated; state it, "
        "as {rtol: 0, atol: 0} where it is exact",
    ),
}  # fmt: skip


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted, stage)
    assert found == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PLAIN, "inputs: {X: {type: int32, value: [1, 2]}, bias: null}"),
        (RESULT, "outputs: {Y: {type: int32, shape: [2], oracle: true}}"),
        (MATRIX, "inputs: {}"),
        (MATRIX, "inputs: []"),
        (MATRIX, f"inputs: [{TENSOR}, null, {TENSOR}, {TENSOR}]"),
        (MATRIX, "inputs: {X: {type: string, value: a}}"),
        ("    raises: ShapeError", "    attributes: {gain: text}\n    raises: ShapeError"),
        ("  - name: plain", "  - each_type: T\n    name: 0 plain-and_simple"),
    ],
)
def test_what_is_right(tmp_path: Path, old: str, new: str):
    project = Project(tmp_path)
    project.edit(old, new)
    assert faults_of(project, stage) == []


def test_a_reject_may_name_an_attribute_that_there_is_not(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("    raises: ShapeError", "    attributes: {axis: 1}\n    raises: ShapeError")
    project.edit("X must be 1-D, got rank 2", "unknown attribute 'axis'")
    assert faults_of(project, stage) == []
