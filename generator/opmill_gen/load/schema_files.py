"""The JSON Schemas that stand beside specs and families, for editors; the model is their source.

A file that is there is kept fresh by every run, if its title says that opmill wrote it. One that is
not there is not made: a folder of specs belongs to its authors, who ask for the file with
``opmill schema``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from opmill_gen.base.plain_file import read_plain
from opmill_gen.load.sources import Sources
from opmill_gen.spec.cases import CasesFile, ErrataFile
from opmill_gen.spec.conversions import ConversionsFile
from opmill_gen.spec.family import FamilyDocument
from opmill_gen.spec.json_schema import TITLE, schema_text
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion
from opmill_gen.yaml_reader.decode import Node

_TITLE_BYTES = 200

SCHEMAS: dict[str, type[Node]] = {
    "spec": OperatorVersion,
    "cases": CasesFile,
    "errata": ErrataFile,
    "conversions": ConversionsFile,
    "index": DomainIndex,
    "family": FamilyDocument,
}


def stale_schemas(sources: Sources) -> dict[Path, str]:
    """The schema files that do not say what the model says, and what they should say."""
    return {
        path: text
        for path, text in _schemas(sources)
        if (content := read_plain(path)) is not None
        and TITLE.encode() in content[:_TITLE_BYTES]
        and content != text.encode()
    }


def _schemas(sources: Sources) -> Iterator[tuple[Path, str]]:
    for name, cls in SCHEMAS.items():
        folders = sources.families if name == "family" else (sources.specs,)
        for folder in folders:
            yield folder / f"{name}.schema.json", schema_text(cls)
