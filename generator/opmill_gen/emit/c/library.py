"""The files of the C library: headers, a source for each version, rules, kernels, the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.base.literals import c_string
from opmill_gen.base.shared_messages import MESSAGES
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact, NamedInstance, later, rendered
from opmill_gen.emit.c.family import family_sources
from opmill_gen.emit.c.header import header_name, operator_header, prefix_of
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.c.version import kernel_name, version_source
from opmill_gen.emit.settings import Settings

C = PurePosixPath("c")


def c_library(
    checked: Checked, instances: Mapping[int, NamedInstance], settings: Settings
) -> Iterator[Artifact]:
    """Every file of the library that is made from specs and families."""
    versions = [version for version in checked.versions if c_gap(version) is None]
    by_header: dict[str, list[CheckedVersion]] = defaultdict(list)
    for version in versions:
        by_header[header_name(version)].append(version)
        named = instances[id(version.instance)]
        source = prefix_of(version).removeprefix("opmill_")
        yield later(
            rendered(C / "src" / f"{source}.c", "c/version.c.j2", (version.path,)),
            (version.digest, named.name),
            partial(version_source, version, named.name),
        )
    for header, group in by_header.items():
        spec = group[0].spec
        yield rendered(
            C / "include" / "opmill" / f"{header}.h",
            "c/operator.h.j2",
            (f"specs/{spec.domain}/{spec.operator}",),
            **operator_header(group),
        )
    yield from _families(versions, instances)
    yield rendered(
        C / "include" / "opmill" / "opmill.h",
        "c/opmill.h.j2",
        ("specs",),
        headers=sorted(by_header),
    )
    yield rendered(C / "include" / "opmill" / "kernels.h", "c/kernels.h.j2", ("specs",))
    yield rendered(
        C / "src" / "runtime" / "messages.h",
        "c/messages.h.j2",
        ("generator/opmill_gen/base/shared_messages.py",),
        messages=[(name, c_string(text)) for name, text in MESSAGES.items()],
    )
    yield Artifact(C / "CMakeLists.txt", "c/CMakeLists.txt.j2", {"version": settings.version})
    names = [kernel_name(version) for version in versions]
    for path in ("kernels.c", "kernels_private.h"):
        yield rendered(C / "src" / path, f"c/{path}.j2", ("specs",), kernels=names)


def _families(
    versions: list[CheckedVersion], instances: Mapping[int, NamedInstance]
) -> Iterator[Artifact]:
    """The rule and the kernel of each instance, and the sources that a family brings along."""
    folder = C / "src" / "families"
    seen: set[str] = set()
    # A version may lack outputs that the rule of its family gives.
    for version in sorted(versions, key=lambda version: -len(version.spec.outputs)):
        named = instances[id(version.instance)]
        family = named.instance.family
        if named.name in seen:
            continue
        seen.add(named.name)
        source = family.folder
        context = family_sources(named.instance, named.name, version.spec)
        for suffix in ("h", "c"):
            yield rendered(
                folder / f"{named.name}_rules.{suffix}",
                f"c/rules.{suffix}.j2",
                (f"{source}/rules.py",),
                **context,
            )
        assert family.c_template is not None
        yield Artifact(
            folder / f"{named.name}_kernel.c",
            "c/kernel.c.j2",
            {
                "banner": banner((f"{source}/kernel.c.j2",), "//"),
                "kernel": family.c_template,
                "instance": named.name,
                **dict(named.instance.parameters),
            },
        )
        for path in family.c_files:
            name = PurePosixPath(path).name
            if f"{family.name}/{name}" not in seen:
                seen.add(f"{family.name}/{name}")
                yield Artifact(folder / family.name / name, path)
