"""Faults of form: what a file of the wrong keys and values is answered with, and where.

The project of ``small_project`` is right; each case plants a fault, marks its place with ``§``,
and gives the exact words. Nothing but these words may be reported.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from small_project import (
    FAMILY,
    FILES,
    INDEX,
    SPEC,
    Fault,
    Project,
    fault,
    faults_of,
    plant,
)

VERSION_KEYS = (
    "operator, domain, since_version, support_level, function, shape_inference, deprecated, "
    "determinism, summary, family or accuracy"
)
KINDS = (
    "FLOAT, INT, STRING, TENSOR, GRAPH, SPARSE_TENSOR, TYPE_PROTO, FLOATS, INTS, STRINGS, "
    "TENSORS, GRAPHS, SPARSE_TENSORS or TYPE_PROTOS"
)
PARAMETER_KEYS = (
    "name, type, description, option, homogeneous, min_arity, differentiable, python_name or "
    "type_from"
)
GAIN = "{name: gain, kind: INT, default: 1, description: The factor.}"

FAULTS = {
    "unknown key, close": fault(
        "determinism: deterministic",
        "determinism: deterministic\n§chnages: []",
        "unknown key 'chnages'; did you mean 'changes'?",
    ),
    "a key of another file": fault(
        "determinism: deterministic",
        "determinism: deterministic\n§examples: []\n§errata: []",
        "the key 'examples' belongs in cases.yaml, beside this file",
        "the key 'errata' belongs in errata.yaml, beside this file",
    ),
    "unknown key, not close": fault(
        "{name: Y, type: T, description: The result.}",
        "{name: Y, type: T, description: The result., §zzz: 1}",
        f"unknown key 'zzz'; expected {PARAMETER_KEYS}",
    ),
    "merge key": fault(
        "{name: Y, type: T, description: The result.}",
        "{name: Y, type: T, description: The result., §<<: {option: single}}",
        f"unknown key '<<'; expected {PARAMETER_KEYS}",
    ),
    "missing key": fault(
        "domain: com.example\n",
        "",
        f"{SPEC}:1:1: key 'domain' is missing; it gives the operator's domain, as ai.onnx",
    ),
    "missing keys of a part": fault(
        "{name: Y, type: T, description: The result.}",
        "§{name: Y}",
        f"{SPEC}:14:5: key 'description' is missing; it gives what it holds, in our own words",
        "key 'type' is missing; it gives a type variable as T, or a type as tensor(int64)",
    ),
    "text for a mapping": fault(
        "{name: Y, type: T, description: The result.}",
        "§Y",
        "expected a mapping with the keys name, type or description (An input or an output), "
        "got text 'Y'",
    ),
    "a list for the file": fault(
        "",
        "§- 1\n",
        f"expected a mapping with the keys {VERSION_KEYS} (One version of one operator), "
        "got a list",
    ),
    "text for the file": fault(
        "",
        "§Tile",
        f"expected a mapping with the keys {VERSION_KEYS} (One version of one operator), "
        "got text 'Tile'",
    ),
    "a mapping for a list": fault(
        "outputs:\n  - {name: Y, type: T, description: The result.}",
        "outputs:\n  §name: Y",
        "expected a list, got a mapping",
    ),
    "nothing for a list": fault(
        "outputs:\n  - {name: Y, type: T, description: The result.}",
        "outputs:§",
        "expected a list, got nothing",
    ),
    "a list for a mapping": fault(
        "attributes: {gain: 2}",
        "attributes: §[gain, 2]",
        "expected a mapping, got a list",
    ),
    "text where truth is due": fault(
        "function: false", "function: §no", "expected true or false, got text 'no'"
    ),
    "quoted truth": fault(
        "function: false", "function: §'false'", "expected true or false, got text 'false'"
    ),
    "a number where truth is due": fault(
        "deprecated: false", "deprecated: §0", "expected true or false, got the number 0"
    ),
    "truth where a number is due": fault(
        "since_version: 1", "since_version: §true", "expected a whole number, got 'true'"
    ),
    "a fraction where a whole number is due": fault(
        "since_version: 1", "since_version: §1.0", "expected a whole number, got the number 1.0"
    ),
    "a quoted number": fault(
        "since_version: 1", "since_version: §'1'", "expected a whole number, got text '1'"
    ),
    "a list where a number is due": fault(
        "since_version: 1", "since_version: §[1]", "expected a whole number, got a list"
    ),
    "nothing where text is due": fault(
        "operator: Blend", "operator:§", "expected text, got nothing"
    ),
    "a mapping where text is due": fault(
        "operator: Blend", "operator: §{a: 1}", "expected text, got a mapping"
    ),
    "unknown word, close": fault(
        "support_level: common",
        "support_level: §comon",
        "'comon' is unknown here; did you mean 'common'?",
    ),
    "unknown word, not close": fault(
        "determinism: deterministic",
        "determinism: §maybe",
        "'maybe' is unknown here; expected deterministic, non_deterministic or unknown",
    ),
    "a word in other case": fault(
        "kind: INT", "kind: §int", "'int' is unknown here; did you mean 'INT'?"
    ),
    "a long unknown word is cut": fault(
        "support_level: common",
        f"support_level: §{'x' * 60}",
        f"'{'x' * 40}' is unknown here; expected common or experimental",
    ),
    "a list where a word is due": fault(
        "support_level: common",
        "support_level: §[common]",
        "expected common or experimental, got a list",
    ),
    "unknown option": fault(
        "option: optional", "option: §option", "'option' is unknown here; did you mean 'optional'?"
    ),
    "unknown error class": fault(
        "raises: ShapeError",
        "raises: §AttributeError",
        "'AttributeError' is unknown here; did you mean 'AttributeValueError'?",
    ),
    "no type": fault(
        "{name: X, type: T,",
        "{name: X, type: §'float32[]',",
        "'float32[]' is no type; write it as tensor(float) or seq(tensor(float))",
    ),
    "an element type for a type": fault(
        "{name: X, type: T,",
        "{name: X, type: §float,",
        "'float' is an element type; write tensor(float)",
    ),
    "an unknown element type": fault(
        "[tensor(float), tensor(int32)]",
        "[tensor(float), §tensor(int31)]",
        "'int31' is no element type of ONNX; did you mean 'int32'?",
    ),
    "an unknown kind of type": fault(
        "[tensor(float), tensor(int32)]",
        "[§array(float), tensor(int32)]",
        "'array(...)' is no type; expected tensor, sparse_tensor, seq, optional or map",
    ),
    "a map without a value": fault(
        "[tensor(float), tensor(int32)]",
        "[§map(string), tensor(int32)]",
        "'map(string)' lacks a value type; write map(string, float)",
    ),
    "a variable where a type is due": fault(
        "[tensor(float), tensor(int32)]",
        "[§T, tensor(int32)]",
        "'T' is no type; write it as tensor(float) or seq(tensor(float))",
    ),
    "every fault of a list": fault(
        "[tensor(float), tensor(int32)]",
        "[§tensor(a), tensor(float), §tensor(b)]",
        "'a' is no element type of ONNX",
        "'b' is no element type of ONNX",
    ),
    "family: no name": fault(
        "family: {name: blend, with: {step: 2}}",
        "family: §[blend]",
        "expected a family's name, or {name: ..., rule: ..., with: {...}}",
    ),
    "family: a number": fault(
        "family: {name: blend, with: {step: 2}}",
        "family: §7",
        "expected a family's name, or {name: ..., rule: ..., with: {...}}",
    ),
    "family: another key": fault(
        "family: {name: blend, with: {step: 2}}",
        "family: §{name: blend, step: 2}",
        "expected a family's name, or {name: ..., rule: ..., with: {...}}",
    ),
    "family: name is missing": fault(
        "family: {name: blend, with: {step: 2}}",
        "family: §{with: {step: 2}}",
        "key 'name' is missing; it names the family",
    ),
    "family: a list of parameters": fault(
        "with: {step: 2}",
        "with: §[step, 2]",
        "expected a mapping of the family's parameters",
    ),
    "family: a list as a parameter": fault(
        "with: {step: 2}",
        "with: {step: §[2]}",
        "a family's parameter is text, a whole number or a bool",
    ),
    "family: a fraction as a parameter": fault(
        "with: {step: 2}",
        "with: {step: §2.5}",
        "a family's parameter is text, a whole number or a bool",
    ),
    "accuracy: another word": fault(
        "accuracy: {float: {rtol: 1e-06, atol: 0}}",
        "accuracy: §close",
        "expected exact, or {float: {rtol: 1e-5, atol: 1e-6}, ...}",
    ),
    "accuracy: no element type": fault(
        "accuracy: {float: {rtol: 1e-06, atol: 0}}",
        "accuracy: {§float3: {rtol: 1e-06, atol: 0}}",
        "'float3' is unknown here; did you mean 'float'?",
    ),
    "accuracy: half a tolerance": fault(
        "{rtol: 1e-06, atol: 0}",
        "§{rtol: 1e-06}",
        "key 'atol' is missing; it gives the absolute part",
    ),
    "accuracy: a number alone": fault(
        "accuracy: {float: {rtol: 1e-06, atol: 0}}",
        "accuracy: {float: §1e-06}",
        "expected a mapping with the keys rtol or atol (Maximum distance of a floating-point "
        "result from the exact one), got the number 1e-06",
    ),
    "accuracy: text": fault("atol: 0", "atol: §small", "expected a number >= 0, as 1e-5"),
    "accuracy: quoted": fault("atol: 0", "atol: §'0'", "expected a number >= 0, as 1e-5"),
    "accuracy: truth": fault("atol: 0", "atol: §true", "expected a number >= 0, as 1e-5"),
    "accuracy: negative": fault("atol: 0", "atol: §-1", "expected a number >= 0, as 1e-5"),
    "accuracy: nan": fault("rtol: 1e-06", "rtol: §nan", "expected a number >= 0, as 1e-5"),
    "accuracy: infinite": fault("rtol: 1e-06", "rtol: §inf", "expected a number >= 0, as 1e-5"),
    "type_from: no source": fault(
        "{name: Y, type: T, description: The result.}",
        "{name: Y, type: T, description: The result., type_from: [§to]}",
        "expected a mapping with the keys  (The source of an output's type: one of three keys, or "
        "a fixed type with another), got text 'to'",
    ),
    "rejects: inputs of one value": fault(
        "inputs: {X: {type: int32, value: [[1]]}}",
        "inputs: §X",
        "expected a mapping, got text 'X'",
    ),
    "index: no operators": fault(
        "operators:\n  Blend: {versions: [1, 2, 3], deprecated: [3]}\n",
        "",
        f"{INDEX}:1:1: key 'operators' is missing; it gives the operators, in alphabetical order",
        file=INDEX,
    ),
    "index: a word as a version": fault(
        "[1, 2, 3]", "[1, §two, 3]", "expected a whole number, got text 'two'", file=INDEX
    ),
    "family.yaml: unknown kind": fault(
        "kind: integer",
        "kind: §int",
        "'int' is unknown here; did you mean 'integer'?",
        file=FAMILY,
    ),
    "family.yaml: unknown backend": fault(
        "",
        "summary: Blends.\ngaps:\n  - {backend: §cuda, reason: none}\n",
        "'cuda' is unknown here; expected numpy or c",
        file=FAMILY,
    ),
    "not YAML": fault(
        "domain: com.example",
        "domain: com: example",
        f"{SPEC}:2:12: not valid YAML: mapping values are not allowed in this context; "
        "put text that holds ': ' in quotes",
    ),
    "a key given twice": fault(
        "function: false",
        "function: false\n§function: true",
        "key 'function' is repeated; the first is on line 5: remove one",
    ),
}


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted)
    assert found == expected


def test_the_small_project_has_no_fault(tmp_path: Path):
    assert faults_of(Project(tmp_path)) == []


def test_all_faults_of_all_files_are_reported_at_once_in_order(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/com.example/Blend/10.yaml", FILES[SPEC].replace("operator: Blend", "x: 1"))
    project.edit("function: false", "function: perhaps")
    project.edit("gain: 2", "gain: 2, gain: 3")
    project.put("specs/com.example/Blend/2.yaml", FILES[SPEC].replace("kind: INT", "kind: INTEGER"))
    project.edit("kind: boolean", "kind: bool", FAMILY)
    project.edit("opset: 3", "opset: three", INDEX)
    keys = (
        "operator, domain, since_version, support_level, function, shape_inference, deprecated, "
        "determinism, summary, inputs, outputs, attributes, type_constraints, family, accuracy, "
        "changes, source, python_name or node_domain"
    )
    assert faults_of(project) == [
        "families/blend/family.yaml:5:16: 'bool' is unknown here; did you mean 'boolean'?",
        "specs/com.example/Blend/1.yaml:5:11: expected true or false, got text 'perhaps'",
        "specs/com.example/Blend/10.yaml:1:1: key 'operator' is missing; it gives ONNX's name of "
        "the operator",
        f"specs/com.example/Blend/10.yaml:1:1: unknown key 'x'; expected {keys}",
        "specs/com.example/Blend/2.yaml:16:24: 'INTEGER' is unknown here; did you mean 'INT'?",
        "specs/com.example/Blend/cases.yaml:7:27: key 'gain' is repeated; the first "
        "is on line 7: remove one",
        "specs/com.example/index.yaml:2:8: expected a whole number, got text 'three'",
    ]


def test_places_are_sorted_as_numbers(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("name: gain, kind: INT", "name: gain, kind: A")
    project.edit("since_version: 1", "since_version: one")
    project.edit("function: false", "function: 1")
    assert [line.split(" ")[0] for line in faults_of(project)] == [
        f"{SPEC}:3:16:",
        f"{SPEC}:5:11:",
        f"{SPEC}:16:24:",
    ]
