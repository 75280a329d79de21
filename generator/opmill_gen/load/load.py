"""Stage 1: reads the specs, indexes and families into the located model.

Nothing is checked across files here; a file that cannot be read is reported with all its
faults and the other files are read all the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opmill_gen.base.cache import KnownSpec, digest_of
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.progress import Progress, silent
from opmill_gen.load.lazy_cases import CASES, LaterCases, LaterVersion, without_cases
from opmill_gen.spec.family import Family, FamilyDocument, RuleFile
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion, read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, parse_yaml, plain
from opmill_gen.yaml_reader.tree_json import from_plain, to_plain


@dataclass(frozen=True)
class Sources:
    """Where the inputs of a run stand; the order of the template folders is the search order.

    ``records`` holds the numbers of long test runs, where there are any.
    """

    specs: Path
    templates: Path
    families: tuple[Path, ...]
    records: Path | None = None

    @property
    def native(self) -> Path:
        """The sources of the native module, which stand beside the templates."""
        return self.templates.parent / "native"

    def shown(self, path: Path) -> str:
        """A path as messages and banners show it: from the folder that holds the inputs."""
        for root in (self.specs, self.templates, *self.families):
            if path.is_relative_to(root):
                return (Path(root.name) / path.relative_to(root)).as_posix()
        return path.name


@dataclass(frozen=True)
class Loaded:
    """Everything that was read. Paths are as ``Sources.shown`` gives them.

    ``specs`` is what a cache has to know of each spec, ``unchanged`` are the paths of those that it
    knew: their cases were checked then and are read only where they are asked for.
    """

    versions: tuple[tuple[str, OperatorVersion], ...]
    indexes: Mapping[str, tuple[str, DomainIndex]]
    families: Mapping[str, Family]
    unreadable_families: frozenset[str]
    shared_rules: Mapping[str, tuple[str, str]]
    unfinished: frozenset[str]
    """The paths of specs that have gaps."""
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
        progress: told of each file.
    """
    specs: dict[str, KnownSpec] = {}
    unchanged: set[str] = set()
    if not sources.specs.is_dir():
        faults.report(Location(sources.specs.name), "no such folder; specs are read from it")
    versions: list[tuple[str, OperatorVersion]] = []
    indexes: dict[str, tuple[str, DomainIndex]] = {}
    for path in progress("reading", sorted(sources.specs.glob("**/*"))):
        shown = sources.shown(path)
        if path.suffix == ".yaml" and path.parent == sources.specs:
            faults.report(
                Location(shown),
                "a spec stands in the folder of its domain and "
                "operator; move it to specs/<domain>/<Operator>/<version>.yaml",
            )
            continue
        if path.suffix == ".yml":
            faults.report(Location(shown), "specs end in .yaml; rename it")
        if path.suffix != ".yaml" or path.is_dir():
            continue
        if path.name == "index.yaml" and path.parent.parent == sources.specs:
            index = _read(DomainIndex, path, shown, faults)
            if index is not None:
                indexes[path.parent.name] = (shown, index)
            continue
        text = read_text(path, shown, faults)
        if text is None:
            continue
        digest = digest_of(text.encode())
        earlier = (known or {}).get(shown)
        version = None
        if earlier is not None and earlier.digest == digest:
            version = _unchanged(shown, text, earlier)
        if earlier is not None and version is not None:
            unchanged.add(shown)
            specs[shown] = earlier
        else:
            version = _parsed(OperatorVersion, shown, text, faults, specs)
        if version is not None:
            versions.append((shown, version))
    families = _families(sources, faults)
    readable = {name: family for name, family in families.items() if family is not None}
    return Loaded(
        tuple(versions),
        indexes,
        readable,
        frozenset(families.keys() - readable.keys()),
        _shared_rules(sources, faults),
        frozenset(gap.location.path for gap in faults.gaps),
        specs,
        frozenset(unchanged),
    )


