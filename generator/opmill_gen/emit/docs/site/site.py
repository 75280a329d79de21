"""Pages of the manual that Sphinx builds: one a version, the comparison of each operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.cache import digest_of_value
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, later
from opmill_gen.emit.corpus.examples import Examples
from opmill_gen.emit.docs.pages import anchor_of, case_anchors
from opmill_gen.emit.docs.site.changes_page import changes_page
from opmill_gen.emit.docs.site.history import OperatorHistory, histories, onnx_release
from opmill_gen.emit.docs.site.operators_page import operators_page
from opmill_gen.emit.docs.site.version_page import unsupported_page, version_page
from opmill_gen.emit.python.package import module_of
from opmill_gen.load.test_records import Records

_OPERATORS = PurePosixPath("docs/operators")


def site(
    checked: Checked,
    package: str,
    records: Records,
    *,
    version: str,
    whole: bool,
    examples: Examples | None,
) -> Iterator[Artifact]:
    """The front page, the pages of the operators and the table of them.

    Args:
        checked: the whole input.
        package: the name of the Python package.
        records: the numbers of long test runs.
        version: the version of the package.
        whole: whether the pages that are written by hand belong to the manual.
        examples: those of the corpus, with which panels on the pages of versions start; ``None``
            for no panels.
    """
    operators = histories(checked)
    front = {"whole": whole, "version": version}
    if whole:
        front["figures"] = _figures(operators, checked, records)
    yield _page(PurePosixPath("docs/index.md"), "front", ("specs", "tests/records"), front)
    for history in operators:
        own = None
        if examples is not None:
            own = examples.get(f"{history.domain}/{history.operator}", ())
        yield from _pages(history, package, own)
    digests = tuple(version.digest for version in checked.versions)
    indexes = repr([(h.operator, h.published, h.deprecated, h.opset) for h in operators])
    yield later(
        _page(_OPERATORS / "index.md", "operators", ("specs",), {}),
        (*digests, indexes, onnx_release()),
        partial(operators_page, operators),
    )


def _figures(
    operators: Sequence[OperatorHistory], checked: Checked, records: Records
) -> dict[str, str]:
    """The figures of the front page."""
    specs = [version.spec for version in checked.versions]
    figures = {
        "operators": sum(bool(history.supported) for history in operators),
        "all_operators": len(operators),
        "versions": len(specs),
        "all_versions": sum(len(history.published) for history in operators),
        "examples": sum(len(spec.examples) for spec in specs),
        "rejects": sum(len(spec.rejects) for spec in specs),
        "random_calls": sum(records.differential_calls(spec) for spec in specs),
        "onnx_tests": sum(records.onnx_tests(spec) for spec in specs),
    }
    return {name: f"{number:,}" for name, number in figures.items()}


def _pages(
    history: OperatorHistory, package: str, examples: tuple[str, ...] | None
) -> Iterator[Artifact]:
    versions = [history.supported[number] for number in sorted(history.supported)]
    modules = {version.spec.label: module_of(version, package) for version in versions}
    folder = (_OPERATORS / history.package).parent
    sources = (f"specs/{history.domain}/{history.operator}",) if versions else ("onnx",)
    all_digests = (
        *(version.digest for version in versions),
        *modules.values(),
        repr((history.published, history.deprecated, history.opset)),
        onnx_release(),
        digest_of_value(examples),
    )
    for number in history.published:
        if number in history.supported:
            spec = history.supported[number].spec
            known = {
                "operator_anchor": anchor_of(spec),
                "up": "../" * history.package.count("/"),
                "comparison": history.changes_page if len(history.published) > 1 else "",
            }
            yield later(
                _page(folder / f"{history.page(number)}.md", "version", sources, known),
                all_digests,
                partial(_version, history, number, versions, modules, examples),
            )
        elif history.facts(number) is not None:
            yield later(
                _page(folder / f"{history.page(number)}.md", "unsupported", ("onnx",), {}),
                all_digests,
                partial(unsupported_page, history, number),
            )
    if len(history.published) > 1 and history.facts(history.main) is not None:
        known = {"up": "../" * history.package.count("/")}
        yield later(
            _page(folder / f"{history.changes_page}.md", "changes", sources, known),
            all_digests,
            partial(_changes, history, versions, modules),
        )


def _version(
    history: OperatorHistory,
    number: int,
    versions: Sequence[CheckedVersion],
    modules: dict[str, str],
    examples: tuple[str, ...] | None,
) -> dict[str, Any]:
    return version_page(history, number, modules, case_anchors(versions, modules), examples)


def _changes(
    history: OperatorHistory, versions: Sequence[CheckedVersion], modules: dict[str, str]
) -> dict[str, Any]:
    return changes_page(history, case_anchors(versions, modules))


def _page(path: PurePosixPath, template: str, sources: tuple[str, ...], context: Any) -> Artifact:
    name = f"docs/site/{template}.md.j2"
    mark = banner((*sources, f"templates/{name}"), "%")
    return Artifact(path, name, {"banner": mark, **context})
