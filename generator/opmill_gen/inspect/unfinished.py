"""The input as the commands that only print take it: what is whole, and what is still unfinished.

``generate`` refuses a tree with a gap anywhere in it. Who looks something up is answered all the
same: the gaps of one spec say nothing of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.check.check import check
from opmill_gen.check.result import Checked
from opmill_gen.load.load import Sources, load
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.decode import Faults

_NAMED = 3
"""So many unfinished specs are named in a line; of further ones only the number is printed."""


@dataclass(frozen=True)
class Version:
    """An operator version, finished or not: the path of its spec and what it says.

    Where text is still to be written, the gap itself is in ``spec``. ``spec`` is ``None`` where
    the gaps leave too little to be read, as one in the place of a fact does. The name and the
    number are those of the path then; ``number`` is ``None`` where the path has none.
    """

    path: str
    domain: str
    operator: str
    number: int | None
    spec: OperatorVersion | None
    parameters: Mapping[str, str | int | bool]
    """Those of its family."""
    gaps: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Input:
    """What is whole, and all versions with those that are not, by domain, operator and number."""

    checked: Checked
    versions: tuple[Version, ...]

    @property
    def unfinished(self) -> tuple[Version, ...]:
        """The versions with gaps."""
        return tuple(version for version in self.versions if version.gaps)


def read_input(sources: Sources) -> Input:
    """Load and check; gaps end it only where they stand in what many versions are made from.

    Raises:
        InputError: the input has faults, or gaps in an index or a family; all that were found.
    """
    faults = Faults()
    loaded = load(sources, faults)
    checked = check(loaded, faults)
    # An index or a family with a gap could make a version that uses it disappear unnoticed.
    of_versions = {gap for gaps in loaded.unfinished.values() for gap in gaps}
    shared = [gap for gap in faults.gaps if gap not in of_versions]
    if faults or shared:
        raise InputError([*faults, *faults.gaps])
    specs = dict(loaded.versions)
    versions = [
        Version(
            v.path,
            v.spec.domain,
            v.spec.operator,
            v.spec.since_version,
            v.spec,
            dict(v.instance.parameters),
        )
        for v in checked.versions
    ]
    for path, gaps in loaded.unfinished.items():
        versions.append(_unfinished(path, specs.get(path), gaps))
    versions.sort(key=lambda v: (v.domain, v.operator, v.number or 0, v.path))
    return Input(checked, tuple(versions))


def _unfinished(path: str, spec: OperatorVersion | None, gaps: tuple[Diagnostic, ...]) -> Version:
    if spec is not None:
        number, parameters = spec.since_version, spec.family.parameters
        return Version(path, spec.domain, spec.operator, number, spec, parameters, gaps)
    place = PurePosixPath(path)
    known = int(place.stem) if place.stem.isdecimal() else None
    return Version(path, place.parent.parent.name, place.parent.name, known, None, {}, gaps)


def unfinished_line(what: str, versions: Sequence[Version]) -> str:
    """One line that says which versions are not finished, and what an answer does with them."""
    named = [f"{version.path} (gaps: {len(version.gaps)})" for version in versions[:_NAMED]]
    more = len(versions) - len(named)
    rest = f" and {more} more" if more else ""
    return f"not finished, so {what}: {', '.join(named)}{rest}; 'opmill generate' names each gap"
