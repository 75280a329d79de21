"""The cookbook's commands run as printed. Its Python and C run with those of the other pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from c_library import compiler
from page_commands import FILE, run
from project_copy import BLOCK, ROOT, matches

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/cookbook.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE))
WITH_COMMANDS = [title for title, text in SECTIONS.items() if "```console" in text]


def test_there_are_ten_tasks_and_each_has_code():
    assert len(SECTIONS) >= 10
    for title, text in SECTIONS.items():
        prose, blocks = BLOCK.sub("", text), BLOCK.findall(text)
        assert blocks, title
        assert len(prose) < 600, f"{title} is long: link to a page"
        assert {language for language, _ in blocks} <= {"pycon", "python", "c", "text", "console"}


@pytest.mark.parametrize("title", WITH_COMMANDS)
def test_commands_print_what_the_page_says(title: str, tmp_path: Path):
    if "cc -std" in SECTIONS[title] and compiler() is None:
        pytest.skip("there is no C compiler")
    ran = 0
    for language, text in BLOCK.findall(SECTIONS[title]):
        named = FILE.match(text)
        if named is not None:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        if language == "console":
            for command, wanted, got in run(text, tmp_path):
                assert matches(wanted, got), f"$ {command}\n{got}"
                ran += 1
    assert ran > 0
