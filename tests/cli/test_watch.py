"""``generate --watch`` as its user sees it: a process that goes on until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import opmill_gen
from small_project import SPEC, with_real_templates

pytestmark = pytest.mark.slow

MODULE = "python/opmill/com_example/blend/v1.py"
PROGRAM = """
import signal
import sys
from pathlib import Path
from opmill_gen.cli import main as cli
from opmill_gen.cli import options as cli_shared
from opmill_gen.load.sources import Sources

# What starts the tests may have told its children to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

root = Path(sys.argv[1])
templates = root / "templates"
sources = Sources(root / "specs", templates, (root / "families",))
cli_shared.default_sources = lambda: sources
cli.main(sys.argv[2:], prog_name="opmill")
"""


class Watch:
    """A watching process over a small project."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.project = with_real_templates(root)
        self.output = root / "generated"
        environment = os.environ | {
            "PYTHONPATH": str(Path(opmill_gen.__file__).parent.parent),
            "PYTHONUNBUFFERED": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(root), "generate", "--watch", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=root,
            env=environment,
            text=True,
        )

    def line(self) -> str:
        """The next line that it prints; the test's own time limit ends a wait for none."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """Interrupt the command and return its output and exit code."""
        self.process.send_signal(how)
        rest, _ = self.process.communicate(timeout=60)
        return self.process.returncode, rest


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    watch = Watch(tmp_path / "project")
    yield watch
    watch.process.kill()
    watch.process.communicate()


def test_it_follows_changes_and_goes_on_after_faults(watch: Watch):
    assert watch.line().startswith("watching ")
    assert watch.line().startswith("operator versions: 1, files: ")
    watch.project.edit("The factor.", "A factor.")
    assert "written: 3, deleted: 0" in watch.line()
    assert "A factor." in (watch.output / MODULE).read_text()
    watch.project.edit("function: false", "function: no")
    assert watch.line() == f"{SPEC}:5:11: expected true or false, got text 'no'"
    assert watch.line() == "faults: 1; nothing was written"
    watch.project.edit("function: no", "function: false")
    assert "written: 0, deleted: 0" in watch.line()
    path = watch.project.root / "templates/python/version.py.j2"
    path.write_text(path.read_text().replace('"""{{ title }}"""', '"""{{ title }}"""\n# New.'))
    assert "written: 2, deleted: 0" in watch.line()
    assert watch.end(signal.SIGINT) == (0, "stopped\n")


def test_json_gives_a_document_a_line(tmp_path: Path):
    watch = Watch(tmp_path / "project", "--json")
    try:
        first: dict[str, Any] = json.loads(watch.line())
        assert first["ok"]
        assert MODULE in first["written"]
        watch.project.edit("function: false", "function: no")
        second: dict[str, Any] = json.loads(watch.line())
        assert not second["ok"]
        assert second["faults"][0]["line"] == 5
        assert watch.end(signal.SIGINT) == (0, "")
    finally:
        watch.process.kill()
        watch.process.communicate()


def test_check_and_watch_do_not_go_together(tmp_path: Path):
    watch = Watch(tmp_path / "project", "--check")
    text, _ = watch.process.communicate(timeout=60)
    assert watch.process.returncode == 2
    assert text.splitlines()[-1] == (
        "Error: --check and --watch exclude each other; give one of them"
    )
