"""Reads the families: documents, rules, rows, and the paths of kernels and oracles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from opmill_gen.base.cache import digest_of, digest_of_value
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.load.documents import read_file, read_text
from opmill_gen.load.sources import Sources
from opmill_gen.spec.family import Family, FamilyDocument, RuleFile
from opmill_gen.spec.operator_version import FamilyUse
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, parse_yaml, plain

FUNCTIONS = "functions.py"


def family_folders(sources: Sources) -> dict[str, Path]:
    """The folder of each family by its name."""
    found: dict[str, Path] = {}
    for root in sources.families:
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            if not folder.name.startswith(("_", ".")) and folder.is_dir():
                found.setdefault(folder.name, folder)
    return found


def read_families(
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
    document = read_file(FamilyDocument, folder / "family.yaml", f"{shown}/family.yaml", faults)
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
