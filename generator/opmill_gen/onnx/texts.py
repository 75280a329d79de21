"""The record of published texts: a digest of each text, by the release in which it appeared.

``specs/<domain>/texts.json`` says which texts the specs were checked against. The texts themselves
are ONNX's and are not stored. A text of the installed onnx whose digest is not recorded is news.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.plain_file import replace_plain
from opmill_gen.onnx.facts import Schemas, release_order

TEXTS = "texts.json"
_DIGITS = 16
"""Hexadecimal digits of a digest."""


@dataclass
class Texts:
    """The recorded texts of a domain."""

    releases: list[str] = field(default_factory=list)
    """The recorded releases, in their order."""
    digests: dict[str, dict[str, str]] = field(default_factory=dict)
    """Operator version -> release -> digest of the text that appeared there."""

    def knows(self, label: str, digest: str) -> bool:
        """Return whether a text of an operator version is recorded, of any release."""
        return digest in self.digests.get(label, {}).values()

    def add(self, release: str, digests: Mapping[str, str]) -> None:
        """Record all texts of a release, in place of what is recorded of it."""
        releases = sorted({*self.releases, release}, key=release_order)
        for label in sorted({*self.digests, *digests}):
            texts = {one: self._at(label, one) for one in releases}
            texts[release] = digests.get(label)
            self.digests[label] = _changes(texts)
        self.releases = releases

    def _at(self, label: str, release: str) -> str | None:
        """The text of an operator version in a release."""
        found = None
        for one in self.releases:
            if release_order(one) <= release_order(release):
                found = self.digests.get(label, {}).get(one, found)
        return found


def _changes(texts: Mapping[str, str | None]) -> dict[str, str]:
    """The releases, of all in their order, in which a text is another than before."""
    changes: dict[str, str] = {}
    before = None
    for release, digest in texts.items():
        if digest is not None and digest != before:
            changes[release] = before = digest
    return changes


def text_digest(schema: Any) -> str:
    """The digest of all that onnx says in prose of an operator version, layout aside."""
    parts: dict[str, object] = {"summary": _plain(schema.doc)}
    for key, entries in (("inputs", schema.inputs), ("outputs", schema.outputs)):
        parts[key] = [[entry.name, _plain(entry.description)] for entry in entries]
    parts["attributes"] = [
        [name, _plain(one.description)] for name, one in sorted(schema.attributes.items())
    ]
    parts["types"] = [[t.type_param_str, _plain(t.description)] for t in schema.type_constraints]
    document = json.dumps(parts, sort_keys=True).encode()
    return hashlib.sha256(document).hexdigest()[:_DIGITS]


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def published_digests(schemas: Schemas, domain: str) -> dict[str, str]:
    """The digests of the texts of a domain, by operator version."""
    return {
        f"{name}-{version}": text_digest(schema)
        for (of, name, version), schema in schemas.items()
        if of == domain
    }


def read_texts(specs: Path, domain: str) -> Texts:
    """The recorded texts of a domain; none where there is no record.

    Raises:
        InputError: the file is no record.
    """
    path = specs / domain / TEXTS
    if not path.exists():
        return Texts()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        releases = [str(release) for release in document["releases"]]
        digests = {
            str(label): {str(release): str(digest) for release, digest in entry.items()}
            for label, entry in document["texts"].items()
        }
    except (ValueError, LookupError, TypeError, AttributeError):
        message = "is no record of texts; delete it and run 'opmill news --record'"
        location = Location(f"{specs.name}/{domain}/{TEXTS}")
        raise InputError([Diagnostic(location, message)]) from None
    return Texts(releases, digests)


def domain_texts(specs: Path) -> dict[str, Texts]:
    """The recorded texts of each domain that has a record.

    Raises:
        InputError: a file is no record.
    """
    found = sorted(path.parent.name for path in specs.glob(f"*/{TEXTS}"))
    return {domain: read_texts(specs, domain) for domain in found}


def write_texts(specs: Path, domain: str, texts: Texts) -> Path:
    """Write the record of a domain, one line for each operator version."""
    lines = [
        f"  {json.dumps(label)}: {json.dumps(entry)}"
        for label, entry in sorted(texts.digests.items(), key=lambda one: label_order(one[0]))
    ]
    document = (
        f'{{"releases": {json.dumps(texts.releases)},\n "texts": {{\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )
    path = specs / domain / TEXTS
    replace_plain(path, document.encode())
    return path


def label_order(label: str) -> tuple[str, int]:
    """Sort key of an operator version, as ``Div-14``."""
    name, _, version = label.rpartition("-")
    return name, int(version) if version.isdecimal() else 0
