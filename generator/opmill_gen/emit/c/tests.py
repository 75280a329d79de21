"""The files of the C library that are about it: its README, and what its tests need."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.base.literals import c_string
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, rendered
from opmill_gen.emit.c.header import header_name, prefix_of
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.settings import Settings

C = PurePosixPath("c")
_REFERENCE = "tests/reference_"


def reference_path(family: str) -> str:
    """The path in the C library of a family's slow reference."""
    return f"{_REFERENCE}{family}.c"


def c_tests(checked: Checked, copied: tuple[str, ...], settings: Settings) -> Iterator[Artifact]:
    """The README, the references of families, and the table of those of each version.

    Args:
        checked: the whole input.
        copied: the files of runtime/c.
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
            "alone": [_alone(v) for v in [v for v in versions if not v.below] or versions],
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
    yield rendered(
        C / "tests" / "references.c",
        "c/tests/references.c.j2",
        ("specs",),
        **_references(versions, references),
    )


def _references(
    versions: Sequence[CheckedVersion], copied: Collection[str]
) -> dict[str, list[str]]:
    """The references in C, and a row of the table for each version."""
    declared, entries = set(), []
    for version in versions:
        spec, family = version.spec, version.instance.family
        parts = [c_string(spec.domain), c_string(spec.operator), str(spec.since_version)]
        if family.name in copied or family.c_reference is not None:
            declared.add(f"reference_{family.name}")
            parts.append(f".reference = reference_{family.name}")
        else:
            parts.append(".reference = NULL")
        parameters = [
            f"{{{c_string(name)}, {c_string(_parameter(value))}}}"
            for name, value in version.instance.parameters
        ]
        parts += [f".parameters = PARAMETERS({', '.join(parameters)})"] if parameters else []
        entries.append(_filled(parts))
    return {"declared": sorted(declared), "entries": entries}


def _parameter(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filled(parts: Sequence[str]) -> str:
    """An initializer, whose last part has a line of its own where it is long."""
    line = f"{{{', '.join(parts)}}}"
    if len(line) <= 92:
        return line
    return f"{{{', '.join(parts[:-1])},\n {parts[-1]}}}"


def _alone(version: CheckedVersion) -> dict[str, str]:
    """Name of a version where it is taken alone."""
    name, header = prefix_of(version).partition("_")[2], header_name(version)
    return {"label": version.spec.label, "name": name, "header": header}


def _operators(versions: list[CheckedVersion]) -> list[tuple[str, str]]:
    """Each operator and its versions, as ("Tile", "1, 6, 13")."""
    found: dict[str, list[str]] = {}
    for version in versions:
        spec = version.spec
        domain = "" if spec.domain == "ai.onnx" else f"{spec.domain}."
        found.setdefault(domain + spec.operator, []).append(str(spec.since_version))
    return [(name, ", ".join(numbers)) for name, numbers in found.items()]
