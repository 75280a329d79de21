"""Stage 1: reads the specs, indexes and families into the located model.

Nothing is checked across files here; a file that cannot be read is reported with all its
faults and the other files are read all the same. Commands that only print read less: the specs
alone, or those of one operator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opmill_gen.base.cache import KnownSpec, digest_of, digest_of_value
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location, meant, near
from opmill_gen.base.progress import Progress, silent
from opmill_gen.load.accuracy_reason import accuracy_reason
from opmill_gen.load.input_files import content_problem
from opmill_gen.load.operator_files import FILES, OperatorFiles, RangedFile
from opmill_gen.spec.conversions import CONVERSIONS, ConversionsFile
from opmill_gen.spec.family import Family, FamilyDocument, RuleFile
from opmill_gen.spec.operator_version import (
    DomainIndex,
    FamilyUse,
    OperatorVersion,
    read_document,
)
from opmill_gen.yaml_reader.decode import GAP, Faults
from opmill_gen.yaml_reader.tree import Entries, Tree, parse_yaml, plain
from opmill_gen.yaml_reader.tree_json import from_plain, to_plain

INDEX = "index.yaml"
FUNCTIONS = "functions.py"
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
    folders = _family_folders(sources)
    families = _families(sources, folders, used, faults)
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
            tree = _tree(shown, text, faults)
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
            index = _read(DomainIndex, path, sources.shown(path), faults)
            if index is not None:
                indexes[path.parent.name] = (sources.shown(path), index)
    return indexes


def _conversions(
    sources: Sources, faults: Faults
) -> dict[tuple[str, str], tuple[str, ConversionsFile]]:
    """The conversions of each operator that has some; faults are collected."""
    found: dict[tuple[str, str], tuple[str, ConversionsFile]] = {}
    for path in sorted(sources.specs.glob(f"*/*/{CONVERSIONS}")):
        document = _read(ConversionsFile, path, sources.shown(path), faults)
        if document is not None:
            found[path.parent.parent.name, path.parent.name] = (sources.shown(path), document)
    return found


def read_text(path: Path, shown: str, faults: Faults) -> str | None:
    """The text of a file, or ``None`` with a fault where it is not UTF-8 or cannot be read."""
    try:
        problem = content_problem(path.stat())
        if problem is not None:
            faults.report(Location(shown), problem)
            return None
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        faults.report(Location(shown), f"not UTF-8 at byte {error.start}; save the file as UTF-8")
    except OSError as error:
        faults.report(Location(shown), f"cannot be read: {error.strerror}")
    return None


def _read(cls: type, path: Path, shown: str, faults: Faults):  # type: ignore[no-untyped-def]
    text = read_text(path, shown, faults)
    tree = None if text is None else _tree(shown, text, faults)
    return None if tree is None else read_document(cls, tree, faults)


def _tree(shown: str, text: str, faults: Faults) -> Tree | None:
    """The tree of a document, or ``None`` with its faults."""
    try:
        return parse_yaml(shown, text)
    except InputError as error:
        faults.extend(error.diagnostics)
        return None


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


def _family_folders(sources: Sources) -> dict[str, Path]:
    """The folder of each family by its name."""
    found: dict[str, Path] = {}
    for root in sources.families:
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            if not folder.name.startswith(("_", ".")) and folder.is_dir():
                found.setdefault(folder.name, folder)
    return found


def _families(
    sources: Sources, folders: Mapping[str, Path], used: Collection[str], faults: Faults
) -> dict[str, Family | None]:
    """The families of a project, and those of opmill that it uses; ``None`` if unreadable."""
    is_opmill = sources.specs.parent == sources.root
    return {
        name: _family(folder, sources, faults)
        for name, folder in folders.items()
        if is_opmill or name in used or folder.parent != sources.root / "families"
    }


def read_family(sources: Sources, use: FamilyUse, faults: Faults) -> Family | None:
    """The family that a spec uses; ``None``, with its faults, where it cannot be read."""
    for root in sources.families:
        if (root / use.name).is_dir():
            return _family(root / use.name, sources, faults)
    faults.report(use.location, f"there is no family '{use.name}'")
    return None


def _family(folder: Path, sources: Sources, faults: Faults) -> Family | None:
    shown = sources.shown(folder)
    several = sorted((folder / "rules").glob("*.py"))
    needed = ["family.yaml", *([] if several else ["rules.py"])]
    missing = [name for name in needed if not (folder / name).is_file()]
    python, c = (_kernel(folder, name, shown, faults) for name in ("kernel.py", "kernel.c"))
    if python is None:
        missing.append("kernel.py")
    for name in missing:
        faults.append(Diagnostic(Location(f"{shown}/{name}"), "no such file; every family has one"))
    if several and (folder / "rules.py").is_file():
        faults.report(
            Location(f"{shown}/rules.py"),
            "is beside the folder rules; move it there, under the rule's name",
        )
        return None
    if missing or python is None:
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
        python_kernel=python,
        python_functions=_optional(folder, FUNCTIONS),
        oracle_path=_optional(folder, "oracle.py"),
        oracle_text=_optional_text(folder, "oracle.py"),
        calls_path=_optional(folder, "calls.py"),
        calls_text=_optional_text(folder, "calls.py"),
        figure=None if drawing is None else (f"{shown}/figure.py", drawing),
        c_kernels=_c_kernels(folder, c, rules),
        c_files=tuple(
            f"{folder.name}/c/{path.name}" for path in sorted((folder / "c").glob("*.[ch]"))
        ),
        kernel_digest=_kernel_digest(folder),
    )


def _kernel(folder: Path, name: str, shown: str, faults: Faults) -> str | None:
    """A kernel's path from the folder of families: the file itself, or a template of it."""
    found = [path for path in (_optional(folder, name), _optional(folder, f"{name}.j2")) if path]
    if len(found) > 1:
        faults.report(Location(f"{shown}/{name}"), f"is beside {name}.j2; remove one of them")
    return found[0] if found else None


