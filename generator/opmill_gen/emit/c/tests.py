"""The files of the C library that are about it: its README, and the tables of its tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, later, rendered
from opmill_gen.emit.c.cases import operator_cases, table_name
from opmill_gen.emit.c.file_list import version_name
from opmill_gen.emit.c.header import header_name
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.settings import Settings

C = PurePosixPath("c")
_REFERENCE = "tests/reference_"


def reference_path(family: str) -> str:
    """The path in the C library of a family's slow reference."""
    return f"{_REFERENCE}{family}.c"


def c_tests(checked: Checked, copied: tuple[str, ...], settings: Settings) -> Iterator[Artifact]:
    """The README, the cases of each operator, and the table of the tables, one a version.

    Args:
        checked: the whole input.
        copied: the files of the C templates that are copied as they are.
        settings: what the run is asked for.
    """
    versions = [version for version in checked.versions if c_gap(version) is None]
    references = [
        path.removeprefix(_REFERENCE).removesuffix(".c")
        for path in copied
        if path.startswith(_REFERENCE) and path.endswith(".c")
    ]
    template = "c/README.md.j2"
    yield Artifact(
        C / "README.md",
        template,
        {
            "banner": banner((f"templates/{template}",), " "),
            "labels": [version.spec.label for version in versions],
            "alone": [_alone(version) for version in versions],
            "operators": _operators(versions),
            "own": settings.is_own,
            "compatible": settings.compatible,
        },
    )
    yield Artifact(
        C / "tests" / "consumer" / "CMakeLists.txt",
        "c/tests/consumer/CMakeLists.txt.j2",
        {"compatible": settings.compatible},
    )
    families = {version.instance.family.name: version.instance.family for version in versions}
    for name, family in sorted(families.items()):
        if family.c_reference is not None:
            yield Artifact(C / reference_path(name), family.c_reference)
    for package, own in _by_package(versions).items():
        spec = own[0].spec
        has_reference = [str(version.instance.family.c_reference) for version in own]
        yield later(
            rendered(
                C / "tests" / f"cases_{package}.c",
                "c/tests/cases_operator.c.j2",
                (f"specs/{spec.domain}/{spec.operator}",),
            ),
            (*(version.digest for version in own), *has_reference, *references),
            partial(operator_cases, own, references),
        )
    yield rendered(
        C / "tests" / "cases.c",
        "c/tests/cases.c.j2",
        ("specs",),
        tables=[table_name(version) for version in versions],
    )


def _alone(version: CheckedVersion) -> dict[str, str]:
    """How a version is called where it is taken alone."""
    name, header = version_name(version), header_name(version)
    return {"label": version.spec.label, "name": name, "header": header}


def _by_package(versions: list[CheckedVersion]) -> dict[str, list[CheckedVersion]]:
    """The versions of each operator, by what C calls it."""
    found: dict[str, list[CheckedVersion]] = {}
    for version in versions:
        found.setdefault(version.c_package, []).append(version)
    return found


def _operators(versions: list[CheckedVersion]) -> list[tuple[str, str]]:
    """Each operator and its versions, as ("Tile", "1, 6, 13")."""
    found: dict[str, list[str]] = {}
    for version in versions:
        spec = version.spec
        domain = "" if spec.domain == "ai.onnx" else f"{spec.domain}."
        found.setdefault(domain + spec.operator, []).append(str(spec.since_version))
    return [(name, ", ".join(numbers)) for name, numbers in found.items()]
