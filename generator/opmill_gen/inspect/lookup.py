"""The specs as the commands that only print read them: those of one operator, or all.

``generate`` refuses a tree with a fault or a gap anywhere in it. A command that looks something up
reads what it prints: faults and gaps of one spec say nothing of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from opmill_gen.base.collector import without_collector
from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.base.progress import Progress, silent
from opmill_gen.check.signature import check_location, check_signature
from opmill_gen.load.families import read_family
from opmill_gen.load.load import load_specs, read_indexes
from opmill_gen.load.sources import Sources
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion
from opmill_gen.yaml_reader.decode import Faults

_NAMED = 3
"""Maximum number of specs that a line names; of further ones it has only the number."""


@dataclass(frozen=True)
class Version:
    """An operator version: the path of its spec and its contents as far as they can be read.

    Where text is still to be written, the gap itself is in ``spec``. ``spec`` is ``None`` where
    gaps or faults leave too little to be read. The names and the number are those of the path;
    ``number`` is ``None`` where the path has none.
    """

    path: str
    domain: str
    operator: str
    number: int | None
    spec: OperatorVersion | None
    gaps: tuple[Diagnostic, ...] = ()
    faults: tuple[Diagnostic, ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if the version has neither gaps nor faults."""
        return not self.gaps and not self.faults

    @property
    def readable(self) -> OperatorVersion:
        """The contents.

        Raises:
            InputError: the version has faults, or its gaps leave too little of it.
        """
        if self.spec is None or self.faults:
            raise InputError([*self.faults, *self.gaps])
        return self.spec


def look_up(
    sources: Sources, operator: str | None = None, progress: Progress = silent
) -> tuple[Version, ...]:
    """All versions, or those of one operator, by domain, operator and number.

    Cases are read for one operator alone. The form, the location and the signature of each version
    are checked, nothing else.
    """
    faults = Faults()
    with without_collector():
        loaded = load_specs(
            sources, faults, None, progress, operator=operator, cases=operator is not None
        )
    specs = dict(loaded.versions)
    for path, spec in loaded.versions:
        check_location(path, spec, faults)
        check_signature(spec, faults)
    by_path: dict[str, list[Diagnostic]] = {}
    for fault in sorted(faults):
        by_path.setdefault(fault.location.path, []).append(fault)
    shared = {path for files in loaded.operators.values() for path in files.paths}
    versions = []
    for path in sorted({*loaded.operators, *by_path} - shared):
        file = PurePosixPath(path)
        beside = loaded.operators[path].paths if path in loaded.operators else ()
        found = [fault for name in (path, *sorted(beside)) for fault in by_path.get(name, ())]
        versions.append(
            Version(
                path,
                file.parent.parent.name,
                file.parent.name,
                int(file.stem) if file.stem.isdecimal() else None,
                specs.get(path),
                loaded.unfinished.get(path, ()),
                tuple(found),
            )
        )
    versions.sort(key=lambda v: (v.domain, v.operator, v.number or 0, v.path))
    return tuple(versions)


def operator_names(sources: Sources, domain: str | None) -> list[str]:
    """The names of the operators that have specs, in one domain or in all."""
    folders = sources.specs.glob("*/*")
    return sorted({f.name for f in folders if domain in (None, f.parent.name) and f.is_dir()})


def indexes_of(sources: Sources) -> dict[str, DomainIndex]:
    """The index of each domain that has one.

    Raises:
        InputError: an index has faults or gaps; all that were found.
    """
    faults = Faults()
    indexes = read_indexes(sources, faults)
    if faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return {domain: index for domain, (_, index) in indexes.items()}


def parameters_of(sources: Sources, spec: OperatorVersion) -> dict[str, str | int | bool]:
    """The values of all parameters of a version's family.

    Raises:
        InputError: the family has faults or gaps, or does not accept what the version gives it.
    """
    faults = Faults()
    family = read_family(sources, spec.family, faults)
    parameters = {} if family is None else family.bind(spec.family, faults)
    if faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return parameters


def left_out(what: str, versions: Iterable[Version]) -> Iterator[str]:
    """One line each for the unfinished and the faulty of these versions.

    Args:
        what: what the answer does with them.
        versions: versions; those without gaps and faults are not named.
    """
    listed = list(versions)
    faulty = [version for version in listed if version.faults]
    unfinished = [version for version in listed if version.gaps and not version.faults]
    if unfinished:
        yield f"not finished, so {what}: {_named(unfinished)}; 'opmill generate' names each gap"
    if faulty:
        yield f"faulty, so left out: {_named(faulty)}; 'opmill generate' names each fault"


def _named(versions: Sequence[Version]) -> str:
    named = [
        f"{v.path} ({'faults' if v.faults else 'gaps'}: {len(v.faults or v.gaps)})"
        for v in versions[:_NAMED]
    ]
    more = len(versions) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
