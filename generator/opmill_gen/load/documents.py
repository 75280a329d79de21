"""Reads single input files; what is wrong with one is collected as faults."""

from __future__ import annotations

from pathlib import Path

from opmill_gen.base.diagnostics import InputError, Location
from opmill_gen.load.input_files import content_problem
from opmill_gen.spec.operator_version import read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Tree, parse_yaml


def read_text(path: Path, shown: str, faults: Faults) -> str | None:
    """The text of a file, or ``None`` with a fault where it is not UTF-8 or cannot be read."""
    try:
        problem = content_problem(path.stat())
        if problem is not None:
            faults.report(Location(shown), problem)
            return None
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        faults.report(Location(shown), f"not UTF-8 at byte {error.start}; save the file as UTF-8")
    except OSError as error:
        faults.report(Location(shown), f"cannot be read: {error.strerror}")
    return None


def read_file(cls: type, path: Path, shown: str, faults: Faults):  # type: ignore[no-untyped-def]
    text = read_text(path, shown, faults)
    tree = None if text is None else read_tree(shown, text, faults)
    return None if tree is None else read_document(cls, tree, faults)


def read_tree(shown: str, text: str, faults: Faults) -> Tree | None:
    """The tree of a document, or ``None`` with its faults."""
    try:
        return parse_yaml(shown, text)
    except InputError as error:
        faults.extend(error.diagnostics)
        return None
