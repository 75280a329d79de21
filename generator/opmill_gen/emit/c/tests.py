"""The files of the C library that are about it: its README, and what its tests need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.c.header import header_name, prefix_of
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.settings import Settings

C = PurePosixPath("c")


def c_tests(checked: Checked, settings: Settings) -> Iterator[Artifact]:
    """The README, and the project that uses the installed library.

    Args:
        checked: the whole input.
        settings: what the run is asked for.
    """
    versions = [version for version in checked.versions if c_gap(version) is None]
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
