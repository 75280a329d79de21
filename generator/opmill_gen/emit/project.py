"""The files that make the output of a package of one's own a project that can be installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.literals import double_quoted
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.settings import Settings

_NATIVE = PurePosixPath("native")


def project_files(
    checked: Checked, copied: tuple[str, ...], opset: int, settings: Settings
) -> Iterator[Artifact]:
    """pyproject.toml, CMakeLists.txt, README.md, and the sources of the native module.

    Args:
        checked: the whole input.
        copied: the files of the native module.
        opset: the newest opset of the domain that the README's example is of.
        settings: what the run is asked for.
    """
    domains = sorted({version.spec.domain for version in checked.versions})
    context = {
        "package": settings.package,
        "prefix": settings.package.upper(),
        "version": settings.version,
        "description": double_quoted(f"Operators of {_listed(domains)}, milled by opmill"),
        "about": f"Operators of {_listed([f'`{d}`' for d in domains])}, milled by opmill.",
        "operators": _operators(checked),
        "has_c": any(c_gap(version) is None for version in checked.versions),
        "opset": opset,
        **_example(checked.versions[-1], settings),
    }
    for name, comment in (("pyproject.toml", "#"), ("CMakeLists.txt", "#"), ("README.md", " ")):
        template = f"project/{name}.j2"
        yield Artifact(
            PurePosixPath(name),
            template,
            {
                "banner": banner(("specs", f"templates/{template}"), comment, "opmill generate"),
                **context,
            },
        )
    yield Artifact(PurePosixPath("LICENSE.opmill"), "LICENSE")
    for name in copied:
        yield Artifact(_NATIVE / name, f"native/{name}")


def _example(version: CheckedVersion, settings: Settings) -> dict[str, Any]:
    base = ".".join(filter(None, (settings.package, version.below)))
    return {
        "base": base,
        "example": {
            "module": f"{base}.{version.names.package}",
            "version": f"v{version.spec.since_version}",
            "function": version.names.package,
        },
    }


def _operators(checked: Checked) -> list[dict[str, str]]:
    rows: dict[tuple[str, str], list[CheckedVersion]] = {}
    for version in checked.versions:
        rows.setdefault((version.spec.domain, version.spec.operator), []).append(version)
    return [
        {
            "name": name,
            "domain": domain,
            "versions": _numbers(versions),
            "in_c": _numbers([v for v in versions if c_gap(v) is None]) or "-",
        }
        for (domain, name), versions in rows.items()
    ]


def _numbers(versions: list[CheckedVersion]) -> str:
    return ", ".join(str(version.spec.since_version) for version in versions)


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
