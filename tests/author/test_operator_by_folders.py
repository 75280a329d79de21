"""An operator is added and removed by its folders alone: nothing that lists operators is edited."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from project_copy import Copy

pytestmark = pytest.mark.slow

FOLDERS = ("specs/ai.onnx/NonZero", "families/non_zero")
"""All that is known of an operator whose family has no other; what only tests know is in
``tests/operators``, which no list names either."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy(tmp_path_factory.mktemp("folders"), ["Abs", "NonZero", "Tile"])
    generate(made)
    return made


def generate(copy: Copy) -> None:
    printed = copy.run(["opmill", "generate"])
    assert re.search(r"operator versions: \d+, files: ", printed), printed


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but those that a run leaves for the next one."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".opmill-cache" and "__pycache__" not in path.parts
    }


def test_an_operator_leaves_and_comes_back(copy: Copy, tmp_path: Path) -> None:
    whole = contents(copy.project / "generated")
    assert any("non_zero" in path for path in whole)
    for number, folder in enumerate(FOLDERS):
        shutil.move(copy.project / folder, tmp_path / str(number))
    generate(copy)
    without = contents(copy.project / "generated")
    assert not any("non_zero" in path for path in without)
    for number, folder in enumerate(FOLDERS):
        shutil.move(tmp_path / str(number), copy.project / folder)
    generate(copy)
    assert contents(copy.project / "generated") == whole


def test_an_invented_operator_in_a_family_that_is_there(copy: Copy) -> None:
    """Its generated tests pass once its folder is there."""
    before = {
        name: contents(copy.project / name)
        for name in ("specs", "families", "runtime", "templates", "generator")
    }
    whole = contents(copy.project / "generated")
    folder = copy.project / "specs/com.example/Magnitude"
    shutil.copytree(copy.project / "specs/ai.onnx/Abs", folder)
    for path in folder.glob("[0-9]*.yaml"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("operator: Abs", "operator: Magnitude")
        text = text.replace("domain: ai.onnx", "domain: com.example")
        path.write_text(text, encoding="utf-8")
    generate(copy)
    table = "generated/tests/test_com_example_magnitude.py"
    printed = copy.run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", table])
    assert re.search(r"^\d+ passed", printed, re.MULTILINE), printed
    shutil.rmtree(folder.parent)
    generate(copy)
    assert contents(copy.project / "generated") == whole
    assert before == {name: contents(copy.project / name) for name in before}
