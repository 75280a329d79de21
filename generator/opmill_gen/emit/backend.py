"""Interface of a backend: a language that operators are emitted in, as the other stages see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from opmill_gen.base.onnx_types import ConcreteType, TensorType
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.settings import Settings
from opmill_gen.spec.family import BackendName


@dataclass(frozen=True)
class Program:
    """A program with one example of a version: the example's name, its source, what it prints."""

    example: str
    source: str
    printed: str


class Backend(ABC):
    """A language that is generated: its gaps with reasons, its files, its part of a version's page.

    Everything outside of a backend's folder asks these methods; ``emit/backends.py`` lists the
    backends.
    """

    name: BackendName
    """Name in the ``gaps`` of ``family.yaml`` and in ``coverage.json``."""
    title: str
    """Name in the manual."""
    language: str
    """Language of its sources, as ``Python``."""

    @abstractmethod
    def gap(self, version: CheckedVersion) -> str | None:
        """Reason why a whole version is not emitted; ``None`` where it is."""

    def type_gap(self, version: CheckedVersion, type_: ConcreteType) -> str | None:
        """Reason why a version that is emitted does not compute with a type; ``None`` if it does.

        A gap of the family without types is one of the whole version, which ``gap`` reports.
        """
        element = type_.element if isinstance(type_, TensorType) else None
        for gap in version.instance.family.document.gaps:
            if gap.backend is self.name and element in gap.types:
                return gap.reason
        return None

    @abstractmethod
    def files(
        self, checked: Checked, copied: Mapping[str, tuple[str, ...]], settings: Settings
    ) -> Iterator[Artifact]:
        """Every file of the backend and of its tests.

        Args:
            checked: the whole input, without faults.
            copied: the files of each folder of the runtime.
            settings: what the run is asked for.
        """

    def listed(self, files: Mapping[PurePosixPath, bytes]) -> Mapping[PurePosixPath, bytes]:
        """Files that follow from the contents of others, as a list of what includes what.

        Args:
            files: every other file of the output.
        """
        return {}

    @abstractmethod
    def declaration(self, version: CheckedVersion, package: str) -> str:
        """Declaration of a version's functions, as the manual shows it.

        Args:
            version: an operator version without a gap.
            package: the name of the generated package.
        """

    def program(self, version: CheckedVersion) -> Program | None:
        """A program with one example of a version; ``None`` where no example is plain enough."""
        return None
