"""``verify`` agrees with onnx on the project's specs, and notices every difference planted here.

The base is the facts of three operator versions, transcribed by hand. Each case changes one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from onnx import defs

from checked_tree import checked_tree
from opmill_gen.check.check import check
from opmill_gen.check.result import Checked
from opmill_gen.load.load import load
from opmill_gen.load.sources import default_sources
from opmill_gen.onnx import facts
from opmill_gen.onnx import verify as onnx_verify
from opmill_gen.onnx.verify import verify
from opmill_gen.yaml_reader.decode import Faults
from small_project import Edit, Fault, Project, fault, lines_of
from transcribed import BASE, DROPOUT, LEAKY, POOL

INDEX = "specs/ai.onnx/index.yaml"


def verified(project: Project) -> tuple[list[str], tuple[int, int]]:
    """Return the report of verify, without other faults of these specs."""
    checked = check(load(project.sources, Faults()), Faults())
    faults = Faults()
    counts = verify(checked, faults)[:2]
    return lines_of(faults), counts


@pytest.fixture(scope="module")
def real() -> Checked:
    return checked_tree()


def coming_versions(real: Checked) -> set[tuple[str, int]]:
    """The operator versions of the index that the release which it was checked against lacks."""
    index = real.indexes["ai.onnx"]
    first = index.opset + 1 if index.coming is None else index.coming.opset
    return {
        (name, version)
        for name, entry in index.operators.items()
        for version in entry.versions
        if version >= first
    }


def test_the_projects_specs_agree_with_onnx(real: Checked):
    faults = Faults()
    agreed, compared, unknown = verify(real, faults)
    assert lines_of(faults) == []
    published = [one.spec for one in real.versions if one.spec.source is not None]
    coming = {f"{name}-{version}" for name, version in coming_versions(real)}
    assert agreed == compared == len(published) - len(coming)
    lacking = unknown.packages.get(f"onnx {facts.onnx_release()}", {}).get("ai.onnx", [])
    assert {*lacking} == coming
    assert agreed >= 8


def test_the_base_agrees_with_onnx(tmp_path: Path):
    assert verified(Project(tmp_path, BASE)) == ([], (3, 3))


class WithoutDeterminism:
    """A schema as older releases of onnx have it."""

    def __init__(self, schema: defs.OpSchema) -> None:
        self.schema = schema

    def __getattr__(self, name: str) -> object:
        if name == "node_determinism":
            raise AttributeError(name)
        return getattr(self.schema, name)


def test_what_an_older_onnx_does_not_state_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    schemas = {key: WithoutDeterminism(schema) for key, schema in facts.all_schemas().items()}
    monkeypatch.setattr(onnx_verify, "all_schemas", lambda: schemas)
    project = Project(tmp_path, BASE)
    project.edit("determinism: non_deterministic", "determinism: deterministic", DROPOUT)
    assert verified(project) == ([], (3, 3))


TYPES = "[tensor(bfloat16), tensor(double), tensor(float), tensor(float16)]"
HALF = "[tensor(double), tensor(float), tensor(float16)]"
ALL_T = "['tensor(bfloat16)', 'tensor(double)', 'tensor(float)', 'tensor(float16)']"
HALF_T = "['tensor(double)', 'tensor(float)', 'tensor(float16)']"
DATA = "{name: data, type: T, differentiable: true, description: D.}"
RATIO = "{name: ratio, type: T1, option: optional, differentiable: false, description: D.}"
OUTPUT = "{name: output, type: T, differentiable: true, description: D.}"
SEED = "{name: seed, kind: INT, description: D.}"

DIFFERENCES = {
    "support_level": fault(
        "common", "§experimental", "support_level is experimental; onnx has common", file=LEAKY
    ),
    "function": fault(
        "function: true", "function: §false", "function is False; onnx has True", file=LEAKY
    ),
    "shape_inference": fault(
        "shape_inference: true",
        "shape_inference: §false",
        "shape_inference is False; onnx has True",
        file=LEAKY,
    ),
    "deprecated": fault(
        "deprecated: false", "deprecated: §true", "deprecated is True; onnx has False", file=LEAKY
    ),
    "determinism": fault(
        "determinism: non_deterministic",
        "determinism: §deterministic",
        "determinism is deterministic; onnx has non_deterministic",
        file=DROPOUT,
    ),
    "an operator that there is not": fault(
        "operator: Dropout",
        "operator: Dropped",
        f"{DROPOUT}:1:1: onnx has no Dropped-13 in ai.onnx",
        file=DROPOUT,
    ),
    "a version that there is not": fault(
        "since_version: 13",
        "since_version: 14",
        f"{DROPOUT}:1:1: onnx has no Dropout-14 in ai.onnx",
        file=DROPOUT,
    ),
    "the name of an input": fault(
        f"  - {DATA}",
        f"  §- {DATA.replace('data', 'X')}",
        "inputs is [X, ratio, training_mode]; onnx has [data, ratio, training_mode]",
        file=DROPOUT,
    ),
    "the name of an output": fault(
        f"  - {OUTPUT}",
        f"  §- {OUTPUT.replace('output', 'Y')}",
        "outputs is [Y, mask]; onnx has [output, mask]",
        file=DROPOUT,
    ),
    "an input too many": fault(
        f"  - {DATA}",
        f"  §- {DATA}\n  - {RATIO.replace('ratio', 'data2')}",
        "inputs is [data, data2, ratio, training_mode]; onnx has [data, ratio, training_mode]",
        f"{DROPOUT}:13:5: ratio: type is T1; onnx has T2",
        f"{DROPOUT}:13:5: ratio: types is [tensor(double), tensor(float), tensor(float16)]; "
        "onnx has [tensor(bool)]",
        file=DROPOUT,
    ),
    "an output too few": fault(
        f"  - {OUTPUT}\n  - {{name: mask, type: T2, option: optional, differentiable: false, "
        "description: D.}",
        f"  §- {OUTPUT}",
        "outputs is [output]; onnx has [output, mask]",
        file=DROPOUT,
    ),
    "inputs in another order": fault(
        f"  - {RATIO}\n  - {RATIO.replace('ratio', 'training_mode').replace('T1', 'T2')}",
        f"  - §§{RATIO.replace('ratio', 'training_mode').replace('T1', 'T2')}\n  - §§{RATIO}",
        f"{DROPOUT}:11:3: inputs is [data, training_mode, ratio]; "
        "onnx has [data, ratio, training_mode]",
        "training_mode: type is T2; onnx has T1",
        "training_mode: types is [tensor(bool)]; "
        "onnx has [tensor(double), tensor(float), tensor(float16)]",
        "ratio: type is T1; onnx has T2",
        "ratio: types is [tensor(double), tensor(float), tensor(float16)]; onnx has [tensor(bool)]",
        file=DROPOUT,
    ),
    "the type of an input": fault(
        RATIO,
        f"§§{RATIO.replace('T1', 'T')}",
        "ratio: type is T; onnx has T1",
        "ratio: types is [tensor(bfloat16), tensor(double), tensor(float), tensor(float16)]; "
        "onnx has [tensor(double), tensor(float), tensor(float16)]",
        file=DROPOUT,
    ),
    "a fixed type": fault(
        RATIO,
        f"§§{RATIO.replace('T1', 'tensor(float)')}",
        "ratio: type is tensor(float); onnx has T1",
        "ratio: types is [tensor(float)]; "
        "onnx has [tensor(double), tensor(float), tensor(float16)]",
        file=DROPOUT,
    ),
    "an option": fault(
        RATIO,
        f"§{RATIO.replace('option: optional, ', '')}",
        "ratio: option is single; onnx has optional",
        file=DROPOUT,
    ),
    "min_arity": fault(
        RATIO,
        f"§{RATIO.replace('option: optional', 'option: optional, min_arity: 2')}",
        "ratio: min_arity is 2; onnx has 1",
        file=DROPOUT,
    ),
    "homogeneous": fault(
        RATIO,
        f"§{RATIO.replace('option: optional', 'option: optional, homogeneous: false')}",
        "ratio: homogeneous is False; onnx has True",
        file=DROPOUT,
    ),
    "differentiable": fault(
        DATA,
        f"§{DATA.replace('true', 'false')}",
        "data: differentiable is False; onnx has True",
        file=DROPOUT,
    ),
    "differentiable, left out": fault(
        DATA,
        f"§{DATA.replace('differentiable: true, ', '')}",
        "data: differentiable is absent; onnx has True",
        file=DROPOUT,
    ),
    "the name of an attribute": fault(
        f"  - {SEED}",
        f"  §- {SEED.replace('seed', 'seeds')}",
        "attributes is [seeds]; onnx has [seed]",
        file=DROPOUT,
    ),
    "an attribute too few": fault(
        "  - {name: auto_pad, kind: STRING, default: NOTSET, description: D.}\n"
        "  - {name: ceil_mode",
        "  §- {name: ceil_mode",
        "attributes is [ceil_mode, count_include_pad, dilations, kernel_shape, pads, strides]; "
        "onnx has [auto_pad, ceil_mode, count_include_pad, dilations, kernel_shape, pads, "
        "strides]",
        file=POOL,
    ),
    "the kind of an attribute": fault(
        SEED, f"§{SEED.replace('INT', 'FLOAT')}", "seed: kind is FLOAT; onnx has INT", file=DROPOUT
    ),
    "a required attribute": fault(
        "{name: kernel_shape, kind: INTS, required: true, description: D.}",
        "§{name: kernel_shape, kind: INTS, description: D.}",
        "kernel_shape: required is False; onnx has True",
        file=POOL,
    ),
    "a default that onnx has not": fault(
        SEED,
        f"§{SEED.replace('INT', 'INT, default: 0')}",
        "seed: default is 0; onnx has absent",
        file=DROPOUT,
    ),
    "a default that is left out": fault(
        "{name: alpha, kind: FLOAT, default: 0.01,",
        "§{name: alpha, kind: FLOAT,",
        "alpha: default is absent; onnx has 0.009999999776482582",
        file=LEAKY,
    ),
    "a FLOAT": fault(
        "{name: alpha, kind: FLOAT, default: 0.01,",
        "§{name: alpha, kind: FLOAT, default: 0.5,",
        "alpha: default is 0.5; onnx has 0.009999999776482582",
        file=LEAKY,
    ),
    "an INT": fault(
        "{name: ceil_mode, kind: INT, default: 0,",
        "§{name: ceil_mode, kind: INT, default: 1,",
        "ceil_mode: default is 1; onnx has 0",
        file=POOL,
    ),
    "a STRING": fault(
        "{name: auto_pad, kind: STRING, default: NOTSET,",
        "§{name: auto_pad, kind: STRING, default: VALID,",
        "auto_pad: default is VALID; onnx has NOTSET",
        file=POOL,
    ),
    "a type too few": fault(
        f"T1: {{types: {HALF}",
        "T1: {types: [tensor(double), tensor(float)]",
        f"{DROPOUT}:12:5: ratio: types is [tensor(double), tensor(float)]; "
        "onnx has [tensor(double), tensor(float), tensor(float16)]",
        f"{DROPOUT}:20:3: type_constraints is {{'T': {ALL_T}, 'T1': ['tensor(double)', "
        f"'tensor(float)'], 'T2': ['tensor(bool)']}}; onnx has {{'T': {ALL_T}, 'T1': {HALF_T}, "
        "'T2': ['tensor(bool)']}",
        file=DROPOUT,
    ),
    "a variable too many": fault(
        "  T2: {types: [tensor(bool)], description: D.}",
        "  T2: {types: [tensor(bool)], description: D.}\n"
        "  T3: {types: [tensor(bool)], unused: true, description: D.}",
        f"{DROPOUT}:20:3: type_constraints is {{'T': {ALL_T}, 'T1': {HALF_T}, 'T2': "
        f"['tensor(bool)'], 'T3': ['tensor(bool)']}}; onnx has {{'T': {ALL_T}, 'T1': {HALF_T}, "
        "'T2': ['tensor(bool)']}",
        file=DROPOUT,
    ),
}


@pytest.mark.parametrize("planted", DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_a_difference_is_noticed(tmp_path: Path, planted: Fault):
    project = Project(tmp_path, BASE)
    for edit in planted.edits:
        project.edit(*edit)
    lines, counts = verified(project)
    assert lines == project.expected(planted.messages)
    assert counts == (2, 3)


def test_a_domain_that_onnx_does_not_know_is_left_out(tmp_path: Path):
    project = Project(tmp_path, BASE)
    for path in (DROPOUT, LEAKY):
        project.edit("domain: ai.onnx", "domain: com.example", path)
    assert verified(project) == ([], (1, 1))


def released_index() -> str:
    """The index without what is to come, so that each difference is one to the installed onnx."""
    text = (default_sources().specs / "ai.onnx/index.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^opset: 29\ncoming: .*$", "opset: 28", text)
    return re.sub(r"(?m)^  \w+: \{versions: \[29\]\}\n", "", text)


def line_of(operator: str) -> str:
    """The line of an operator in the index, without the generator's help."""
    text = released_index()
    return next(line for line in text.splitlines() if line.startswith(f"  {operator}: "))


