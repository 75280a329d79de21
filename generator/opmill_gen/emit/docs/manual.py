"""Which pages the manual has: one an operator, its versions compared, and the indexes over them.

The pages that are committed are read as they are; those for Sphinx are in the folder ``site``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.cache import Figures
from opmill_gen.base.literals import first_sentence
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, later
from opmill_gen.emit.docs import coverage
from opmill_gen.emit.docs.coverage_page import View, coverage_json, coverage_page, evidence_page
from opmill_gen.emit.docs.markdown import code, inline
from opmill_gen.emit.docs.pages import (
    Publication,
    case_places,
    operator_page,
    page_name,
    place,
)
from opmill_gen.emit.docs.scoreboard import failures_page, scoreboard_page, target_page
from opmill_gen.emit.docs.site.site import site
from opmill_gen.load.test_records import Records
from opmill_gen.spec.operator_version import DomainIndex

DOCS = PurePosixPath("docs")
_OPERATORS = DOCS / "operators"
_BY_HAND = ("benchmarks", "cookbook", "reference/", "start/")
_BY_SPHINX = "reference/"
"""The pages that Sphinx makes of docstrings and headers."""


def manual(
    checked: Checked,
    copied: Iterable[str],
    module_of: Callable[[CheckedVersion], str],
    records: Records,
    figures: Figures,
    *,
    version: str,
    whole: bool,
    for_sphinx: bool,
    live: bool = False,
) -> Iterator[Artifact]:
    """Every source of the manual.

    Args:
        checked: the whole input.
        copied: the files of ``templates/docs`` that are copied as they are.
        module_of: the Python module of a version.
        records: the numbers of long test runs.
        figures: what is known of costly figures.
        version: the version of the package.
        whole: whether the pages that are written by hand belong to it: how to begin, benchmarks.
        for_sphinx: whether a version has a page of its own, and any two are compared; otherwise an
            operator has one page, for reading as it is.
        live: whether the C library can be tried on the pages of versions.
    """
    for name in copied:
        if name.startswith(_BY_SPHINX) and not for_sphinx:
            continue
        if whole or not name.startswith(_BY_HAND):
            yield Artifact(DOCS / name, f"docs/{name}")
    if not for_sphinx:
        yield _page(DOCS / "index.md", "index", (), {"whole": whole})
    if for_sphinx:
        yield from site(checked, module_of, records, version=version, whole=whole, live=live)
    else:
        operators = _by_operator(checked.versions)
        for versions in operators.values():
            index = checked.indexes.get(versions[0].spec.domain)
            yield _operator(versions, index, module_of)
        rows = [_operator_row(versions, checked) for versions in operators.values()]
        yield _page(_OPERATORS / "index.md", "operators", ("specs",), {"operators": rows})
    yield _page(
        DOCS / "opsets.md",
        "opsets",
        ("specs",),
        {"domains": [_opsets(domain, checked) for domain in sorted(checked.indexes)]},
    )
    yield from _coverage(checked, records, figures, for_sphinx=for_sphinx)
    if whole:
        yield from _conformance(checked, records, module_of, for_sphinx=for_sphinx)
    if not for_sphinx:  # there the table of operators is filtered by type
        types = list(_types(checked.versions))
        yield _page(DOCS / "types.md", "types", ("specs",), {"types": types})


def _conformance(
    checked: Checked,
    records: Records,
    module_of: Callable[[CheckedVersion], str],
    *,
    for_sphinx: bool,
) -> Iterator[Artifact]:
    """How other runtimes compute the cases of all versions; a page for each runtime's failures."""
    sources = ("tests/records", "specs")
    made_from = (*(v.digest for v in checked.versions), repr(records.files.get("conformance")))
    operators = _by_operator(checked.versions)

    @cache
    def places_of(operator: tuple[str, str]) -> dict[tuple[str, str], str]:
        versions = operators[operator]
        modules = {v.spec.label: module_of(v) for v in versions}
        return case_places(versions, modules, share_rejects=not for_sphinx)

    def place_of(version: CheckedVersion, case: str) -> str:
        return places_of((version.spec.domain, version.spec.operator))[version.spec.label, case]

    overview = _page(DOCS / "conformance.md", "conformance", sources, {})
    yield later(overview, made_from, partial(scoreboard_page, checked.versions, records))
    for target in records.conformance_targets():
        path = DOCS / "conformance" / f"{target_page(target)}.md"
        page = _page(path, "conformance_target", sources, {})
        context = partial(failures_page, target, checked.versions, records, place_of)
        yield later(page, (*made_from, target), context)


