"""The pages about check, compare, compile and convert print what the commands print.

What fuzz draws depends on the release of hypothesis, so that its page is not compared.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from page_commands import FILE, run
from project_copy import BLOCK, ROOT, matches

pytestmark = pytest.mark.slow

PAGES = ("check", "compare", "compile", "convert")


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_says(page: str, tmp_path: Path):
    ran = 0
    for language, text in BLOCK.findall((ROOT / f"docs/start/{page}.md").read_text("utf-8")):
        named = FILE.match(text)
        if named is not None:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        if language == "console":
            for command, wanted, got in run(text, tmp_path):
                assert matches(wanted, got), f"$ {command}\n{got}"
                ran += 1
    assert ran > 0
