"""Operators of the installed onnx that the specs lack, and those that changed since."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opmill_gen.base.diagnostics import Diagnostic
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.load.test_records import read_records
from opmill_gen.onnx.facts import all_schemas, histories, newest_opset, onnx_release, release_order
from opmill_gen.onnx.texts import published_digests, read_texts
from opmill_gen.onnx.verify import verify_facts
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion
from opmill_gen.yaml_reader.decode import Faults

Labels = dict[str, list[str]]
"""Operator versions, as ``Tile-13``, by domain."""


@dataclass
class News:
    """The differences between the installed onnx and the specs, each kind in a field."""

    release: str
    is_older: bool = False
    """True if the installed onnx is older than the specs: what differs then is no news."""
    domains: list[str] = field(default_factory=list)
    opsets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Domain -> the newest opset of its index, and the newest of onnx."""
    versions: Labels = field(default_factory=dict)
    """Versions without a spec."""
    types: list[str] = field(default_factory=list)
    """Element types that opmill does not have."""
    facts: list[Diagnostic] = field(default_factory=list)
    texts: Labels = field(default_factory=dict)
    """Versions whose text is none of those that the specs were checked against."""
    tests: list[str] | None = None
    """Tests of supported operators that are in no record; ``None`` where there are no records."""
    refused: dict[str, dict[str, str]] = field(default_factory=dict)
    """Operators that have no spec, by domain, with the reason in the index. These are no news."""

    def __bool__(self) -> bool:
        found = (self.domains, self.opsets, self.versions, self.types, self.facts, self.texts)
        return any(found) or bool(self.tests)


def news(
    specs: Iterable[OperatorVersion],
    indexes: Mapping[str, DomainIndex],
    folder: Path,
    records: Path | None,
) -> News:
    """Compare the installed onnx with specs.

    Args:
        specs: the specs as far as they can be read.
        indexes: the index of each domain.
        folder: the folder of specs.
        records: the folder of records of test runs, if there is one.
    """
    found = News(onnx_release())
    order = release_order(found.release)
    of_onnx = {domain: index for domain, index in indexes.items() if index.onnx is not None}
    stated = {index.onnx for index in of_onnx.values() if index.onnx is not None}
    found.is_older = any(order < release_order(release) for release in stated)
    found.refused = refusals(of_onnx)
    if found.is_older:
        return found
    listed = list(specs)
    schemas = all_schemas()
    found.domains = sorted({domain for domain, _, _ in schemas} - {*indexes})
    found.versions = missing_versions(listed, indexes)
    for domain, index in sorted(of_onnx.items()):
        published = histories(schemas, domain)
        if not published:
            continue
        newest = newest_opset(domain, (max(h.versions) for h in published.values()))
        if newest > index.opset:
            found.opsets[domain] = (index.opset, newest)
    found.types = _unknown_types()
    faults = Faults()
    verify_facts(listed, of_onnx, faults)
    found.facts = sorted(faults)
    found.texts = changed_texts(listed, folder)
    if records is not None and records.is_dir():
        found.tests = list(_new_tests(records, listed))
    return found


def refusals(indexes: Mapping[str, DomainIndex]) -> dict[str, dict[str, str]]:
    """The operators that an index says have no spec, with the reason, by domain."""
    found: dict[str, dict[str, str]] = {}
    for domain, index in sorted(indexes.items()):
        for name, entry in index.operators.items():
            if entry.refused is not None:
                found.setdefault(domain, {})[name] = entry.refused
    return found


def missing_versions(
    specs: Iterable[OperatorVersion], indexes: Mapping[str, DomainIndex]
) -> Labels:
    """The published versions that have no spec and that no index refuses, by domain."""
    known = {(spec.domain, spec.operator, spec.since_version) for spec in specs}
    refused = refusals(indexes)
    found: Labels = {}
    for domain, name, version in all_schemas():
        if (domain, name, version) not in known and name not in refused.get(domain, {}):
            found.setdefault(domain, []).append(f"{name}-{version}")
    return found


def changed_texts(specs: Iterable[OperatorVersion], folder: Path) -> Labels:
    """The versions with a spec whose text in the installed onnx is not recorded, by domain."""
    known: dict[str, set[str]] = {}
    for spec in specs:
        known.setdefault(spec.domain, set()).add(spec.label)
    found: Labels = {}
    for domain, labels in sorted(known.items()):
        texts = read_texts(folder, domain)
        changed = [
            label
            for label, digest in published_digests(all_schemas(), domain).items()
            if label in labels and not texts.knows(label, digest)
        ]
        if changed:
            found[domain] = changed
    return found


def _unknown_types() -> list[str]:
    """The element types of onnx that opmill has no name for."""
    from onnx import TensorProto

    known = {type_.name for type_ in ElementType}
    return sorted({*TensorProto.DataType.keys()} - known - {"UNDEFINED"})


def _new_tests(records: Path, specs: Iterable[OperatorVersion]) -> Iterator[str]:
    """onnx's tests of operators that have specs, less those that were run and recorded.

    An operator that no recorded test judges is one that runs do not count.
    """
    from onnx.backend.test.loader import load_model_tests

    operators = {(spec.domain, spec.operator) for spec in specs}
    recorded: set[str] = set()
    for path, record in read_records(records).files.items():
        if "onnx_tests" in record:
            section = record["onnx_tests"]
            recorded |= {*section["tests"]}
            if not any(counts["models"] for counts in section["versions"].values()):
                domain, _, operator = path.rpartition("/")
                operators.discard((domain, operator))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests compute overflows when they are created
        cases = load_model_tests(kind="node")
    for case in sorted(cases, key=lambda case: str(case.name)):
        nodes = () if case.model is None else case.model.graph.node
        used = {(node.domain or MAIN_DOMAIN, node.op_type) for node in nodes}
        if used and used <= operators and case.name not in recorded:
            yield str(case.name)