def _c_kernels(folder: Path, shared: str | None, rules: list[RuleFile]) -> dict[str, str]:
    """The kernels in C that rules have of their own, and under ``""`` the one that they share."""
    own = {one.name: _optional(folder, f"kernel_{one.name}.c") for one in rules if one.name}
    return {name: path for name, path in {"": shared, **own}.items() if path is not None}


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


def _kernel_digest(folder: Path) -> str:
    """A digest of what the kernels of a family are made of, in both languages."""
    paths = [*folder.glob("kernel*.*"), *folder.glob("*.j2"), *(folder / "c").glob("*.[ch]")]
    paths += folder.glob(FUNCTIONS)
    return digest_of_value(
        [[path.name, digest_of(path.read_bytes())] for path in sorted(set(paths))]
    )


def _optional(folder: Path, name: str) -> str | None:
    """The path of a file that a family may lack, from the folder of families."""
    return f"{folder.name}/{name}" if (folder / name).is_file() else None


def _optional_text(folder: Path, name: str) -> str | None:
    """The text of a file that a family may lack; bytes that are no UTF-8 are replaced."""
    path = folder / name
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def shared_rules(sources: Sources, faults: Faults) -> dict[str, tuple[str, str]]:
    """The rule helpers that families share, and families' plain functions: module name, as rules
    import it without ``_shared`` -> (path, text)."""
    shared: dict[str, tuple[str, str]] = {}
    for root in sources.families:
        for path in sorted((root / "_shared").glob("*.py")):
            text = read_text(path, sources.shown(path), faults)
            if text is not None:
                shared.setdefault(path.stem, (sources.shown(path), text))
        for path in sorted(root.glob(f"*/{FUNCTIONS}")):
            text = read_text(path, sources.shown(path), faults)
            if text is not None:
                shared.setdefault(f"{path.parent.name}.{path.stem}", (sources.shown(path), text))
    return shared