def read_text(path: Path, shown: str, faults: Faults) -> str | None:
    """The text of a file, or ``None`` with a fault where it is not UTF-8 or cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        faults.report(Location(shown), f"not UTF-8 at byte {error.start}; save the file as UTF-8")
    except OSError as error:
        faults.report(Location(shown), f"cannot be read: {error.strerror}")
    return None


def _read(cls: type, path: Path, shown: str, faults: Faults):  # type: ignore[no-untyped-def]
    text = read_text(path, shown, faults)
    return None if text is None else _parsed(cls, shown, text, faults)


def _parsed(  # type: ignore[no-untyped-def]
    cls: type, shown: str, text: str, faults: Faults, specs: dict[str, KnownSpec] | None = None
):
    """Read a document from its text; a spec is noted for the cache."""
    try:
        tree = parse_yaml(shown, text)
    except InputError as error:
        faults.extend(error.diagnostics)
        return None
    if specs is not None and isinstance(tree, Entries):
        specs[shown] = KnownSpec(digest_of(text.encode()), to_plain(without_cases(tree)))
    return read_document(cls, tree, faults)


def _unchanged(shown: str, text: str, known: KnownSpec) -> OperatorVersion | None:
    """A spec that was read before without a fault; its cases are read when they are looked at."""
    version = read_document(OperatorVersion, from_plain(shown, known.head), Faults())
    if not isinstance(version, OperatorVersion):
        return None
    later = LaterVersion(shown, text)
    cases: dict[str, Any] = {n: LaterCases(later, n) for n in CASES if n in version.places}
    return dataclasses.replace(version, **cases)


def _families(sources: Sources, faults: Faults) -> dict[str, Family | None]:
    """Every family by its name; ``None`` for one that cannot be read."""
    families: dict[str, Family | None] = {}
    for root in sources.families:
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            hidden = folder.name.startswith(("_", "."))
            if folder.is_dir() and not hidden and folder.name not in families:
                families[folder.name] = _family(folder, sources, faults)
    return families


def _family(folder: Path, sources: Sources, faults: Faults) -> Family | None:
    shown = sources.shown(folder)
    several = sorted((folder / "rules").glob("*.py"))
    needed = ["family.yaml", *([] if several else ["rules.py"]), "numpy.py.j2"]
    missing = [name for name in needed if not (folder / name).is_file()]
    for name in missing:
        faults.append(Diagnostic(Location(f"{shown}/{name}"), "no such file; every family has one"))
    if several and (folder / "rules.py").is_file():
        faults.report(
            Location(f"{shown}/rules.py"),
            "stands beside the folder rules; move it there, under the rule's name",
        )
        return None
    if missing:
        return None
    document = _read(FamilyDocument, folder / "family.yaml", f"{shown}/family.yaml", faults)
    rules = []
    for path in several or [folder / "rules.py"]:
        text = read_text(path, sources.shown(path), faults)
        if text is not None:
            rules.append(RuleFile(path.stem if several else None, sources.shown(path), text))
    rows = _rows(folder / "rows.yaml", f"{shown}/rows.yaml", faults)
    if document is None or len(rules) < len(several or [1]) or rows is None:
        return None
    figure = folder / "figure.py"
    drawing = read_text(figure, f"{shown}/figure.py", faults) if figure.is_file() else None
    return Family(
        name=folder.name,
        folder=shown,
        document=document,
        rules=tuple(rules),
        rows=rows,
        numpy_template=f"{folder.name}/numpy.py.j2",
        oracle_path=_optional(folder, "oracle.py"),
        calls_path=_optional(folder, "calls.py"),
        figure=None if drawing is None else (f"{shown}/figure.py", drawing),
        c_template=_optional(folder, "kernel.c.j2"),
        c_files=tuple(
            f"{folder.name}/c/{path.name}" for path in sorted((folder / "c").glob("*.[ch]"))
        ),
        c_reference=(f"{folder.name}/reference.c" if (folder / "reference.c").is_file() else None),
    )


def _rows(path: Path, shown: str, faults: Faults) -> dict[str, object] | None:
    """The rows of a family, plain data for its templates; ``None`` where they cannot be read."""
    if not path.is_file():
        return {}
    text = read_text(path, shown, faults)
    if text is None:
        return None
    try:
        tree = parse_yaml(shown, text)
    except InputError as error:
        faults.extend(error.diagnostics)
        return None
    if not isinstance(tree, Entries):
        faults.report(tree.location, "expected a mapping of rows, each under its word")
        return None
    return {name: plain(row) for name, row in tree.entries.items()}


def _optional(folder: Path, name: str) -> str | None:
    """The path of a file that a family may lack, from the folder of families."""
    return f"{folder.name}/{name}" if (folder / name).is_file() else None


def _shared_rules(sources: Sources, faults: Faults) -> dict[str, tuple[str, str]]:
    """The rule helpers that families share: module name -> (path, text)."""
    shared: dict[str, tuple[str, str]] = {}
    for root in sources.families:
        for path in sorted((root / "_shared").glob("*.py")):
            text = read_text(path, sources.shown(path), faults)
            if text is not None:
                shared.setdefault(path.stem, (sources.shown(path), text))
    return shared
