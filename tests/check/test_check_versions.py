"""Faults between files: place, index, family, neighbouring versions, colliding packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import Loaded, load
from opmill_gen.yaml_reader.decode import Faults
from small_project import (
    CASES,
    FAMILY,
    FILES,
    INDEX,
    RULES,
    SPEC,
    Fault,
    Project,
    fault,
    faults_of,
    lines_of,
    plant,
)

SECOND = "specs/com.example/Blend/2.yaml"
CHANGE = "changes:\n  - {what: More., shown_by: plain}\nsource:"


def stage(loaded: Loaded, faults: Faults) -> None:
    check(loaded, faults)


USE = "family: {name: blend, with: {step: 2}}"
MOVE = f"{SPEC}:1:1: this file describes"

FAULTS = {
    "another operator": fault(
        "operator: Blend",
        "operator: §Blond",
        f"{MOVE} Blond-1 of com.example; move it to specs/com.example/Blond/1.yaml",
        "com.example/index.yaml has no operator 'Blond'; did you mean 'Blend'?",
    ),
    "another domain": fault(
        "domain: com.example",
        "domain: com.exampel",
        f"{MOVE} Blend-1 of com.exampel; move it to specs/com.exampel/Blend/1.yaml",
    ),
    "nodes of its own domain": fault(
        "domain: com.example",
        "domain: com.example\nnode_domain: §com.example",
        "'com.example' is no other domain than com.example; leave node_domain out",
    ),
    "a version that is not published": fault(
        "since_version: 1",
        "since_version: §4",
        f"{MOVE} Blend-4 of com.example; move it to specs/com.example/Blend/4.yaml",
        "com.example/index.yaml has no version 4 of Blend; it has 1, 2, 3",
    ),
    "deprecated, and not so in the index": fault(
        "deprecated: false",
        "deprecated: §true",
        "com.example/index.yaml says otherwise of Blend-1; change this or its list 'deprecated'",
    ),
    "index: another domain": fault(
        "domain: com.example",
        "domain: §com.other",
        "the index of 'com.other' is in the folder 'com.example'",
        file=INDEX,
    ),
    "index: versions descend": fault(
        "{versions: [1, 2, 3], deprecated: [3]}",
        "§{versions: [1, 3, 2], deprecated: [3]}",
        "the versions of Blend must ascend from 1 or more",
        file=INDEX,
    ),
    "index: a version twice": fault(
        "{versions: [1, 2, 3], deprecated: [3]}",
        "§{versions: [1, 1]}",
        "the versions of Blend must ascend from 1 or more",
        file=INDEX,
    ),
    "index: version 0": fault(
        "{versions: [1, 2, 3], deprecated: [3]}",
        "§{versions: [0, 1]}",
        "the versions of Blend must ascend from 1 or more",
        file=INDEX,
    ),
    "index: no version": fault(
        "deprecated: [3]}\n",
        "deprecated: [3]}\n  Other: §{versions: []}\n",
        "the versions of Other must ascend from 1 or more",
        file=INDEX,
    ),
    "index: newer than the opset": fault(
        "{versions: [1, 2, 3], deprecated: [3]}",
        "§{versions: [1, 4]}",
        "version 4 of Blend is newer than opset 3",
        file=INDEX,
    ),
    "index: deprecated and not published": fault(
        "{versions: [1, 2, 3], deprecated: [3]}",
        "§{versions: [1, 2], deprecated: [3]}",
        "deprecated version 3 of Blend is not published",
        file=INDEX,
    ),
    "index: a path for a name": fault(
        "deprecated: [3]}\n",
        "deprecated: [3]}\n  ../Other: §{versions: [1]}\n",
        "'../Other' cannot name an operator; use letters, digits and underscores",
        file=INDEX,
    ),
    "unknown family, close": fault(
        USE, "family: §blent", "there is no family 'blent'; did you mean 'blend'?"
    ),
    "unknown family, not close": fault(
        USE, "family: §../../x", "there is no family '../../x'; expected blend"
    ),
    "a parameter is missing": fault(
        USE,
        "family: §blend",
        "family 'blend' needs the parameter 'step'; write {name: blend, with: {step: ...}}",
    ),
    "unknown parameter": fault(
        "{step: 2}",
        "{step: 2, shadow: §dark}",
        "family 'blend' has no parameter 'shadow'; did you mean 'shade'?",
    ),
    "a parameter of another kind": fault(
        "{step: 2}",
        "{step: §two, loud: §1, shade: §3}",
        "parameter 'step' of family 'blend' must be a whole number",
        "parameter 'loud' of family 'blend' must be true or false",
        "parameter 'shade' of family 'blend' must be text",
    ),
    "truth for a whole number": fault(
        "{step: 2}", "{step: §true}", "parameter 'step' of family 'blend' must be a whole number"
    ),
    "a word that is not allowed": fault(
        "{step: 2}",
        "{step: 2, shade: §lihgt}",
        "'lihgt' is unknown to family 'blend'; did you mean 'light'?",
    ),
    "a word far from those allowed": fault(
        "{step: 2}",
        "{step: 2, shade: §blue}",
        "'blue' is unknown to family 'blend'; expected dark or light",
    ),
}


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted, stage)
    assert found == expected


def with_second_version(root: Path) -> Project:
    project = Project(root)
    text = FILES[SPEC].replace("since_version: 1", "since_version: 2")
    project.put(SECOND, text.replace("source:", CHANGE))
    return project


def test_two_versions_are_right(tmp_path: Path):
    assert faults_of(with_second_version(tmp_path), stage) == []


def test_a_later_version_says_what_changed(tmp_path: Path):
    project = with_second_version(tmp_path)
    project.edit(CHANGE, "source:", SECOND)
    assert faults_of(project, stage) == [
        f"{SECOND}:1:1: key 'changes' is missing; it says what differs from Blend-1 in meaning"
    ]


PROSE = {
    "summary": ("Multiplies X with", "Multiplies each X with"),
    "inputs.bias": ("What is added.", "What is added last."),
    "outputs.Y": ("The result.", "The outcome."),
    "attributes.gain": ("The factor.", "A factor."),
    "type_constraints.T": ("The element type.", "Its element type."),
}


@pytest.mark.parametrize(("entry", "edit"), PROSE.items(), ids=PROSE.keys())
def test_a_text_that_differs_belongs_to_a_change(tmp_path: Path, entry: str, edit: tuple[str, str]):
    project = with_second_version(tmp_path)
    project.edit(*edit, SECOND)
    assert faults_of(project, stage) == [
        f"{SECOND}:1:1: the text of {entry} differs from Blend-1; make it the same, or name "
        f"'{entry}' under 'prose' of the change that it describes"
    ]
    project.edit("shown_by: plain}", f"shown_by: plain, prose: [{entry}]}}", SECOND)
    assert faults_of(project, stage) == []


def test_prose_that_there_is_not(tmp_path: Path):
    project = with_second_version(tmp_path)
    project.edit("plain}", "plain, prose: §§[inputs.Z, inputs.X, sumary]}", SECOND)
    assert faults_of(project, stage) == project.expected(
        [
            "there is no description 'inputs.Z'; did you mean 'inputs.X'?",
            "there is no description 'sumary'; did you mean 'summary'?",
        ]
    )


def test_versions_are_compared_with_the_one_before(tmp_path: Path):
    project = with_second_version(tmp_path)
    project.edit("versions: [1, 2, 3], deprecated: [3]", "versions: [1, 2, 10]", INDEX)
    project.edit("opset: 3", "opset: 10", INDEX)
    second = project.text(SECOND).replace("The factor.", "Another factor.")
    project.put(
        SECOND, second.replace("shown_by: plain}", "shown_by: plain, prose: [attributes.gain]}")
    )
    tenth = "specs/com.example/Blend/10.yaml"
    project.put(tenth, second.replace("since_version: 2", "since_version: 10"))
    assert faults_of(project, stage) == []


def test_nodes_of_a_domain_that_has_the_operator(tmp_path: Path):
    project = Project(tmp_path)
    index = project.text(INDEX).replace("com.example", "com.other")
    project.put(INDEX.replace("com.example", "com.other"), index)
    project.edit("domain: com.example", "domain: com.example\nnode_domain: §com.other")
    message = "com.other has an operator Blend of its own"
    assert faults_of(project, stage) == project.expected([message])


def test_there_is_no_spec(tmp_path: Path):
    project = Project(tmp_path)
    project.remove(SPEC, CASES)
    assert faults_of(project, stage) == [
        "specs: no spec found; write one as specs/<domain>/<Operator>/<version>.yaml"
    ]


def test_a_spec_in_a_deeper_folder(tmp_path: Path):
    project = Project(tmp_path)
    deeper = "specs/more/com.example/Blend/1.yaml"
    project.put(deeper, FILES[SPEC])
    project.put("specs/more/com.example/Blend/cases.yaml", FILES[CASES])
    project.remove(SPEC, CASES)
    assert faults_of(project, stage) == [
        f"{deeper}:1:1: this file describes Blend-1 of com.example; "
        "move it to specs/com.example/Blend/1.yaml"
    ]


def another(project: Project, operator: str, domain: str = "com.example") -> str:
    """A second operator, like the first but for its name."""
    path = f"specs/{domain}/{operator}/1.yaml"
    text = FILES[SPEC].replace("operator: Blend", f"operator: {operator}")
    project.put(path, text.replace("domain: com.example", f"domain: {domain}"))
    project.put(f"specs/{domain}/{operator}/cases.yaml", FILES[CASES])
    (project.root / INDEX).unlink(missing_ok=True)
    return path


def test_two_operators_of_one_python_name(tmp_path: Path):
    project = Project(tmp_path)
    path = another(project, "BLEND")
    assert faults_of(project, stage) == [
        f"{SPEC}:1:11: Blend and BLEND of com.example would both be 'com_example_blend' in C; give "
        "one a python_name, or rename a domain",
        f"{SPEC}:1:11: Blend and BLEND would share the Python package 'blend'; "
        "give one a python_name",
    ]
    project.edit("operator: BLEND", "operator: BLEND\npython_name: loud_blend", path)
    assert faults_of(project, stage) == []


def test_two_domains_of_one_python_name(tmp_path: Path):
    project = Project(tmp_path)
    path = another(project, "Other", "com.Example")
    assert faults_of(project, stage) == [
        f"{SPEC}:2:9: the domains com.Example and com.example would share the Python package "
        "'com_example'; rename one"
    ]
    assert path != SPEC


def test_a_domain_of_the_name_of_an_operator(tmp_path: Path):
    project = Project(tmp_path)
    another(project, "Other", "ai.onnx")
    path = another(project, "Third", "other")
    assert faults_of(project, stage) == [
        f"{path}:2:9: the Python package 'other' of this domain has another meaning; "
        "rename the domain"
    ]


@pytest.mark.parametrize("domain", ["operators", "_runtime", "_families", "opset13"])
def test_a_domain_of_a_reserved_name(tmp_path: Path, domain: str):
    project = Project(tmp_path)
    path = another(project, "Other", domain)
    assert faults_of(project, stage) == [
        f"{path}:2:9: the Python package '{domain}' of this domain has another meaning; "
        "rename the domain"
    ]


def test_a_domain_of_a_keyword_gets_an_underscore(tmp_path: Path):
    project = Project(tmp_path)
    another(project, "Other", "import")
    assert faults_of(project, stage) == []


def test_a_version_that_is_given_twice(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/com.example/Blend/01.yaml", FILES[SPEC])
    assert faults_of(project, stage)[0] == (
        "specs/com.example/Blend/01.yaml:1:1: this file describes Blend-1 of com.example; "
        "move it to specs/com.example/Blend/1.yaml"
    )


def test_the_values_of_a_familys_parameters(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("with: {step: 2}", "with: {loud: true, step: -1}")
    faults = Faults()
    checked = check(load(project.sources, faults), faults)
    assert not faults
    (version,) = checked.versions
    assert version.instance.parameters == (("step", -1), ("shade", "dark"), ("loud", True))


def test_versions_are_in_order(tmp_path: Path):
    project = with_second_version(tmp_path)
    project.put("specs/com.example/Blend/10.yaml", project.text(SECOND).replace(": 2", ": 10", 1))
    another(project, "Alpha")
    another(project, "Zeta", "ai.onnx")
    faults = Faults()
    checked = check(load(project.sources, faults), faults)
    assert not faults, lines_of(faults)
    assert [(v.spec.domain, v.spec.label) for v in checked.versions] == [
        ("ai.onnx", "Zeta-1"),
        ("com.example", "Alpha-1"),
        ("com.example", "Blend-1"),
        ("com.example", "Blend-2"),
        ("com.example", "Blend-10"),
    ]


DEFAULTS = {
    "an integer": ("{kind: integer, default: §two, description: D.}", "a whole number"),
    "a boolean": ("{kind: boolean, default: §1, description: D.}", "true or false"),
}


@pytest.mark.parametrize(("text", "words"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_a_default_of_another_kind(tmp_path: Path, text: str, words: str):
    project = Project(tmp_path)
    project.edit("{kind: integer, description: How far.}", text, FAMILY)
    project.edit("with: {step: 2}", "with: {}")
    assert faults_of(project, stage) == project.expected(
        [f"parameter 'step' of family 'blend' must be {words}"]
    )


def test_a_default_that_is_not_allowed(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("default: dark", "default: §drak", FAMILY)
    assert faults_of(project, stage) == project.expected(
        ["'drak' is unknown to family 'blend'; did you mean 'dark'?"]
    )


def test_the_default_of_a_string_is_text(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("allowed: [dark, light], default: dark", "default: 7", FAMILY)
    faults = Faults()
    (version,) = check(load(project.sources, faults), faults).versions
    assert dict(version.instance.parameters)["shade"] == "7"


def test_an_output_that_only_the_kernel_knows(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("output(Y=X.shape)", 'dynamic("Y")', RULES)
    assert faults_of(project, stage) == [
        f"{SPEC}:20:9: only the kernel of 'blend' knows the output 'Y', which no backend can "
        "return; give its shape with output or a bound of it with bound"
    ]
