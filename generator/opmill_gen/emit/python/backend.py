"""The Python package as a backend: kernels in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.backend import Backend
from opmill_gen.emit.python.module import python_signature
from opmill_gen.emit.python.package import module_of, package_files
from opmill_gen.emit.python.test_files import test_files
from opmill_gen.emit.settings import Settings
from opmill_gen.spec.family import BackendName


class PythonBackend(Backend):
    """A module a version, whose kernel is NumPy's or that of a compiled backend."""

    name = BackendName.NUMPY
    title = "NumPy"
    language = "Python"

    def __init__(self, compiled: Backend) -> None:
        """Take the backend whose kernels the package calls where its native module is built."""
        self._compiled = compiled

    def gap(self, version: CheckedVersion) -> str | None:
        """Reason of the family."""
        gaps = version.instance.family.document.gaps
        reasons = (gap.reason for gap in gaps if gap.backend is self.name and not gap.types)
        return next(reasons, None)

    def files(
        self, checked: Checked, copied: Mapping[str, tuple[str, ...]], settings: Settings
    ) -> Iterator[Artifact]:
        """The package and its tests; the runtime of both as it is."""
        yield from package_files(checked, copied["python"], settings, self._compiled)
        yield from test_files(checked, copied["tests"], settings)

    def declaration(self, version: CheckedVersion, package: str) -> str:
        """The import and the signature of a version's function."""
        return python_signature(version, module_of(version, package))
