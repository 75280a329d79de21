"""Results of loading, and reports of files that are missing or cannot be read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opmill_gen.load.load import load
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.yaml_reader.decode import Faults
from small_project import FAMILY, FILES, INDEX, KERNEL, RULES, SPEC, Project, faults_of, lines_of


def test_everything_is_found(tmp_path: Path):
    project = Project(tmp_path)
    project.put("families/_shared/broadcast.py", "def shared(): ...\n")
    project.put("families/blend/oracle.py", "\n")
    faults = Faults()
    loaded = load(project.sources, faults)
    assert not faults
    assert [path for path, _ in loaded.versions] == [SPEC]
    assert loaded.versions[0][1].label == "Blend-1"
    assert loaded.indexes["com.example"][0] == INDEX
    family = loaded.families["blend"]
    assert [(rule.name, rule.path, rule.text) for rule in family.rules] == [
        (None, RULES, FILES[RULES])
    ]
    assert family.python_kernel == "blend/kernel.py.j2"
    assert family.oracle_path == "blend/oracle.py"
    assert loaded.shared_rules == {
        "broadcast": ("families/_shared/broadcast.py", "def shared(): ...\n")
    }


def test_an_oracle_is_not_needed(tmp_path: Path):
    assert load(Project(tmp_path).sources, Faults()).families["blend"].oracle_path is None


def test_calls_are_not_needed(tmp_path: Path):
    project = Project(tmp_path)
    assert load(project.sources, Faults()).families["blend"].calls_path is None
    project.put("families/blend/calls.py", "\n")
    assert load(project.sources, Faults()).families["blend"].calls_path == "blend/calls.py"


def test_there_is_no_folder_of_specs(tmp_path: Path):
    sources = Project(tmp_path).sources
    faults = Faults()
    load(Sources(tmp_path / "spex", sources.templates, sources.families), faults)
    assert lines_of(faults) == ["spex: no such folder; specs are read from it"]


@pytest.mark.parametrize("path", [FAMILY, RULES, KERNEL])
def test_a_family_has_three_files(tmp_path: Path, path: str):
    project = Project(tmp_path)
    (tmp_path / path).unlink()
    missing = path.removesuffix(".j2")
    assert faults_of(project) == [f"{missing}: no such file; every family has one"]


def test_every_missing_file_of_a_family_is_named(tmp_path: Path):
    project = Project(tmp_path)
    (tmp_path / "families/empty").mkdir()
    assert faults_of(project) == [
        "families/empty/family.yaml: no such file; every family has one",
        "families/empty/kernel.py: no such file; every family has one",
        "families/empty/rules.py: no such file; every family has one",
    ]


@pytest.mark.parametrize("path", [SPEC, INDEX, FAMILY, RULES])
def test_a_file_that_is_not_utf_8(tmp_path: Path, path: str):
    project = Project(tmp_path)
    (tmp_path / path).write_bytes(b"a: \xff\n")
    assert faults_of(project) == [f"{path}: not UTF-8 at byte 3; save the file as UTF-8"]


def test_a_spec_of_the_other_ending(tmp_path: Path):
    project = Project(tmp_path)
    (tmp_path / SPEC).rename(tmp_path / "specs/com.example/Blend/1.yml")
    assert faults_of(project) == ["specs/com.example/Blend/1.yml: specs end in .yaml; rename it"]


def test_a_link_that_leads_nowhere(tmp_path: Path):
    project = Project(tmp_path)
    (tmp_path / "specs/com.example/Blend/2.yaml").symlink_to("gone.yaml")
    assert faults_of(project) == [
        "specs/com.example/Blend/2.yaml: cannot be read: No such file or directory"
    ]


def test_a_faulty_file_does_not_hide_the_others(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/com.example/Blend/2.yaml", "[\n")
    faults = Faults()
    loaded = load(project.sources, faults)
    assert [path for path, _ in loaded.versions] == [SPEC]
    assert lines_of(faults) == [
        "specs/com.example/Blend/2.yaml:2:1: not valid YAML: did not find expected node content; "
        "a bracket, a brace or a value is missing"
    ]


def test_other_files_are_left_alone(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/README.md", "{{{")
    project.put("specs/com.example/folder.yaml/README.md", "{{{")
    project.put("specs/com.example/Blend/1.yaml~", "{{{")
    project.put("families/_shared/README.md", "{{{")
    project.put("families/.cache/x", "{{{")
    project.put("families/README.md", "{{{")
    assert faults_of(project) == []


def test_a_spec_outside_of_every_domain_is_not_passed_over(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/blend.yaml", "{{{")
    wanted = (
        "specs/blend.yaml: a spec belongs in the folder of its domain and operator; "
        "move it to specs/<domain>/<Operator>/<version>.yaml"
    )
    assert faults_of(project) == [wanted]


def test_the_first_folder_of_families_wins(tmp_path: Path):
    own = Project(tmp_path / "own")
    own.edit("summary: Blends. For tests.", "summary: Mine.", FAMILY)
    other = Project(tmp_path / "other")
    sources = Sources(
        own.sources.specs,
        other.sources.templates,
        (*own.sources.families, *other.sources.families),
    )
    faults = Faults()
    assert load(sources, faults).families["blend"].document.summary == "Mine."
    assert not faults


def test_paths_are_shown_from_the_folder_that_holds_them(tmp_path: Path):
    sources = Project(tmp_path).sources
    assert sources.shown(tmp_path / SPEC) == SPEC
    assert sources.shown(tmp_path / RULES) == RULES
    assert sources.shown(Path("/elsewhere/x.yaml")) == "x.yaml"


def test_only_the_families_of_opmill_that_a_project_uses_are_read(tmp_path: Path):
    """Those of the project are read in any case, so that their faults are reported."""
    own = default_sources()
    specs = tmp_path / "specs"
    shutil.copytree(own.specs / "ai.onnx" / "Tile", specs / "ai.onnx" / "Tile")
    shutil.copytree(own.families[0] / "dropout", tmp_path / "families" / "mine")
    (tmp_path / "families" / "broken").mkdir()
    families = (tmp_path / "families", *own.families)
    faults = Faults()
    loaded = load(Sources(specs, own.templates, families), faults)
    assert {fault.location.path for fault in faults} == {
        f"families/broken/{name}" for name in ("family.yaml", "kernel.py", "rules.py")
    }
    used = {spec.family.name for _, spec in loaded.versions}
    assert set(loaded.families) == {"mine", *used}
    assert {"broken", "dropout", *used} < set(loaded.family_names)