def _coverage(
    checked: Checked, records: Records, figures: Figures, *, for_sphinx: bool
) -> Iterator[Artifact]:
    """The coverage table, as a page and as data."""
    domains = coverage.domains(checked)
    # Asked for in every run: the cache keeps the figures that a run asked for.
    versions = [coverage.coverage_of(version, records, figures) for version in checked.versions]
    made_from = (repr(versions), repr(domains))

    def numbers(view: View) -> dict[str, Any]:
        return view(versions, domains)

    template, view = ("site/coverage", evidence_page) if for_sphinx else ("coverage", coverage_page)
    page = _page(DOCS / "coverage.md", template, ("specs", "tests/records"), {})
    yield later(page, made_from, partial(numbers, view))
    data = Artifact(DOCS / "coverage.json", "docs/coverage.json.j2", {})
    yield later(data, made_from, partial(numbers, coverage_json))


def _operator(
    versions: list[CheckedVersion],
    index: DomainIndex | None,
    module_of: Callable[[CheckedVersion], str],
) -> Artifact:
    """The page of an operator, for reading as it is."""
    spec = versions[0].spec
    sources = (f"specs/{spec.domain}/{spec.operator}",)
    page = _OPERATORS / f"{page_name(versions[0])}.md"
    modules = {version.spec.label: module_of(version) for version in versions}
    published = _published(spec.operator, index)
    made_from = (*(v.digest for v in versions), *modules.values(), repr(published))
    return later(
        _page(page, "operator", sources, {}),
        made_from,
        partial(operator_page, versions, modules, published),
    )


def _published(operator: str, index: DomainIndex | None) -> Publication | None:
    if index is None:
        return None
    return Publication(index.operators[operator].versions, index.opset)


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


def _operator_row(versions: list[CheckedVersion], checked: Checked) -> dict[str, Any]:
    newest = versions[-1]
    spec = newest.spec
    index = checked.indexes.get(spec.domain)
    published = index.operators[spec.operator].versions if index else ()
    return {
        "name": inline(spec.operator),
        "page": page_name(newest),
        "domain": code(spec.domain),
        "versions": [(v.spec.since_version, place(v.spec, v.spec.since_version)) for v in versions],
        "published": ", ".join(map(str, published)) or "-",
        "about": inline(first_sentence(spec.summary)),
    }


def _opsets(domain: str, checked: Checked) -> dict[str, Any]:
    """What each opset of a domain brought, the newest first."""
    index = checked.indexes[domain]
    supported = {
        (v.spec.operator, v.spec.since_version): place(v.spec, v.spec.since_version)
        for v in checked.versions
        if v.spec.domain == domain
    }
    total = sum(len(entry.versions) for entry in index.operators.values())
    return {
        "domain": code(domain),
        "onnx": inline(index.onnx or ""),
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


def _types(versions: Iterable[CheckedVersion]) -> Iterator[dict[str, Any]]:
    """Each element type, and the versions that take it for an input, by operator."""
    versions = list(versions)
    for element in ElementType:
        word = f"tensor({element.value})"
        takers: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for version in versions:
            spec = version.spec
            taken = {str(t) for p in spec.inputs for t in spec.allowed_types(p)}
            if word in taken:
                anchor = place(spec, spec.since_version)
                takers[spec.operator].append((spec.since_version, anchor))
        if takers:
            yield {
                "name": code(word),
                "operators": [(inline(name), found) for name, found in sorted(takers.items())],
            }
