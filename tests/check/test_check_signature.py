"""Type variables, options, type sources and defaults that cannot be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.signature import check_signature
from opmill_gen.load.load import Loaded
from opmill_gen.yaml_reader.decode import Faults
from small_project import SPEC, Fault, Project, fault, fault_of, faults_of, plant


def stage(loaded: Loaded, faults: Faults) -> None:
    for _, spec in loaded.versions:
        check_signature(spec, faults)


X = "{name: X, type: T, description: The data.}"
BIAS = "{name: bias, type: T, option: optional, description: What is added.}"
Y = "{name: Y, type: T, description: The result.}"
GAIN = "{name: gain, kind: INT, default: 1, description: The factor.}"
MODE = "default: flat, allowed: [flat, steep]"
TYPES = "T: {types: [tensor(float), tensor(int32)], description: The element type.}"

T1 = "T1: {types: [tensor(int32), tensor(int64)], description: Another.}"


def gain(facts: str, *messages: str) -> Fault:
    """A fault in the attribute ``gain``."""
    return fault(GAIN, f"{{name: gain, {facts}, description: The factor.}}", *messages)


FAULTS = {
    "undeclared variable": fault(
        X,
        X.replace("type: T", "type: §U"),
        "type variable 'U' is not declared under type_constraints; expected T",
    ),
    "undeclared variable of an output": fault(
        Y,
        "{name: Y, type: §T1, type_from: [{fixed: tensor(float)}], description: The result.}",
        "type variable 'T1' is not declared under type_constraints; did you mean 'T'?",
    ),
    "unused variable": fault(
        TYPES,
        f"{TYPES}\n  {T1.replace('{', '§{')}",
        "no parameter uses 'T1'; use it, remove it, or say 'unused: true' where ONNX declares it "
        "so",
    ),
    "a variable of an odd name": fault(
        TYPES,
        f'{TYPES}\n  \'"""\': §{{types: [tensor(int64)], unused: true, description: D.}}',
        '\'"""\' cannot name a type variable; use letters, digits and underscores',
    ),
    "used, and said not to be": fault(
        TYPES,
        TYPES.replace("description", "unused: §true, description"),
        "'T' is used; remove 'unused: true'",
    ),
    "no type": fault(TYPES, "T: §{types: [], description: The element type.}", "'T' names no type"),
    "types out of order": fault(
        "[tensor(float), tensor(int32)]",
        "§[tensor(int32), tensor(float)]",
        "the types of 'T' are not in alphabetical order: 'tensor(float)' before 'tensor(int32)'",
    ),
    "a type twice": fault(
        "[tensor(float), tensor(int32)]",
        "§[tensor(float), tensor(float), tensor(int32)]",
        "'tensor(float)' is listed twice among the types of 'T'; remove one",
    ),
    "a variadic before the last": fault(
        X,
        "{name: X, type: T, option: §variadic, description: The data.}",
        "only the last parameter can be variadic",
    ),
    "min_arity of a single": fault(
        X,
        "§{name: X, type: T, min_arity: 2, description: The data.}",
        "min_arity and homogeneous: false are for variadic parameters",
    ),
    "min_arity of a single, though it is the default": fault(
        X,
        "§{name: X, type: T, min_arity: 1, description: The data.}",
        "min_arity and homogeneous: false are for variadic parameters",
    ),
    "homogeneous: false of an optional": fault(
        BIAS,
        "§" + BIAS.replace("description", "homogeneous: false, description"),
        "min_arity and homogeneous: false are for variadic parameters",
    ),
    "negative min_arity": fault(
        BIAS,
        "{name: bias, type: T, option: variadic, min_arity: §-1, description: What is added.}",
        "min_arity must be >= 0",
    ),
    "type_from of an input": fault(
        X,
        "{name: X, type: T, type_from: §[{attribute: gain}], description: The data.}",
        "only outputs have type_from; remove it",
    ),
    "a type that nothing binds": fault_of(
        [(TYPES, f"{TYPES}\n  {T1}"), (Y, Y.replace("type: T", "type: §T1"))],
        "no input binds 'T1'; say where the type of 'Y' comes from, "
        "as type_from: [{attribute: to}]",
    ),
    "type_from of nothing": fault(
        Y,
        "{name: Y, type: T, type_from: [§{}], description: The result.}",
        "a source of a type is one of attribute, variable, fixed",
    ),
    "type_from of two": fault(
        Y,
        "{name: Y, type: T, type_from: [§{attribute: gain, variable: T}], description: R.}",
        "a source of a type is one of attribute, variable, fixed",
    ),
    "type_from of an unknown attribute": fault(
        Y,
        "{name: Y, type: T, type_from: [{attribute: §gian}], description: The result.}",
        "there is no attribute 'gian'; did you mean 'gain'?",
    ),
    "type_from of a variable that no input has": fault(
        Y,
        "{name: Y, type: T, type_from: [{variable: §T2}], description: The result.}",
        "no input has the type 'T2'",
    ),
    "allowed words of a number": gain(
        "kind: INT, default: 1, allowed: §['1']", "only a STRING has allowed words"
    ),
    "a default of a required attribute": gain(
        "kind: INT, required: true, default: §1",
        "a required attribute has no default; remove one",
    ),
    "INT: text": gain(
        "kind: INT, default: §one",
        "the default of gain must be a whole number, got text 'one'",
    ),
    "INT: a fraction": gain(
        "kind: INT, default: §1.0",
        "the default of gain must be a whole number, got the number 1.0",
    ),
    "INT: truth": gain(
        "kind: INT, default: §true", "the default of gain must be a whole number, got 'true'"
    ),
    "INT: beyond int64": gain(
        "kind: INT, default: §9223372036854775808",
        "the default of gain must be a whole number, got the number 9223372036854775808",
    ),
    "INT: a list": gain(
        "kind: INT, default: §[1]", "the default of gain must be a whole number, got a list"
    ),
    "FLOAT: text": gain(
        "kind: FLOAT, default: §'1'", "the default of gain must be a number, got text '1'"
    ),
    "FLOAT: truth": gain(
        "kind: FLOAT, default: §false", "the default of gain must be a number, got 'false'"
    ),
    "STRING: a number": gain(
        "kind: STRING, default: §1", "the default of gain must be text, got the number 1"
    ),
    "INTS: one number": gain(
        "kind: INTS, default: §1", "the default of gain must be a list, got the number 1"
    ),
    "INTS: text inside": gain(
        "kind: INTS, default: §[1, x]",
        "the default of gain must hold a whole number each, got text 'x'",
    ),
    "FLOATS: a list inside": gain(
        "kind: FLOATS, default: §[1, [2]]",
        "the default of gain must hold a number each, got a list",
    ),
    "STRINGS: a number inside": gain(
        "kind: STRINGS, default: §[a, 1]",
        "the default of gain must hold text each, got the number 1",
    ),
    "TYPE_PROTO: a number": gain(
        "kind: TYPE_PROTO, default: §1",
        "the default of gain must be a type as tensor(float), got the number 1",
    ),
    "TYPE_PROTO: no type": gain(
        "kind: TYPE_PROTO, default: §tensor(real)",
        "the default of gain must be a type: 'real' is no element type of ONNX",
    ),
    "a default that is not allowed": fault(
        MODE,
        "default: §flatt, allowed: [flat, steep]",
        "the default 'flatt' is not allowed; did you mean 'flat'?",
    ),
    "a default far from what is allowed": fault(
        MODE,
        "default: §round, allowed: [flat, steep]",
        "the default 'round' is not allowed; expected flat or steep",
    ),
}


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted, stage)
    assert found == expected


