"""The folders that a run reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location

CARRIED = "_data.tar.xz"
"""The archive of all inputs, in an installed generator."""


@dataclass(frozen=True)
class Sources:
    """The folders that a run reads; families are searched in their order.

    ``records`` holds the numbers of long test runs, where there are any; ``corpus`` the cases with
    which panels of the manual start, if it is to have panels.
    """

    specs: Path
    templates: Path
    families: tuple[Path, ...]
    records: Path | None = None
    corpus: Path | None = None

    @property
    def root(self) -> Path:
        """The folder that holds the templates and, beside them, what is copied as it is."""
        return self.templates.parent

    @property
    def runtime(self) -> Path:
        """The libraries that generated code calls, and the binding of the two languages."""
        return self.root / "runtime"

    @property
    def docs(self) -> Path:
        """The pages of the manual that are written by hand."""
        return self.root / "docs"

    @property
    def inputs(self) -> dict[str, Path]:
        """The folders that a run reads, by what they are called in messages."""
        found = {
            "the folder of specs": self.specs,
            "the folder of templates": self.templates,
            "the folder of the runtime": self.runtime,
            "the folder of the manual's pages": self.docs,
        }
        for number, folder in enumerate(self.families, 1):
            found[f"the folder of families{f' {number}' if number > 1 else ''}"] = folder
        if self.records is not None:
            found["the folder of test records"] = self.records
        if self.corpus is not None:
            found["the folder of the corpus"] = self.corpus
        return found

    def shown(self, path: Path) -> str:
        """A path as messages and banners show it: from the folder that holds the inputs."""
        for root in (self.specs, self.templates, self.runtime, self.docs, *self.families):
            if path.is_relative_to(root):
                return (Path(root.name) / path.relative_to(root)).as_posix()
        return path.name


def default_sources() -> Sources:
    """The specs and templates of the checkout that this package is part of, or those it carries."""
    package = Path(__file__).resolve().parent.parent
    carried = package / CARRIED
    if carried.is_file():
        from opmill._runtime.carried import unpacked
        from opmill._runtime.errors import Error

        try:
            root = unpacked(carried)
        except Error as error:
            raise InputError([Diagnostic(Location(CARRIED), str(error))]) from None
    else:
        root = package.parent.parent
    records = root / "tests" / "records"
    return Sources(root / "specs", root / "templates", (root / "families",), records)
