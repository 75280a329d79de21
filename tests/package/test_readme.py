"""The README's Python examples run as printed, and what it lists as milled is what has specs."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_examples_of_the_readme_run_as_printed():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 10
    assert failed == 0


def test_the_list_of_what_is_milled_is_that_of_the_specs():
    (listed,) = re.findall(r"^Milled so far: (.+?)\.$", README, re.MULTILINE | re.DOTALL)
    folders = sorted(p for p in (ROOT / "specs" / "ai.onnx").iterdir() if p.is_dir())
    versions = {
        folder.name: sorted(int(path.stem) for path in folder.glob("*.yaml")) for folder in folders
    }
    expected = [f"{name} ({', '.join(map(str, found))})" for name, found in versions.items()]
    stated = re.findall(r"\w+ \([^)]*\)", " ".join(listed.split()))
    assert stated == expected, f"README.md should say: Milled so far: {', '.join(expected)}."
    assert ", ".join(stated) == " ".join(listed.split())
