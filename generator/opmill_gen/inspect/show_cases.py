"""The cases of one operator version as YAML: ``opmill show --cases``."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from opmill_gen.load.sources import Sources
from opmill_gen.spec.case_text import text_of_version
from opmill_gen.spec.cases import CASES
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.spec.selection import with_names
from opmill_gen.yaml_reader.tree import Entries, parse_yaml


def cases_of(sources: Sources, path: str, spec: OperatorVersion) -> str:
    """The examples and rejects of a version; empty where its operator has no file of them.

    Args:
        sources: where the files are.
        path: the path of the version's file, as messages show it.
        spec: what it says.
    """
    file = sources.specs / Path(*PurePosixPath(path).parts[1:]).with_name(CASES)
    if not file.is_file():
        return ""
    text = file.read_text(encoding="utf-8")
    tree = parse_yaml(sources.shown(file), text)
    if not isinstance(tree, Entries):
        return ""
    return with_names(spec, text_of_version(text, tree, spec.since_version))
