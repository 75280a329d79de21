"""``files.txt`` of the C library: what each version needs, for who takes some of them alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.c.header import OPERATORS, header_name, prefix_of
from opmill_gen.emit.c.library import rule_helpers
from opmill_gen.emit.c.support import c_gap

_TEMPLATE = "c/files.txt.j2"
_NEEDED = ("src/runtime/messages.h",)
"""What every version needs of the files that are rendered."""


def c_file_list(checked: Checked, copied: tuple[str, ...]) -> Artifact:
    """The list: for each version its own sources and headers, apart from those that all need.

    Versions that need the same files beside their own source are on one line. The table of all
    versions and the header that includes all are in none.

    Args:
        checked: the whole input.
        copied: the files of runtime/c.
    """
    versions = [version for version in checked.versions if c_gap(version) is None]
    runtime = [path for path in copied if path.startswith(("include/", "src/"))]
    helpers = [f"src/{helper.header}" for helper in rule_helpers(versions).values()]
    groups: dict[tuple[str, ...], list[str]] = {}
    lines: list[tuple[list[str], tuple[str, ...]]] = []
    for version in versions:
        name, shared = version_name(version), tuple(sorted(_shared(version)))
        if shared not in groups:
            groups[shared] = []
            lines.append((groups[shared], shared))
        groups[shared].append(name)
        lines.append(([name], (_source(version),)))
    context = {
        "banner": banner((f"templates/{_TEMPLATE}",)),
        "common": sorted((*runtime, *_NEEDED, *helpers)),
        "versions": lines,
    }
    return Artifact(PurePosixPath("c", "files.txt"), _TEMPLATE, context)


def version_name(version: CheckedVersion) -> str:
    """How a version is called in the list: as its functions, without the library's name."""
    return prefix_of(version).partition("_")[2]


def _source(version: CheckedVersion) -> str:
    return f"src/{OPERATORS}/{version_name(version)}.c"


def _shared(version: CheckedVersion) -> Iterator[str]:
    """What a version needs beside its own source."""
    instance = version.instance
    family = instance.family
    yield f"include/opmill/{header_name(version)}.h"
    own = ["plan.h"]
    for name in (instance.kernel_module, instance.rules_module):
        own += [f"{name}.c", f"{name}.h"]
    for path in (*own, *family.c_files):
        yield f"src/families/{family.name}/{PurePosixPath(path).name}"
