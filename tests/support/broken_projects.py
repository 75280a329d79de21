"""Broken projects: a small valid one, and in each folder of ``broken/`` what is changed of it.

``change.yaml`` lists the changes: ``edits`` replace a text that occurs once, or a ``whole`` file;
``copies``, ``moves`` and ``removes`` change which files there are. ``schema`` says whether the JSON
Schema of the changed file refuses it too; it is left out where no schema sees the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from small_project import CASES, FAMILY, INDEX, KERNEL, ROWS, RULES, SPEC, Project

FOLDER = Path(__file__).parents[1] / "check" / "broken"
NAMES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
FILES = {
    "spec": SPEC,
    "cases": CASES,
    "index": INDEX,
    "family": FAMILY,
    "rules": RULES,
    "kernel": KERNEL,
    "rows": ROWS,
}


def change_of(name: str) -> dict[str, Any]:
    """The change made to a case."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / name / "change.yaml").read_text())
    unknown = read.keys() - {"schema", "edits", "copies", "moves", "removes"}
    assert not unknown, f"{name}: {unknown}"
    return read


def broken_project(root: Path, name: str) -> Project:
    """The small project, broken as the case says."""
    project = Project(root)
    change = change_of(name)
    for edit in change.get("edits", ()):
        file = FILES[edit["file"]]
        if "whole" in edit:
            project.put(file, edit["whole"])
        else:
            project.edit(edit["old"], edit["new"], file)
    for copy in change.get("copies", ()):
        project.put(copy["to"], project.text(FILES[copy["of"]]))
        for edit in copy["edits"]:
            project.edit(edit["old"], edit["new"], copy["to"])
    for move in change.get("moves", ()):
        project.put(move["to"], project.text(FILES[move["from"]]))
        (root / FILES[move["from"]]).unlink()
    for file in change.get("removes", ()):
        (root / FILES[file]).unlink()
    return project
