"""Stage 3: decides which files there are, from which template, with which context.

Nothing is rendered here. Everything that a template needs is worked out by the views, so that
templates only lay out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from opmill_gen.base.cache import Figures
from opmill_gen.base.diagnostics import InputError, Location
from opmill_gen.base.package_rename import OPMILL, renamed_path
from opmill_gen.check.result import Checked
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.corpus.examples import Examples
from opmill_gen.emit.docs.manual import manual, reports
from opmill_gen.emit.project import project_files
from opmill_gen.emit.settings import Settings
from opmill_gen.load.test_records import Records
from opmill_gen.onnx.texts import Texts
from opmill_gen.yaml_reader.decode import Faults


def plan(
    checked: Checked,
    copied: Mapping[str, tuple[str, ...]],
    settings: Settings,
    records: Records,
    figures: Figures,
    examples: Examples | None = None,
    texts: Mapping[str, Texts] | None = None,
) -> list[Artifact]:
    """Every file of the output, sorted by path.

    Args:
        checked: the whole input, without faults.
        copied: the files of each folder of the runtime, and of the manual's pages, which are
            copied as they are.
        settings: what the run is asked for.
        records: the numbers of long test runs.
        figures: what is known of costly figures.
        examples: those of the corpus, for panels of the manual; ``None`` for no panels.
        texts: the recorded published texts of each domain, for the manual; ``None`` for no page.

    Raises:
        InputError: two files would have one path.
    """
    is_opmill = settings.package == OPMILL
    if settings.manual:
        pages = manual(
            checked,
            copied["docs"],
            settings.package,
            records,
            figures,
            version=settings.version,
            whole=is_opmill,
            examples=examples,
            texts=texts or {},
        )
        return sorted(
            (_own(page, settings.package) if settings.is_own else page for page in pages),
            key=lambda page: page.path,
        )
    artifacts = [
        *(file for backend in BACKENDS for file in backend.files(checked, copied, settings)),
        *reports(checked, records, figures, whole=is_opmill),
    ]
    if settings.is_own:
        artifacts = [_own(artifact, settings.package) for artifact in artifacts]
        project = project_files(checked, copied["native"], settings)
        artifacts += [
            _own(a, settings.package) if a.template.startswith("runtime/native/") else a
            for a in project
        ]
    _refuse_shared_paths(artifacts)
    return sorted(artifacts, key=lambda artifact: artifact.path)


def _refuse_shared_paths(artifacts: Iterable[Artifact]) -> None:
    """Two files of one path, or of paths that differ in letter case alone, are a fault."""
    owners: dict[str, Artifact] = {}
    faults = Faults()
    for artifact in artifacts:
        other = owners.setdefault(artifact.path.as_posix().lower(), artifact)
        if other is not artifact:
            faults.report(
                Location(artifact.path.as_posix()),
                f"would be made from {other.template} and from {artifact.template}, expected one "
                "file of each path; rename the operator or the family",
            )
    if faults:
        raise InputError(faults)


def _own(artifact: Artifact, package: str) -> Artifact:
    """A file that is put out under the name of another package than templates are written for."""
    return replace(artifact, path=renamed_path(artifact.path, package), package=package)
