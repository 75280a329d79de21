"""The files of the Python package's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from opmill_gen.check.family_functions import oracle_functions
from opmill_gen.check.result import Checked
from opmill_gen.emit.artifact import Artifact, Format, rendered
from opmill_gen.emit.python.package import by_operator, module_of
from opmill_gen.emit.python.tests import stated_versions
from opmill_gen.emit.settings import Settings

TESTS = PurePosixPath("tests")


def test_files(checked: Checked, copied: tuple[str, ...], settings: Settings) -> Iterator[Artifact]:
    """The tests of all versions, the oracles and random calls of families, what they share.

    Args:
        checked: the whole input.
        copied: the files of the tests' runtime.
        settings: what the run is asked for.
    """
    for name in copied:
        yield Artifact(TESTS / name, f"runtime/tests/{name}")
    families = {v.instance.family.name: v.instance.family for v in checked.versions}
    for folder in ("calls", "oracles"):
        yield rendered(TESTS / folder / "__init__.py", f"tests/{folder}.py.j2", ("families",))
    for name, family in sorted(families.items()):
        if family.calls_path is not None:
            yield Artifact(TESTS / "calls" / f"{name}.py", family.calls_path)
        if family.oracle_path is not None:
            oracles = dict.fromkeys(family.function("oracle", rule) for rule in family.rules)
            defines = oracle_functions(list(oracles), list(family.document.parameters))
            path = TESTS / "oracles" / f"{name}.py"
            yield Artifact(path, family.oracle_path, defines=defines)
    versions = [version for own in by_operator(checked) for version in own]
    modules = [module_of(version, settings.package) for version in versions]
    yield rendered(
        TESTS / "operator_versions.py",
        "tests/operator_versions.py.j2",
        ("specs", "families"),
        Format.WRAPPED,
        **stated_versions(versions, modules),
    )
