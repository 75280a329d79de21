"""Stage 1: reads the specs, indexes and families into the located model.

Nothing is checked across files here; a file that cannot be read is reported with all its
faults and the other files are read all the same. Commands that only print read less: the specs
alone, or those of one operator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opmill_gen.base.cache import KnownSpec, digest_of_value
from opmill_gen.base.diagnostics import Diagnostic, Location, meant, near
from opmill_gen.base.progress import Progress, silent
from opmill_gen.load.accuracy_reason import accuracy_reason
from opmill_gen.load.documents import read_file, read_text, read_tree
from opmill_gen.load.families import family_folders, read_families, shared_rules
from opmill_gen.load.operator_files import FILES, OperatorFiles, RangedFile
from opmill_gen.load.sources import Sources
from opmill_gen.spec.conversions import CONVERSIONS, ConversionsFile
from opmill_gen.spec.family import Family
from opmill_gen.spec.operator_version import (
    DomainIndex,
    OperatorVersion,
    read_document,
)
from opmill_gen.yaml_reader.decode import GAP, Faults
from opmill_gen.yaml_reader.tree import Entries
from opmill_gen.yaml_reader.tree_json import from_plain, to_plain

INDEX = "index.yaml"


@dataclass(frozen=True)
class Loaded:
    """Everything that was read. Paths are as ``Sources.shown`` gives them.

    ``specs`` is what a cache keeps of each file of an operator, ``unchanged`` are the paths of the
    versions that it knew with their cases: these were checked then.
    """

    versions: tuple[tuple[str, OperatorVersion], ...]
    indexes: Mapping[str, tuple[str, DomainIndex]] = field(default_factory=dict)
    families: Mapping[str, Family] = field(default_factory=dict)
    family_names: tuple[str, ...] = ()
    """The names of all families, also of those that were not read."""
    unreadable_families: frozenset[str] = frozenset()
    shared_rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unfinished: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """The gaps of each version that has some, in its file and in those beside it."""
    conversions: Mapping[tuple[str, str], tuple[str, ConversionsFile]] = field(default_factory=dict)
    """The conversions of each operator that has some, by domain and operator."""
    operators: Mapping[str, OperatorFiles] = field(default_factory=dict)
    """The folder of each version: path of the version -> the operator's files."""
    specs: Mapping[str, KnownSpec] = field(default_factory=dict)
    unchanged: frozenset[str] = frozenset()


def load(
    sources: Sources,
    faults: Faults,
    known: Mapping[str, KnownSpec] | None = None,
    progress: Progress = silent,
) -> Loaded:
    """Read every input file; faults are collected.

    Args:
        sources: where the files stand.
        faults: where faults are reported.
        known: the specs that an earlier run found to be without faults, by their paths.
        progress: called with each file.
    """
    specs = load_specs(sources, faults, known, progress)
    used = {spec.family.name for _, spec in specs.versions}
    folders = family_folders(sources)
    families = read_families(sources, folders, used, faults)
    readable = {name: family for name, family in families.items() if family is not None}
    return dataclasses.replace(
        specs,
        indexes=read_indexes(sources, faults),
        conversions=_conversions(sources, faults),
        families=readable,
        family_names=tuple(folders),
        unreadable_families=frozenset(families.keys() - readable.keys()),
        shared_rules=shared_rules(sources, faults),
    )


