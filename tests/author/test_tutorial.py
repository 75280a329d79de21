"""The tutorial runs as it is printed: commands, edits and Python, in a copy of the project."""

from __future__ import annotations

import re

import pytest

from project_copy import BLOCK, ROOT, Copy, matches

pytestmark = pytest.mark.slow

BLOCKS = BLOCK.findall((ROOT / "specs/TUTORIAL.md").read_text())

DOCTESTS = """
import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "tutorial", "TUTORIAL.md", 0)
result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
sys.exit(result.failed or not result.attempted)
"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    """Return the commands, their output, and the page's text, one after the other."""
    copy = Copy(tmp_path_factory.mktemp("tutorial"), ["Abs", "Tile"])
    found: list[tuple[str, str, str]] = []
    for language, text in BLOCKS:
        if language == "console":
            found += copy.shell(text)
        elif language == "diff":
            found.append(("git apply", copy.run(["git", "apply", "--unidiff-zero", "-"], text), ""))
        else:
            assert language == "python"
            found.append(("python", copy.run(["python", "-S", "-c", DOCTESTS], text), ""))
    return found


def test_the_page_is_run_as_printed(steps: list[tuple[str, str, str]]):
    for command, got, wanted in steps:
        assert matches(wanted, got), f"$ {command}\n{got}"


def test_it_goes_from_the_copy_to_the_tests(steps: list[tuple[str, str, str]]):
    commands = [command for command, _, _ in steps]
    assert len(commands) > 12
    assert sum("nothing was written" in got for _, got, _ in steps) == 3
    printed = {command: got for command, got, _ in steps}
    tests = printed["python -m pytest -q generated/tests -k Tile"]
    passed = re.search(r"(\d+) passed", tests)
    assert passed is not None
    assert int(passed[1]) >= 4 * 4  # tests of each version


def test_the_readme_names_it():
    assert "specs/TUTORIAL.md" in (ROOT / "README.md").read_text()
