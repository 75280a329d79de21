"""``opmill fuzz``: planted faults are found, reduced and written; a crash and a seed."""

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import numpy_helper

from opmill_gen.cli.main import main

FAULTS = Path(__file__).with_name("faulty_backend.py")


@pytest.fixture(autouse=True)
def _beside_the_faults(tmp_path, monkeypatch):
    shutil.copy(FAULTS, tmp_path)
    monkeypatch.chdir(tmp_path)


def fuzz(*arguments, code=0):
    done = CliRunner().invoke(main, ["fuzz", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


def test_a_runtime_without_a_fault():
    done = fuzz("--backend", "opmill", "--operator", "Tile-13", "--examples", 30)
    assert "Tile-13: illegal refused: 30, legal right: 30" in done.stdout
    assert "versions: 1, failures: 0, seed: 1" in done.stdout


def test_a_fault_is_found_reduced_and_written():
    done = fuzz(
        "--backend", "faulty_backend:AxisOrder", "--operator", "Transpose-13", "--examples", 60,
        "--write", "found", code=1,
    )  # fmt: skip
    assert "wrong: a valid call: transposed: " in done.stdout
    assert "reproduction: found/Transpose-13" in done.stdout
    folder = Path("found/Transpose-13")
    onnx.checker.check_model(onnx.load(folder / "model.onnx"))
    data = folder / "test_data_set_0"
    given, expected = (
        numpy_helper.to_array(onnx.load_tensor(data / f"{kind}_0.pb"))
        for kind in ("input", "output")
    )
    assert given.size == 4, "no transposition of less than 2 by 2 elements moves any"
    node = onnx.load(folder / "model.onnx").graph.node[0]
    perm = [list(one.ints) for one in node.attribute if one.name == "perm"]
    wanted = np.transpose(given, perm[0] if perm else None)
    assert wanted.tobytes() == expected.tobytes()


def test_a_crash_is_found():
    arguments = ("--backend", "faulty_backend:Ends", "--operator", "Tile-13", "--json")
    first = json.loads(fuzz(*arguments, "--seed", 4, code=1).stdout)
    (found,) = first["versions"]
    assert found["failure"]["outcome"] == "crashed"
    assert found["failure"]["text"] == "the process ended with exit code 9"
    assert (first["ok"], first["seed"]) == (False, 4)


def test_the_seed_decides_the_calls():
    arguments = ("--backend", "onnxruntime", "--operator", "Slice-13", "--examples", 20)
    first, again, other = (fuzz(*arguments, "--seed", seed).stdout for seed in (2, 2, 3))
    assert first == again
    assert first.splitlines()[1] != other.splitlines()[1]


def test_the_time_is_limited():
    counts = json.loads(
        fuzz(
            "--backend", "opmill", "--operator", "Tile-13", "--seconds", 0.1, "--examples", 300,
            "--no-illegal", "--json",
        ).stdout
    )["versions"][0]["calls"]  # fmt: skip
    assert sum(counts.values()) < 300


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--backend", "nothing", "--operator", "Tile"), "nothing is no target"),
        (("--backend", "opmill", "--operator", "Tiles"), "Tiles is not a supported operator"),
        (("--backend", "opmill", "--operator", "If"), "has no calls to draw"),
        (("--backend", "opmill", "--operator", "Tile", "--write", "."), "is not empty, expected"),
    ],
)
def test_a_mistake_is_one_message(arguments, words):
    assert words in fuzz(*arguments, code=2).stderr
