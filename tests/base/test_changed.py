"""Selection of the tests that ``make quick`` runs for changed files."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from changed import arguments, selection


@pytest.mark.parametrize(
    ("file", "operators", "tests"),
    [
        ("specs/ai.onnx/Tile/13.yaml", ["Tile"], []),
        ("families/eye/rules.py", ["EyeLike"], []),
        ("families/range/kernel.py", ["Range"], []),
        ("tests/operators/Cast/known_differences.yaml", ["Cast"], []),
        ("tests/records/ai.onnx/Tile.json", ["Tile"], []),
        ("tests/base/test_changed.py", [], ["tests/base/test_changed.py"]),
        ("tests/support/changed.py", [], ["tests/base/test_changed.py"]),
        ("runtime/python/_model/plan.py", [], ["tests/model"]),
        ("README.md", [], []),
    ],
)
def test_a_file_calls_for_its_tests(file: str, operators: list[str], tests: list[str]):
    assert selection([PurePosixPath(file)]) == (operators, tests)


def test_a_module_of_the_generator_calls_for_the_tests_that_import_it():
    operators, tests = selection([PurePosixPath("generator/opmill_gen/yaml_reader/tree.py")])
    assert operators == []
    assert "tests/write/test_incremental.py" in tests
    assert "tests/model/test_running.py" not in tests


def test_a_folder_stands_for_the_tests_below_it():
    files = ["runtime/python/_model/plan.py", "tests/model/test_running.py"]
    assert selection(map(PurePosixPath, files)) == ([], ["tests/model"])


def test_without_operators_only_the_named_tests_run():
    assert arguments([], ["tests/model"]) == ["tests/model"]
    assert arguments(["Tile", "Conv"], [])[:2] == ["--operators", "Tile Conv"]
    assert arguments([], []) == []