def load_specs(
    sources: Sources,
    faults: Faults,
    known: Mapping[str, KnownSpec] | None = None,
    progress: Progress = silent,
    *,
    operator: str | None = None,
    cases: bool = True,
) -> Loaded:
    """Read the specs, without indexes and families; faults are collected.

    Args:
        sources: where the files are.
        faults: where faults are reported.
        known: the specs that an earlier run found to be without faults, by their paths.
        progress: called with each file.
        operator: the only operator to read, of whatever domain; all where absent.
        cases: whether to read all files of cases and errata, or only those that may have gaps.
    """
    specs: dict[str, KnownSpec] = {}
    unchanged: set[str] = set()
    if not sources.specs.is_dir():
        faults.report(Location(sources.specs.name), "no such folder; specs are read from it")
    versions: list[tuple[str, OperatorVersion]] = []
    operators: dict[Path, OperatorFiles] = {}
    paths: dict[str, OperatorFiles] = {}
    for path in progress("reading", _files(sources.specs, operator)):
        shown = sources.shown(path)
        if path.suffix == ".yaml" and path.parent == sources.specs:
            faults.report(
                Location(shown),
                "a spec belongs in the folder of its domain and "
                "operator; move it to specs/<domain>/<Operator>/<version>.yaml",
            )
            continue
        if path.suffix == ".yml":
            faults.report(Location(shown), "specs end in .yaml; rename it")
        if path.suffix != ".yaml" or path.is_dir():
            continue
        if path.name == INDEX and path.parent.parent == sources.specs:
            continue
        if path.parent not in operators:
            operators[path.parent] = beside(
                path.parent, sources.shown, faults, known, gaps_only=not cases
            )
            specs.update({file.path: file.known for file in operators[path.parent].files})
        if path.name in FILES or path.name == CONVERSIONS:
            continue
        if near(path.name, FILES) and not path.stem.isdecimal():
            faults.report(Location(shown), f"no file has this name{meant(path.name, FILES)}")
            continue
        files = operators[path.parent]
        paths[shown] = files
        text = read_text(path, shown, faults)
        if text is None:
            continue
        # A file whose name is no number is misplaced, which ends the run.
        number = int(path.stem) if path.stem.isdecimal() else 0
        digest = digest_of_value([text, files.digest(number)])
        earlier = (known or {}).get(shown)
        version = None
        if earlier is not None and earlier.digest == digest:
            version = read_document(OperatorVersion, from_plain(shown, earlier.head), Faults())
            unchanged.add(shown)
            specs[shown] = earlier
        else:
            tree = read_tree(shown, text, faults)
            if isinstance(tree, Entries):
                specs[shown] = KnownSpec(digest, to_plain(tree))
            version = None if tree is None else read_document(OperatorVersion, tree, faults)
        if isinstance(version, OperatorVersion):
            accuracy = dataclasses.replace(version.accuracy, reason=accuracy_reason(text))
            selected = files.of_version(version)
            versions.append((shown, dataclasses.replace(version, accuracy=accuracy, **selected)))
    return Loaded(
        tuple(versions),
        unfinished=_gaps(paths, faults),
        operators=paths,
        specs=specs,
        unchanged=frozenset(unchanged),
    )


def _files(specs: Path, operator: str | None) -> list[Path]:
    """The entries of a folder of specs, or those of one operator's folders, in their order."""
    if operator is None:
        return sorted(specs.glob("**/*"))
    folders = (folder for folder in specs.glob("*/*") if folder.name == operator)
    return sorted(path for folder in folders for path in folder.glob("**/*"))


def read_indexes(sources: Sources, faults: Faults) -> dict[str, tuple[str, DomainIndex]]:
    """The index of each domain that has one, with its path; faults are collected."""
    indexes: dict[str, tuple[str, DomainIndex]] = {}
    for path in sorted(sources.specs.glob(f"*/{INDEX}")):
        if not path.is_dir():
            index = read_file(DomainIndex, path, sources.shown(path), faults)
            if index is not None:
                indexes[path.parent.name] = (sources.shown(path), index)
    return indexes


def _conversions(
    sources: Sources, faults: Faults
) -> dict[tuple[str, str], tuple[str, ConversionsFile]]:
    """The conversions of each operator that has some; faults are collected."""
    found: dict[tuple[str, str], tuple[str, ConversionsFile]] = {}
    for path in sorted(sources.specs.glob(f"*/*/{CONVERSIONS}")):
        document = read_file(ConversionsFile, path, sources.shown(path), faults)
        if document is not None:
            found[path.parent.parent.name, path.parent.name] = (sources.shown(path), document)
    return found


def beside(
    folder: Path,
    shown_as: Callable[[Path], str],
    faults: Faults,
    known: Mapping[str, KnownSpec] | None = None,
    *,
    gaps_only: bool = False,
) -> OperatorFiles:
    """The files of an operator's folder; those beside the versions are read.

    Args:
        folder: the folder.
        shown_as: a path as messages show it.
        faults: where faults are reported.
        known: what an earlier run remembers of files, by their paths.
        gaps_only: whether to skip files without the word that begins a gap.
    """
    files = []
    numbers = {int(p.stem) for p in folder.glob("*.y*ml") if p.stem.isdecimal()}
    for name in FILES:
        path = folder / name
        shown = shown_as(path)
        if not path.is_file():
            continue
        if not numbers:
            faults.report(
                Location(shown),
                "there is no version beside this file; write one as "
                "specs/<domain>/<Operator>/<version>.yaml",
            )
        text = read_text(path, shown, faults)
        if gaps_only and (text is None or GAP not in text):
            continue
        files.append(RangedFile(name, shown, text, faults, (known or {}).get(shown)))
    return OperatorFiles(shown_as(folder), numbers, files)


def _gaps(paths: Mapping[str, OperatorFiles], faults: Faults) -> dict[str, tuple[Diagnostic, ...]]:
    """The gaps of each version that has some: its own, and all in the files beside it."""
    by_path: dict[str, list[Diagnostic]] = {}
    for gap in sorted(faults.gaps):
        by_path.setdefault(gap.location.path, []).append(gap)
    found = {
        path: tuple(gap for name in (path, *sorted(files.paths)) for gap in by_path.get(name, ()))
        for path, files in paths.items()
    }
    return {path: gaps for path, gaps in found.items() if gaps}
