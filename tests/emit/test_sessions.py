"""The sessions that pages and docstrings print for the cases of versions run as printed."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator

import pytest

from checked_tree import checked_tree
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.rule_checks import checks_of
from opmill_gen.emit.python.examples import refused_session, session_text
from opmill_gen.emit.python.package import module_of
from sessions import run_session

VERSIONS = checked_tree().versions


def by_operator() -> list[list[CheckedVersion]]:
    """The versions of each operator, the newest first."""
    found: dict[tuple[str, str], list[CheckedVersion]] = {}
    for version in sorted(VERSIONS, key=lambda one: -one.spec.since_version):
        found.setdefault((version.spec.domain, version.spec.operator), []).append(version)
    return [found[key] for key in sorted(found)]


each_operator = pytest.mark.parametrize(
    "versions",
    [
        pytest.param(some, marks=pytest.mark.operators(some[0].spec.operator))
        for some in by_operator()
    ],
    ids=lambda some: some[0].spec.operator,
)


def unlike(
    versions: Iterable[CheckedVersion], sessions_of: Callable[[CheckedVersion], Iterable[str]]
) -> Iterator[tuple[str, str]]:
    """The first session of each version, and those that no newer one shows too, with its label.

    The tests of tables run every case of every version; here, what pages print is judged.
    """
    seen = set()
    for version in versions:
        for number, text in enumerate(sessions_of(version)):
            shared = without_number(text, version)
            if not number or shared not in seen:
                yield version.spec.label, text
            seen.add(shared)


def without_number(text: str, version: CheckedVersion) -> str:
    """A session without the number of its version."""
    operator, number = version.spec.operator, version.spec.since_version
    text = re.sub(rf"\bv{number}\b", "v", text)
    text = re.sub(rf"(operator\(.{operator}.), {number}\b", r"\1", text)
    return text.replace(f"{version.spec.label}: ", f"{operator}: ")


def examples_shown(version: CheckedVersion) -> list[str]:
    module = module_of(version, "opmill")
    return [session_text(version, example, module) for example in version.spec.examples]


def refusals_shown(version: CheckedVersion) -> list[str]:
    module = module_of(version, "opmill")
    return [refused_session(version, reject, module) for reject in version.spec.rejects]


@each_operator
def test_examples_run_as_pages_print_them(versions: list[CheckedVersion]):
    for label, session in unlike(versions, examples_shown):
        assert run_session(session, label).failed == 0


def test_sessions_of_versions_are_alike_but_for_their_number():
    newest, older = next(some for some in by_operator() if some[0].spec.operator == "Tile")[:2]
    both = dict.fromkeys([newest.spec.label, older.spec.label])

    def sessions(version: CheckedVersion) -> list[str]:
        name = f"v{version.spec.since_version}"
        return [f">>> {name}.tile(x)", ">>> 1 + 1", f">>> {version.spec.label}"]

    found = list(unlike([newest, older], sessions))
    assert [label for label, _ in found] == [newest.spec.label] * 3 + [older.spec.label] * 2
    assert {label for label, _ in found} == both.keys()
    assert found[3][1] == f">>> v{older.spec.since_version}.tile(x)"
    assert found[4][1] == f">>> {older.spec.label}"


def test_docstrings_hold_examples_that_run():
    tried = 0
    for version in VERSIONS:
        module = importlib.import_module(module_of(version, "opmill"))
        text = inspect.getdoc(getattr(module, version.names.package)) or ""
        assert ("Checks, in this order" in text) == bool(checks_of(version))
        assert ("Changes since the version before:" in text) == bool(version.spec.changes)
        assert ("Decisions:" in text) == bool(version.spec.errata)
        _, heading, examples = text.partition("Examples:")
        assert bool(heading) == bool(version.spec.examples)
        names: dict[str, object] = {}
        for session in examples.split("\n\n"):
            if ">>>" in session:
                result = run_session(inspect.cleandoc(session), version.spec.label, names)
                assert result.failed == 0
                tried += result.attempted
    assert tried > 2 * len(VERSIONS)


@each_operator
def test_refused_calls_raise_what_is_printed(versions: list[CheckedVersion]):
    for label, session in unlike(versions, refusals_shown):
        assert run_session(session, label).failed == 0
