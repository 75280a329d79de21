"""The JSON Schemas accept every file of the project and refuse what has another form."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from opmill_gen.emit.settings import Settings
from opmill_gen.load.schema_files import SCHEMAS
from opmill_gen.load.sources import default_sources
from opmill_gen.pipeline import check_fresh, generate
from opmill_gen.spec.json_schema import schema_text
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.decode import Node, keys_of
from schema_problems import problems
from small_project import CASES, FAMILY, INDEX, SPEC, Project, with_real_templates

SOURCES = default_sources()
FILES = {
    **dict.fromkeys(sorted(SOURCES.specs.glob("*/*/[0-9]*.yaml")), "spec"),
    **dict.fromkeys(sorted(SOURCES.specs.glob("*/*/cases.yaml")), "cases"),
    **dict.fromkeys(sorted(SOURCES.specs.glob("*/*/errata.yaml")), "errata"),
    **dict.fromkeys(sorted(SOURCES.specs.glob("*/*/conversions.yaml")), "conversions"),
    **dict.fromkeys(sorted(SOURCES.specs.glob("*/index.yaml")), "index"),
    **dict.fromkeys(sorted(SOURCES.families[0].glob("*/family.yaml")), "family"),
}
WRITTEN = {
    **{n: SOURCES.specs / f"{n}.schema.json" for n in SCHEMAS if n != "family"},
    "family": SOURCES.families[0] / "family.schema.json",
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema_is_a_schema(name: str):
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text(SCHEMAS[name])))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_written_schema_is_the_model_s(name: str):
    assert WRITTEN[name].read_text() == schema_text(SCHEMAS[name])


@pytest.mark.each_version
@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.parts[-2:]))
def test_every_file_is_accepted_and_names_its_schema(path: Path):
    text = path.read_text(encoding="utf-8")
    assert problems(FILES[path], text) == []
    first = text.splitlines()[0]
    mark, _, relative = first.partition("$schema=")
    assert mark == "# yaml-language-server: "
    assert (path.parent / relative).resolve() == WRITTEN[FILES[path]].resolve()


@pytest.mark.parametrize(
    ("name", "file"),
    [("spec", SPEC), ("cases", CASES), ("index", INDEX), ("family", FAMILY)],
)
def test_the_small_project_is_accepted(tmp_path: Path, name: str, file: str):
    assert problems(name, Project(tmp_path).text(file)) == []


SPEC_FAULTS = {
    "an unknown key": ("support_level:", "suport_level:"),
    "a missing key": ("support_level: common\n", ""),
    "a word that is none": ("support_level: common", "support_level: usual"),
    "text for truth": ("function: false", "function: no"),
    "a fraction for a version": ("since_version: 1", "since_version: 1.5"),
    "a version of 0": ("since_version: 1", "since_version: 0"),
    "a path for a name": ("operator: Blend", "operator: ../Blend"),
    "an element type for a type": ("{name: X, type: T,", "{name: X, type: float,"),
    "no type": ("{name: X, type: T,", "{name: X, type: tensor(float33),"),
    "a type twice": ("[tensor(float), tensor(int32)]", "[tensor(float), tensor(float)]"),
    "a variable among the types": ("[tensor(float), tensor(int32)]", "[T1]"),
    "a kind in small letters": ("kind: INT,", "kind: int,"),
    "a tolerance below 0": ("rtol: 1e-06", "rtol: -1"),
    "a tolerance of no type": ("accuracy: {float: ", "accuracy: {flot: "),
    "a family's parameter as a list": ("with: {step: 2}", "with: {step: [2]}"),
    "a key beside a family's name": ("{name: blend, with", "{name: blend, more: 1, with"),
    "the examples": ("source:", "examples: []\nsource:"),
    "inputs by name": ("inputs:\n  -", "inputs:\n  a:\n  -"),
}


@pytest.mark.parametrize("name", SPEC_FAULTS)
def test_a_faulty_spec_is_refused(tmp_path: Path, name: str):
    old, new = SPEC_FAULTS[name]
    project = Project(tmp_path)
    text = project.text(SPEC)
    assert text.count(old) == 1 or name == "inputs by name"
    changed = text.replace(old, new, 1)
    if name == "inputs by name":
        changed = text.replace("inputs:\n  - {name: X", "inputs:\n  X: {name: X").replace(
            "  - {name: bias", "  bias: {name: bias"
        )
    assert problems("spec", changed)


CASES_FAULTS = {
    "no source of elements": ("{type: int32, value: [[1]]}", "{type: int32}"),
    "two sources": ("{type: int32, value: [[1]]}", "{type: int32, value: 1, fill: 1, shape: []}"),
    "fill without shape": ("{type: int32, value: [[1]]}", "{type: int32, fill: 1}"),
    "a class of error that is none": ("raises: ShapeError", "raises: ValueError"),
    "a case in capitals": ("name: plain", "name: PLAIN"),
    "no examples": ("examples:\n", "examples: []\nx:\n"),
    "a version as text": ("name: plain", "name: plain\n    since: opset 13"),
    "a version of 0, which ends it": ("name: plain", "name: plain\n    before: 0"),
}


@pytest.mark.parametrize("name", CASES_FAULTS)
def test_faulty_cases_are_refused(tmp_path: Path, name: str):
    old, new = CASES_FAULTS[name]
    text = Project(tmp_path).text(CASES)
    assert text.count(old) == 1
    assert problems("cases", text.replace(old, new))


@pytest.mark.parametrize("cls", SCHEMAS.values())
def test_every_key_has_a_text_for_hovering(cls: type[Node]):
    definitions = json.loads(schema_text(cls))
    objects = [definitions, *definitions.get("$defs", {}).values()]
    described = 0
    for part in objects:
        for name, value in part.get("properties", {}).items():
            assert len(value["description"]) > 8, name
            assert value["description"].endswith("."), name
            described += 1
    assert described >= len(keys_of(cls))


def test_objects_are_closed():
    spec = json.loads(schema_text(OperatorVersion))
    for part in (spec, *spec["$defs"].values()):
        if "properties" in part:
            assert part["additionalProperties"] is False


def test_a_schema_that_is_there_is_kept_fresh(tmp_path: Path):
    project = with_real_templates(tmp_path / "project")
    out, schema = tmp_path / "out", project.root / "specs/spec.schema.json"
    generate(project.sources, out, Settings())
    assert not schema.exists()
    earlier = '{\n  "title": "opmill: one version"\n}\n'
    schema.write_text(earlier)
    outcome, difference = check_fresh(project.sources, out, Settings())
    lines = list(difference)
    assert (outcome.stale, outcome.schemas) == (1, ("specs/spec.schema.json",))
    assert lines[:2] == [
        "--- specs/spec.schema.json",
        "+++ specs/spec.schema.json (as it should be)",
    ]
    assert schema.read_text() == earlier
    assert generate(project.sources, out, Settings()).schemas == ("specs/spec.schema.json",)
    assert schema.read_text() == schema_text(OperatorVersion)
    assert generate(project.sources, out, Settings()).stale == 0
    assert check_fresh(project.sources, out, Settings())[0].stale == 0