RIGHT = {
    "an input of a fixed type": (X, f"{X}\n  - {{name: Z, type: tensor(int8), description: Z.}}"),
    "a variadic that may be empty": (BIAS, BIAS.replace("optional", "variadic, min_arity: 0")),
    "a variadic of many types": (BIAS, BIAS.replace("optional", "variadic, homogeneous: false")),
    "an output of a fixed type": (Y, Y.replace("type: T", "type: tensor(int64)")),
    "all sources of a type": (
        Y,
        "{name: Y, type: T, description: The result., "
        "type_from: [{attribute: gain}, {variable: T}, {fixed: tensor(float)}]}",
    ),
    "unused, and said to be": (TYPES, f"{TYPES}\n  {T1.replace('descr', 'unused: true, descr')}"),
    "no default": (GAIN, GAIN.replace("default: 1, ", "")),
    "a whole FLOAT": (GAIN, GAIN.replace("INT", "FLOAT")),
    "an infinite FLOAT": (GAIN, GAIN.replace("INT, default: 1", "FLOAT, default: -inf")),
    "no INTS": (GAIN, GAIN.replace("INT, default: 1", "INTS, default: []")),
    "FLOATS": (GAIN, GAIN.replace("INT, default: 1", "FLOATS, default: [1, 2.5]")),
    "STRINGS": (GAIN, GAIN.replace("INT, default: 1", "STRINGS, default: [a, '1']")),
    "the least INT": (GAIN, GAIN.replace("default: 1", "default: -9223372036854775808")),
    "a type": (GAIN, GAIN.replace("INT, default: 1", "TYPE_PROTO, default: seq(tensor(int8))")),
    "a graph": (GAIN, GAIN.replace("INT, default: 1", "GRAPH, required: true")),
}


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT.keys())
def test_what_is_right(tmp_path: Path, old: str, new: str):
    project = Project(tmp_path)
    project.edit(old, new)
    assert faults_of(project, stage) == []


def test_every_fault_of_a_file_is_reported(tmp_path: Path):
    project = Project(tmp_path)
    project.edit(X, X.replace("type: T", "type: U"))
    project.edit(BIAS, BIAS.replace("type: T", "type: V"))
    project.edit(GAIN, GAIN.replace("default: 1", "default: x"))
    assert faults_of(project, stage) == [
        f"{SPEC}:11:21: type variable 'U' is not declared under type_constraints; expected T",
        f"{SPEC}:12:24: type variable 'V' is not declared under type_constraints; expected T",
        f"{SPEC}:14:21: no input binds 'T'; say where the type of 'Y' comes from, as type_from: "
        "[{attribute: to}]",
        f"{SPEC}:16:38: the default of gain must be a whole number, got text 'x'",
    ]
