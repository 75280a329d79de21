"""The types of an example must go together as those of a call do."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import Loaded
from opmill_gen.yaml_reader.decode import Faults
from small_project import Edit, Fault, fault, plant

OUTPUT = "- {name: Y, type: T, description: The result.}"
GAIN = "- {name: gain, kind: INT, default: 1, description: The factor.}"
TYPES = "T: {types: [tensor(float), tensor(int32)], description: The element type.}"
PLAIN = "outputs: {Y: {type: int32, value: [1, 2]}}"
DOUBLED = "outputs: {Y: {type: float, value: [4, 7]}}"


def stage(loaded: Loaded, faults: Faults) -> None:
    check(loaded, faults)


def named(kind: str, default: str, *edits: Edit, messages: tuple[str, ...] = ()) -> Fault:
    """The output's type comes from the attribute gain, of another kind than before."""
    source = OUTPUT.replace("type: T,", "type: T, type_from: [{attribute: gain}, {variable: T}],")
    gain = GAIN.replace("kind: INT, default: 1", f"kind: {kind}{default}")
    return Fault((Edit(OUTPUT, source), Edit(GAIN, gain), *edits), messages)


CASES = {
    "an output of another type than its variable": fault(
        PLAIN,
        "outputs: {Y: §{type: float, value: [1, 2]}}",
        "'Y' is tensor(float) here, but this call gives tensor(int32), by 'T', the type of 'X'; "
        "write that type",
    ),
    "inputs of two types": fault(
        "bias: {type: float, value: 3}",
        "bias: §{type: int32, value: 3}",
        "'bias' is tensor(int32) here and 'X' is tensor(float); both are of 'T', which is one type "
        "in a call",
    ),
    "another type than an attribute's default names": named(
        "INT",
        ", default: 1",
        Edit(PLAIN, PLAIN.replace("{type", "§{type")),
        Edit("attributes: {gain: 2}", "attributes: {gain: 1}"),
        messages=(
            "'Y' is tensor(int32) here, but this call gives tensor(float), by the attribute "
            "'gain'; write that type",
        ),
    ),
    "another type than an attribute names": named(
        "INT",
        ", default: 6",
        Edit(DOUBLED, DOUBLED.replace("{type", "§{type")),
        Edit("attributes: {gain: 2}", "attributes: {gain: 6}"),
        messages=(
            "'Y' is tensor(float) here, but this call gives tensor(int32), by the attribute "
            "'gain'; write that type",
        ),
    ),
    "a type that the output excludes": named(
        "INT",
        ", default: 6",
        Edit(DOUBLED, DOUBLED.replace("{type", "§{type")),
        Edit("attributes: {gain: 2}", "attributes: {gain: 11}"),
        messages=(
            "'Y' is tensor(float) here, but this call gives tensor(double), by the attribute "
            "'gain'; write that type",
        ),
    ),
    "the number of the type that comes out": named(
        "INT", ", default: 6", Edit("attributes: {gain: 2}", "attributes: {gain: 1}")
    ),
    "a variable, where the attribute is absent": named(
        "INT", "", Edit("attributes: {gain: 2}", "attributes: {gain: 1}")
    ),
    "a flag that is not set, and one that is by default": Fault(
        (
            Edit(
                OUTPUT,
                OUTPUT.replace(
                    "type: T,",
                    "type: T, type_from: [{attribute: gain, fixed: tensor(float)}, "
                    "{fixed: tensor(int32)}],",
                ),
            ),
            Edit(PLAIN, PLAIN.replace("{type", "§{type")),
            Edit(DOUBLED, DOUBLED.replace("{type", "§{type")),
        ),
        (
            "'Y' is tensor(int32) here, but this call gives tensor(float), by the attribute "
            "'gain'; write that type",
            "'Y' is tensor(float) here, but this call gives tensor(int32), by type_from; write "
            "that type",
        ),
    ),
    "a fixed type that is not allowed": fault(
        OUTPUT,
        OUTPUT.replace("type: T,", "type: tensor(float), type_from: [{fixed: §tensor(int8)}],"),
        "'Y' would be tensor(int8), which 'tensor(float)' does not allow; add it to "
        "'tensor(float)', or take the type from elsewhere",
        "specs/com.example/Blend/cases.yaml:4:18: 'Y' does not allow tensor(int32)",
        "specs/com.example/Blend/cases.yaml:8:18: 'Y' is tensor(float) here, but this call gives "
        "tensor(int8), by type_from; write that type",
    ),
    "another type than that of a variable": Fault(
        (
            Edit(
                OUTPUT,
                OUTPUT.replace(
                    "type: T,",
                    "type: T, type_from: [{variable: T, fixed: tensor(int32)}, "
                    "{fixed: tensor(float)}],",
                ),
            ),
            Edit(PLAIN, PLAIN.replace("type: int32", "type: float")),
            Edit(DOUBLED, DOUBLED.replace("{type", "§{type")),
        ),
        (
            "'Y' is tensor(float) here, but this call gives tensor(int32), by another type of 'T'; "
            "write that type",
        ),
    ),
    "a variable that holds more": Fault(
        (
            Edit(OUTPUT, OUTPUT.replace("type: T,", "type: T2, type_from: [{variable: §T}],")),
            Edit(TYPES, f"{TYPES}\n  T2: {{types: [tensor(float)], description: The results.}}"),
        ),
        (
            "'Y' would be tensor(int32), which 'T2' does not allow; add it to 'T2', or take the "
            "type from elsewhere",
            "specs/com.example/Blend/cases.yaml:4:18: 'Y' does not allow tensor(int32)",
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_types_that_do_not_go_together(tmp_path: Path, case: str):
    got, expected = plant(tmp_path, CASES[case], stage)
    got = [line for line in got if "the rule in" not in line]  # which takes gain as it was
    assert got == expected


def test_a_string_may_name_the_type(tmp_path: Path):
    named_so = named(
        "STRING",
        ", default: INT32",
        Edit("attributes: {gain: 2}", "attributes: {gain: INT32}"),
        Edit(DOUBLED, DOUBLED.replace("{type", "§{type")),
        messages=(
            "'Y' is tensor(float) here, but this call gives tensor(int32), by the attribute "
            "'gain'; write that type",
        ),
    )
    got, expected = plant(tmp_path, named_so, stage)
    assert [line for line in got if "the rule in" not in line] == expected