INDEX_DIFFERENCES = {
    "the opset": (Edit("opset: 28", "opset: §29"), "onnx knows opset 28, not 29"),
    "an operator too few": (
        Edit(f"operators:\n{line_of('Abs')}\n  Acos", "operators:\n  §Acos"),
        "onnx has Abs [1, 6, 13], the index has not",
    ),
    "an operator too many": (
        Edit("operators:\n", "operators:\n  Aaa: §{versions: [1]}\n"),
        "onnx has no operator Aaa",
    ),
    "a version too few": (
        Edit("Abs: {versions: [1, 6, 13]}", "Abs: §{versions: [1, 13]}"),
        "onnx has the versions [1, 6, 13] of Abs, not [1, 13]",
    ),
    "a version too many": (
        Edit("Abs: {versions: [1, 6, 13]}", "Abs: §{versions: [1, 6, 13, 14]}"),
        "onnx has the versions [1, 6, 13] of Abs, not [1, 6, 13, 14]",
    ),
    "a deprecation too few": (
        Edit("Upsample: {versions: [1, 7, 9, 10], deprecated: [10]}",
             "Upsample: §{versions: [1, 7, 9, 10]}"),
        "onnx deprecates Upsample at [10], not at []",
    ),
    "a deprecation too many": (
        Edit("Abs: {versions: [1, 6, 13]}", "Abs: §{versions: [1, 6, 13], deprecated: [13]}"),
        "onnx deprecates Abs at [], not at [13]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "message"), INDEX_DIFFERENCES.values(), ids=INDEX_DIFFERENCES.keys()
)
def test_a_difference_of_the_index_is_noticed(tmp_path: Path, edit: Edit, message: str):
    project = Project(tmp_path, {**BASE, INDEX: released_index()})
    project.edit(edit.old, edit.new, INDEX)
    lines, counts = verified(project)
    assert lines == project.expected([message])
    assert counts == (3, 3)


def test_the_index_names_every_published_version(real: Checked):
    index = real.indexes["ai.onnx"]
    ours = {(name, v) for name, entry in index.operators.items() for v in entry.versions}
    theirs = {
        (schema.name, schema.since_version)
        for schema in defs.get_all_schemas_with_history()
        if not schema.domain
    }
    assert ours - coming_versions(real) == theirs
    assert index.onnx is not None
