"""A whole run: the stages one after the other, and what is left to do of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.artifact import Settings
from opmill_gen.check import Checked, check
from opmill_gen.diagnostics import Diagnostic, InputError, Location
from opmill_gen.load import Sources, load
from opmill_gen.plan import plan
from opmill_gen.reading import Faults
from opmill_gen.render import render
from opmill_gen.stamp import inputs_digest, outputs_digest, read_stamp, write_stamp
from opmill_gen.write import Difference, Files, compare, existing, write

_COPIED_TARGETS = ("c", "python", "tests")


@dataclass(frozen=True)
class Outcome:
    """What a run did: how many files there are, and which of them were not as they should be."""

    versions: int
    files: int
    difference: Difference


def default_sources() -> Sources:
    """The specs and templates of the checkout that this package is part of, or those it carries."""
    package = Path(__file__).resolve().parent
    carried = package / "_data"
    root = carried if carried.is_dir() else package.parent.parent
    return Sources(root / "specs", root / "templates", (root / "templates" / "families",))


def checked_input(sources: Sources) -> Checked:
    """Load and check.

    Raises:
        InputError: the input has faults or gaps; all that were found.
    """
    faults = Faults()
    loaded = load(sources, faults)
    checked = check(loaded, faults)
    if faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return checked


def make_files(sources: Sources, settings: Settings) -> tuple[int, Files]:
    """The number of operator versions and the contents of every output file; the disk is untouched.

    Raises:
        InputError: the input or a template has faults.
    """
    checked = checked_input(sources)
    copied = {target: _copied_files(sources.templates / target) for target in _COPIED_TARGETS}
    faults = Faults()
    files = render(plan(checked, copied, settings), sources, faults)
    if faults:
        raise InputError(faults)
    return len(checked.versions), files


def generate(sources: Sources, output: Path, settings: Settings) -> Outcome:
    """Make the output folder what the inputs say.

    Raises:
        InputError: the input has faults, or the folder is somebody else's; nothing was written.
    """
    _refuse_file(output)
    inputs = _digest(sources, settings)
    stamp = read_stamp(output)
    if stamp is not None and stamp[0] == inputs:
        present = list(existing(output))
        if outputs_digest(output, present) == stamp[1]:
            return Outcome(stamp[2], len(present), Difference((), (), ()))
    versions, files = make_files(sources, settings)
    difference = write(output, files)
    write_stamp(output, inputs, outputs_digest(output, existing(output)), versions)
    return Outcome(versions, len(files), difference)


def check_fresh(sources: Sources, output: Path, settings: Settings) -> tuple[Outcome, list[str]]:
    """How the output folder differs from what the inputs say, and the difference as text."""
    versions, files = make_files(sources, settings)
    difference = compare(output, files)
    lines = list(_diff(output, files, difference))
    return Outcome(versions, len(files), difference), lines


def _digest(sources: Sources, settings: Settings) -> str:
    package = Path(__file__).resolve().parent
    return inputs_digest(
        [sources.specs, sources.templates, *sources.families, package], repr(settings)
    )


def _refuse_file(output: Path) -> None:
    if output.exists() and not output.is_dir():
        raise InputError([Diagnostic(Location(str(output)), "is a file; name a folder")])


def _copied_files(folder: Path) -> tuple[str, ...]:
    """The files of a target's templates that are copied as they are."""
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".j2", ".pyc") and not _is_litter(path.name)
    )


def _is_litter(name: str) -> bool:
    """Files that editors and systems leave behind."""
    return name.endswith(("~", ".orig", ".rej", ".swp")) or name in (".DS_Store", "Thumbs.db")


def _diff(output: Path, files: Files, difference: Difference) -> Iterator[str]:
    for path in sorted((*difference.missing, *difference.changed)):
        yield from _file_diff(output, path, files[path])
    for path in difference.orphans:
        yield f"--- {output.name}/{path}"
        yield "+++ /dev/null"
        yield "(the file is not made by this run)"


def _file_diff(output: Path, path: PurePosixPath, content: bytes) -> Iterator[str]:
    present = output / path
    old = present.read_bytes().decode("utf-8", "replace") if present.is_file() else ""
    yield from difflib.unified_diff(
        old.splitlines(),
        content.decode("utf-8", "replace").splitlines(),
        f"{output.name}/{path}" if present.is_file() else "/dev/null",
        f"{output.name}/{path} (as it should be)",
        lineterm="",
    )
