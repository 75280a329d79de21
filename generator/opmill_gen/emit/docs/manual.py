"""The pages of the manual, which Sphinx builds, and the reports that are committed.

The pages of operators and versions are in the folder ``site``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.cache import Figures
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, later
from opmill_gen.emit.corpus.examples import Examples
from opmill_gen.emit.docs import coverage
from opmill_gen.emit.docs.changed_texts import changed_texts_page
from opmill_gen.emit.docs.conversions import conversions_page
from opmill_gen.emit.docs.coverage_page import View, coverage_json, coverage_page, evidence_page
from opmill_gen.emit.docs.markdown import code, inline
from opmill_gen.emit.docs.pages import (
    anchor_of,
    case_anchors,
)
from opmill_gen.emit.docs.scoreboard import failures_page, scoreboard_page, target_page
from opmill_gen.emit.docs.site.site import site
from opmill_gen.emit.docs.tested import page_of_tests
from opmill_gen.emit.python.package import module_of
from opmill_gen.load.test_records import Records
from opmill_gen.onnx.texts import Texts
from opmill_gen.spec.operator_version import DomainIndex

DOCS = PurePosixPath("docs")
_BY_HAND = ("architecture", "benchmarks", "cookbook", "reference/", "start/", "versions")


def reports(
    checked: Checked, records: Records, figures: Figures, *, whole: bool
) -> Iterator[Artifact]:
    """The pages that people read in the repository: coverage and, of opmill itself, the scoreboard.

    Args:
        checked: the whole input.
        records: the numbers of long test runs.
        figures: what is known of costly figures.
        whole: whether this is opmill itself, which has a scoreboard of other runtimes.
    """
    yield from _coverage(checked, records, figures, for_sphinx=False)
    if whole:
        sources = ("tests/records", "specs")
        yield later(
            _page(DOCS / "conformance.md", "conformance_report", sources, {}),
            (*(v.digest for v in checked.versions), repr(records.files.get("conformance"))),
            partial(scoreboard_page, checked.versions, records, linked=False),
        )


def manual(
    checked: Checked,
    copied: Iterable[str],
    package: str,
    records: Records,
    figures: Figures,
    *,
    version: str,
    whole: bool,
    examples: Examples | None,
    texts: Mapping[str, Texts],
) -> Iterator[Artifact]:
    """Every source of the manual.

    Args:
        checked: the whole input.
        copied: the files of ``docs``, which are copied as they are.
        package: the name of the Python package.
        records: the numbers of long test runs.
        figures: what is known of costly figures.
        version: the version of the package.
        whole: whether the pages that are written by hand belong to it: how to begin, benchmarks.
        examples: those of the corpus, with which panels on the pages of versions start; ``None``
            for no panels.
        texts: the recorded published texts of each domain.
    """
    for name in copied:
        if whole or not name.startswith(_BY_HAND):
            yield Artifact(DOCS / name, f"docs/{name}")
    yield from site(checked, package, records, version=version, whole=whole, examples=examples)
    yield _page(
        DOCS / "opsets.md",
        "opsets",
        ("specs",),
        {"domains": [_opsets(domain, checked) for domain in sorted(checked.indexes)]},
    )
    yield from _coverage(checked, records, figures, for_sphinx=True)
    if whole:
        yield _page(
            DOCS / "tested.md",
            "tested",
            ("specs", "tests/records"),
            page_of_tests(checked.versions, records),
        )
        moves = checked.conversions.get(MAIN_DOMAIN, {})
        yield later(
            _page(DOCS / "conversions.md", "conversions", ("tests/records", "specs"), {}),
            (*(v.digest for v in checked.versions), repr(records.conversions()), repr(moves)),
            partial(conversions_page, checked.versions, records, moves),
        )
        yield from _conformance(checked, records, package)
        if texts:
            yield _page(
                DOCS / "changed_texts.md",
                "changed_texts",
                ("specs",),
                changed_texts_page(checked.versions, texts),
            )


def _conformance(
    checked: Checked,
    records: Records,
    package: str,
) -> Iterator[Artifact]:
    """Results of other runtimes for all cases; a page for each runtime's failures."""
    sources = ("tests/records", "specs")
    digests = (*(v.digest for v in checked.versions), repr(records.files.get("conformance")))
    operators = _by_operator(checked.versions)

    @cache
    def places_of(operator: tuple[str, str]) -> dict[tuple[str, str], str]:
        versions = operators[operator]
        modules = {v.spec.label: module_of(v, package) for v in versions}
        return case_anchors(versions, modules)

    def anchor_of_case(version: CheckedVersion, case: str) -> str:
        return places_of((version.spec.domain, version.spec.operator))[version.spec.label, case]

    overview = _page(DOCS / "conformance.md", "conformance", sources, {})
    yield later(overview, digests, partial(scoreboard_page, checked.versions, records))
    for target in records.conformance_targets():
        path = DOCS / "conformance" / f"{target_page(target)}.md"
        page = _page(path, "conformance_target", sources, {})
        context = partial(failures_page, target, checked.versions, records, anchor_of_case)
        yield later(page, (*digests, target), context)


