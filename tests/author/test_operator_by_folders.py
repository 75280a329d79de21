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


def test_an_operator_leaves_and_an_invented_one_comes(copy: Copy, tmp_path: Path) -> None:
    """Nothing of the first is left, and the generated tests of the second pass.

    It is in a family that exists. With the folders as they were, so is what is generated.
    """
    inputs = ("specs", "families", "runtime", "templates", "generator")
    before = {name: contents(copy.project / name) for name in inputs}
    whole = contents(copy.project / "generated")
    assert any("non_zero" in path for path in whole)
    for number, folder in enumerate(FOLDERS):
        shutil.move(copy.project / folder, tmp_path / str(number))
    invented = copy.project / "specs/com.example/Magnitude"
    shutil.copytree(copy.project / "specs/ai.onnx/Abs", invented)
    for path in invented.glob("[0-9]*.yaml"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("operator: Abs", "operator: Magnitude")
        text = text.replace("domain: ai.onnx", "domain: com.example")
        path.write_text(text, encoding="utf-8")
    generate(copy)
    assert not any("non_zero" in path for path in contents(copy.project / "generated"))
    copy.run(["opmill", "generate", "--corpus", "--output", "build/corpus"])
    tests = ("generated/tests", "-k", "Magnitude")
    printed = copy.run(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests])
    assert re.search(r"^\d+ passed", printed, re.MULTILINE), printed
    for number, name in enumerate(FOLDERS):
        shutil.move(tmp_path / str(number), copy.project / name)
    shutil.rmtree(invented.parent)
    generate(copy)
    assert contents(copy.project / "generated") == whole
    assert before == {name: contents(copy.project / name) for name in before}
