"""Names that cannot be Python names, or cannot stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.names import check_names
from opmill_gen.load.load import Loaded, load
from opmill_gen.yaml_reader.decode import Faults
from small_project import Fault, Project, fault, fault_of, plant


def stage(loaded: Loaded, faults: Faults) -> None:
    for _, spec in loaded.versions:
        before = len(faults)
        names = check_names(spec, faults)
        assert (names is None) == (len(faults) > before)


X = "{name: X, type: T, "
GAIN = "{name: gain, kind: INT, "
USE = "use letters, digits and underscores"


def operator(name: str, *messages: str) -> Fault:
    return fault("operator: Blend", f"operator: {name}", *messages)


def domain(name: str) -> Fault:
    text = name.strip("'")
    return fault(
        "domain: com.example",
        f"domain: §{name}",
        f"'{text[:40]}' is no domain; write it as com.example.vision",
    )


def reserved(name: str) -> Fault:
    return operator(
        f"Blend\npython_name: §{name}",
        f"'{name}' has a meaning in the generated package; choose another python_name",
    )


FAULTS = {
    "operator: a path": operator("§../Blend", f"'../Blend' cannot name an operator; {USE}"),
    "operator: a folder": operator("§a/b", f"'a/b' cannot name an operator; {USE}"),
    "operator: a space": operator("§My Op", f"'My Op' cannot name an operator; {USE}"),
    "operator: quotes": operator('§\'"""\'', f'\'"""\' cannot name an operator; {USE}'),
    "operator: a digit": operator("§2D", f"'2D' cannot name an operator; {USE}"),
    "operator: empty": operator("§''", f"'' cannot name an operator; {USE}"),
    "operator: a letter beyond ASCII": operator("§Été", f"'Été' cannot name an operator; {USE}"),
    "operator: long": operator(f"§{'x' * 81}", f"'{'x' * 40}' cannot name an operator; {USE}"),
    "operator: reserved": operator(
        "§Infer", "'infer' has a meaning in the generated package; choose another python_name"
    ),
    "operator: like an opset": operator(
        "§Opset13", "'opset13' has a meaning in the generated package; choose another python_name"
    ),
    "operator: hidden": operator(
        "§_Blend", "'_blend' has a meaning in the generated package; choose another python_name"
    ),
    "python_name: SCHEMA": reserved("SCHEMA"),
    "python_name: OPERATOR": reserved("OPERATOR"),
    "python_name: operators": reserved("operators"),
    "python_name: hidden": reserved("_runtime"),
    "python_name: no name": operator(
        "Blend\npython_name: §../x", f"'../x' cannot be a Python name; {USE}"
    ),
    "domain: a path": domain("../example"),
    "domain: a folder": domain("com/example"),
    "domain: a space": domain("com example"),
    "domain: a dash": domain("com-example"),
    "domain: empty": domain("''"),
    "domain: dots": domain("com..example"),
    "version 0": fault(
        "since_version: 1", "since_version: §0", "versions count from 1 to 1000 at most"
    ),
    "version -1": fault(
        "since_version: 1", "since_version: §-1", "versions count from 1 to 1000 at most"
    ),
    "input: a path": fault(
        X,
        "{name: §../X, type: T, ",
        f"'../X' cannot name a parameter; {USE}",
    ),
    "input: a python_name with a dash": fault(
        X, "{name: X, python_name: §x-1, type: T, ", f"'x-1' cannot be a Python name; {USE}"
    ),
    "output: a space": fault(
        "{name: Y, type: T, ",
        "{name: §Y 1, python_name: Y1, type: T, ",
        f"'Y 1' cannot name a parameter; {USE}",
    ),
    "attribute: a quote": fault(
        GAIN,
        "{name: §'gain\"', kind: INT, ",
        f"'gain\"' cannot name an attribute; {USE}",
    ),
    "input: out": fault(
        X,
        "{name: §out, type: T, ",
        "'out' is the buffer to write to in every function; give the input a python_name",
    ),
    "attribute: outputs": fault(
        GAIN,
        "{name: §outputs, kind: INT, ",
        "'outputs' is the number of outputs asked for in every function; "
        "give the attribute a python_name",
    ),
    "input: OPERATOR": fault(
        X,
        "{name: §OPERATOR, type: T, ",
        "'OPERATOR' is the operator itself in every function; give the input a python_name",
    ),
    "an input twice": fault_of(
        [
            (X, "{name: bias, type: T, "),
            ("{name: bias, type: T, option", "{name: §§bias, type: T, option"),
        ],
        "the input 'bias' and the input 'bias' would both be 'bias' in Python; "
        "give one a python_name",
        "there is an input 'bias' already",
    ),
    "an output twice": fault(
        "{name: Y, type: T, description: The result.}",
        "{name: Y, type: T, description: The result.}\n"
        "  - {name: §Y, type: T, description: Again.}",
        "there is an output 'Y' already",
    ),
    "an attribute like an input": fault(
        GAIN,
        "{name: §bias, kind: INT, ",
        "the attribute 'bias' and the input 'bias' would both be 'bias' in Python; "
        "give one a python_name",
    ),
    "a keyword beside its other name": fault(
        X,
        "{name: if_, type: T, description: The data.}\n  - {name: §if, type: T, ",
        "the input 'if' and the input 'if_' would both be 'if_' in Python; give one a python_name",
    ),
    "a python_name that is taken": fault(
        GAIN,
        "{name: §gain, python_name: X, kind: INT, ",
        "the attribute 'gain' and the input 'X' would both be 'X' in Python; "
        "give one a python_name",
    ),
}


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted, stage)
    assert found == expected


def test_names_that_are_made(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("operator: Blend", "operator: If")
    project.edit(X, "{name: lambda, type: T, ")
    project.edit("{name: Y, type: T,", "{name: X, type: T,")
    project.edit(GAIN, "{name: gain, python_name: the_gain, kind: INT, ")
    faults = Faults()
    ((_, spec),) = load(project.sources, faults).versions
    names = check_names(spec, faults)
    assert not faults
    assert names is not None
    assert names.package == "if_"
    assert names.parameters == {"lambda": "lambda_", "bias": "bias"}
    assert names.attributes == {"gain": "the_gain", "mode": "mode"}