def _coverage(
    checked: Checked, records: Records, figures: Figures, *, for_sphinx: bool
) -> Iterator[Artifact]:
    """The coverage table, as a page and as data."""
    domains = coverage.domains(checked)
    # Asked for in every run: the cache keeps the figures that a run asked for.
    versions = [coverage.coverage_of(version, records, figures) for version in checked.versions]
    digests = (repr(versions), repr(domains))

    def numbers(view: View) -> dict[str, Any]:
        return view(versions, domains)

    template, view = (
        ("site/coverage", evidence_page) if for_sphinx else ("coverage_report", coverage_page)
    )
    page = _page(DOCS / "coverage.md", template, ("specs", "tests/records"), {})
    yield later(page, digests, partial(numbers, view))
    data = Artifact(DOCS / "coverage.json", "docs/coverage.json.j2", {})
    yield later(data, digests, partial(numbers, coverage_json))


def _page(path: PurePosixPath, template: str, sources: tuple[str, ...], context: Any) -> Artifact:
    name = f"docs/{template}.md.j2"
    mark = banner((*sources, f"templates/{name}"), "%")
    return Artifact(path, name, {"banner": mark, **context})


def _by_operator(
    versions: Iterable[CheckedVersion],
) -> dict[tuple[str, str], list[CheckedVersion]]:
    groups: dict[tuple[str, str], list[CheckedVersion]] = defaultdict(list)
    for version in versions:
        groups[version.spec.domain, version.spec.operator].append(version)
    return groups


def _opsets(domain: str, checked: Checked) -> dict[str, Any]:
    """Versions that each opset of a domain brought, the newest first."""
    index = checked.indexes[domain]
    supported = {
        (v.spec.operator, v.spec.since_version): anchor_of(v.spec, v.spec.since_version)
        for v in checked.versions
        if v.spec.domain == domain
    }
    total = sum(len(entry.versions) for entry in index.operators.values())
    return {
        "domain": code(domain),
        "release": inline(index.release or ""),
        "operators": len(index.operators),
        "published": total,
        "supported": len(supported),
        "opsets": [
            {
                "number": opset,
                "entries": [
                    _entry(name, opset, index, supported) for name in _new_in(opset, index)
                ],
            }
            for opset in range(index.opset, 0, -1)
        ],
    }


def _new_in(opset: int, index: DomainIndex) -> list[str]:
    return sorted(name for name, entry in index.operators.items() if opset in entry.versions)


def _entry(
    name: str, opset: int, index: DomainIndex, supported: dict[tuple[str, int], str]
) -> dict[str, Any]:
    entry = index.operators[name]
    return {
        "name": inline(name),
        "anchor": supported.get((name, opset)),
        "first": opset == entry.versions[0],
        "deprecated": opset in entry.deprecated,
    }
