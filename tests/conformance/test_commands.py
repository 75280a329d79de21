"""The commands and the pytest plugin, each in a process of its own, as users call them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from opmill_gen.cli.main import main

HERE = Path(__file__).parent


def called(*arguments, code=0, cwd=HERE):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "120"},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_a_backend_beside_the_caller_is_judged(tmp_path):
    known = ("opmill_gen", "conformance", "faulty_backend:NoScalars", "--operator", "Relu-14")
    done = called(*known, "--junit", tmp_path / "junit.xml", code=1)
    assert "wrong: Relu-14: " in done.stdout
    assert "Y: expected shape [], got [1]" in done.stdout
    assert "Traceback" not in done.stderr
    assert (tmp_path / "junit.xml").read_text(encoding="utf-8").count("<failure") > 0
    report = called(*known, "--json", code=1).stdout
    assert json.loads(report)["versions"]["ai.onnx"]["Relu-14"]["status"] == "wrong"
    (tmp_path / "known.json").write_text(report, encoding="utf-8")
    done = called(*known, "--baseline", tmp_path / "known.json")
    assert "failures that the baseline does not have: 0, open: 0" in done.stdout


def test_a_backend_that_refuses_everything_shows_a_reason():
    command = ("opmill_gen", "conformance", "--operator", "Relu-14")
    done = called(*command, "faulty_backend:WithoutDevice")
    (reason,) = [line for line in done.stdout.splitlines() if line.startswith("refused: ")]
    assert reason.startswith("refused: no example is computed; the first reason: Relu-14: TypeErr")
    assert "refused: no" not in called(*command, "faulty_backend:NoScalars", code=1).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("conformance", "nothing"), "nothing is no target"),
        (("conformance", "opmill", "--operator", "Tiles"), "Tiles is not a supported operator"),
        (("conformance", "opmill", "--operator", "Tile-2"), "no case of Tile-2 is chosen"),
        (("conformance", "opmill", "--operator", "Tile-x"), "'Tile-x' is no operator"),
        (("conformance", "opmill", "--operator", "Tile", "--type", "int4"), "no case is chosen"),
        (("conformance", "opmill", "--baseline", __file__), "is not a report"),
        (("export", ".", "--operator", "Tile"), "is not empty, expected a new or an empty folder"),
        (("export", "x", "--operator", "Tile", "--model-opset", "9"), "opset 9 does not use Tile-"),
    ],
)
def test_a_mistake_is_one_message(arguments, words):
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2, done.output
    assert words in done.output


def test_export_writes_what_was_chosen(tmp_path):
    done = called(
        "opmill_gen", "export", tmp_path / "kit", "--operator", "Tile-13", "--no-rejects", "--json"
    )
    count = json.loads(done.stdout)["cases"]
    folders = [tmp_path / "kit" / "examples", tmp_path / "kit" / "open" / "examples"]
    assert count == sum(len(list(folder.iterdir())) for folder in folders)
    assert not (tmp_path / "kit" / "rejects").exists()


def test_the_plugin_makes_each_case_a_test(tmp_path):
    shutil.copy(HERE / "faulty_backend.py", tmp_path)
    done = called(
        "pytest", "-q", "-p", "no:cacheprovider", "-p", "opmill.conformance.pytest_plugin",
        "--opmill-backend", "faulty_backend:NoScalars",
        "--opmill-operator", "Relu", "--opmill-opset", "14", code=1, cwd=tmp_path,
    )  # fmt: skip
    assert "expected shape [], got [1]" in done.stdout
    assert "failed" in done.stdout
    assert "passed" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(("strict", "outcome"), [(False, "xfailed"), (True, "failed")])
def test_the_plugin_expects_failures_where_onnx_leaves_results_open(tmp_path, strict, outcome):
    shutil.copy(HERE / "faulty_backend.py", tmp_path)
    done = called(
        "pytest", "-q", "-rx", "-p", "no:cacheprovider", "-p", "opmill.conformance.pytest_plugin",
        "--opmill-backend", "faulty_backend:OpenOrder", "--opmill-operator", "TopK-24",
        *(["--opmill-strict"] if strict else []), code=int(strict), cwd=tmp_path,
    )  # fmt: skip
    words = done.stdout.splitlines()[-1].replace(",", "").split()
    assert outcome in words
    assert "passed" in words
    assert ("xfailed" in words) is not strict
    assert ("open in ONNX: With sorted of 0" in done.stdout) is not strict
