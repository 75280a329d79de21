"""``files.txt`` of the C library: what each version needs, for who takes some of them alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.c.header import OPERATORS, header_name, prefix_of
from opmill_gen.emit.c.support import c_gap

_TEMPLATE = "c/files.txt.j2"
_NEEDED = ("src/runtime/messages.h",)
"""What every version needs of the files that are rendered."""


def c_file_list(checked: Checked, copied: tuple[str, ...]) -> Artifact:
    """The list: for each version its own sources and headers, apart from those that all need.

    The table of all versions and the header that includes all are in none.

    Args:
        checked: the whole input.
        copied: the files of the C templates that are copied as they are.
    """
    versions = [version for version in checked.versions if c_gap(version) is None]
    runtime = [path for path in copied if path.startswith(("include/", "src/"))]
    lists = {version_name(version): sorted(_own(version)) for version in versions}
    context = {
        "banner": banner((f"templates/{_TEMPLATE}",)),
        "common": sorted((*runtime, *_NEEDED)),
        "versions": lists,
    }
    return Artifact(PurePosixPath("c", "files.txt"), _TEMPLATE, context)


def version_name(version: CheckedVersion) -> str:
    """How a version is called in the list: as its functions, without the library's name."""
    return prefix_of(version).partition("_")[2]


def _own(version: CheckedVersion) -> Iterator[str]:
    instance = version.instance
    family = instance.family
    yield f"include/opmill/{header_name(version)}.h"
    yield f"src/{OPERATORS}/{version_name(version)}.c"
    own = ["plan.h"]
    for name in (instance.kernel_module, instance.rules_module):
        own += [f"{name}.c", f"{name}.h"]
    for path in (*own, *family.c_files):
        yield f"src/families/{family.name}/{PurePosixPath(path).name}"
