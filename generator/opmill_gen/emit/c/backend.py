"""The C library as a backend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from opmill_gen.base.onnx_types import ConcreteType
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.backend import Backend, Program
from opmill_gen.emit.c.examples import c_program
from opmill_gen.emit.c.file_list import FILE_LIST, c_file_list
from opmill_gen.emit.c.header import version_prototypes
from opmill_gen.emit.c.kernel_list import c_kernel_list
from opmill_gen.emit.c.library import C, c_library
from opmill_gen.emit.c.support import c_gap, c_type_gap
from opmill_gen.emit.c.tests import c_tests
from opmill_gen.emit.settings import Settings
from opmill_gen.spec.family import BackendName


class CBackend(Backend):
    """Portable C11: a library that allocates nothing, with a record and functions a version."""

    name = BackendName.C
    title = "C"
    language = "C"

    def gap(self, version: CheckedVersion) -> str | None:
        """Reason of the family, of the signature or of the rule."""
        return c_gap(version)

    def type_gap(self, version: CheckedVersion, type_: ConcreteType) -> str | None:
        """Reason of the family, or that the type is no tensor."""
        return c_type_gap(version, type_)

    def files(
        self, checked: Checked, copied: Mapping[str, tuple[str, ...]], settings: Settings
    ) -> Iterator[Artifact]:
        """The library, its list of kernels, its tests; the runtime as it is."""
        for name in copied["c"]:
            yield Artifact(C / name, f"runtime/c/{name}")
        yield from c_library(checked, settings)
        yield c_kernel_list(checked)
        yield from c_tests(checked, settings)

    def listed(self, files: Mapping[PurePosixPath, bytes]) -> Mapping[PurePosixPath, bytes]:
        """``files.txt``."""
        return {FILE_LIST: c_file_list(files)}

    def declaration(self, version: CheckedVersion, package: str) -> str:
        """The prototypes of a version's header; the package's name is put in with the file."""
        return version_prototypes(version)

    def program(self, version: CheckedVersion) -> Program | None:
        """A ``main`` that calls the version and prints its result."""
        return c_program(version)
