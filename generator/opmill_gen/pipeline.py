"""A whole run: the stages one after the other, and what is left to do of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.base.cache import Cache, Figures, KnownSpec, read_cache, write_cache
from opmill_gen.base.collector import without_collector
from opmill_gen.base.diagnostics import InputError, Location
from opmill_gen.base.package_rename import OPMILL, mentions
from opmill_gen.base.plain_file import is_litter, read_plain, replace_plain
from opmill_gen.base.progress import Progress, silent
from opmill_gen.check.check import check
from opmill_gen.check.result import Checked
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.corpus.build import corpus_files
from opmill_gen.emit.corpus.layout import INPUTS
from opmill_gen.emit.plan import plan
from opmill_gen.emit.settings import Settings
from opmill_gen.load.input_files import refuse_unreadable
from opmill_gen.load.load import Loaded, Sources, load
from opmill_gen.load.schema_files import stale_schemas
from opmill_gen.load.test_records import read_records
from opmill_gen.render import render
from opmill_gen.write.digests import generator_digest, inputs_digest
from opmill_gen.write.location import refuse_location
from opmill_gen.write.manifest import Inputs, read_manifest
from opmill_gen.write.write import (
    Difference,
    Files,
    compare,
    existing,
    foreign_files,
    with_manifest,
    write,
)
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import parse_yaml, words_of

_RUNTIME = ("c", "native", "python", "tests")
"""The folders of the runtime, whose files are copied as they are."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run: the number of files, those that were stale, those that were rendered.

    A file that is not rendered was copied, or is known to be what rendering would give.
    """

    versions: int
    files: int
    difference: Difference
    rendered: tuple[PurePosixPath, ...] = ()
    schemas: tuple[str, ...] = ()

    @property
    def stale(self) -> int:
        """The number of files that were not there or not as they should be."""
        return len(self.difference.missing) + len(self.difference.changed) + len(self.schemas)


def checked_input(sources: Sources, known: Mapping[str, KnownSpec] | None = None) -> Checked:
    """Load and check.

    Raises:
        InputError: the input has faults or gaps; all that were found.
    """
    return _checked(sources, Settings(), known)[1]


def _checked(
    sources: Sources,
    settings: Settings,
    known: Mapping[str, KnownSpec] | None = None,
    progress: Progress = silent,
) -> tuple[Loaded, Checked]:
    faults = Faults()
    with without_collector():
        loaded = load(sources, faults, known, progress)
        checked = check(loaded, faults, settings.home)
    if settings.is_own:
        _check_own_words(sources, settings, faults)
    if faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return loaded, checked


def _check_own_words(sources: Sources, settings: Settings, faults: Faults) -> None:
    """A spec must not hold the word that a package of another name replaces everywhere."""
    for path in sorted(sources.specs.glob("*/*/*.yaml")):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if not mentions(text):
            continue
        try:
            words = list(words_of(parse_yaml(sources.shown(path), text)))
        except InputError:  # its faults are reported with those of the other files
            continue
        for location, word in words:
            if mentions(word):
                faults.report(
                    location,
                    f"'{OPMILL}' becomes '{settings.package}' in files of that package; "
                    "use another word here",
                )


@dataclass(frozen=True)
class Generation:
    """Every output file of a run, and what to remember of it."""

    versions: int
    files: Files
    rendered: tuple[PurePosixPath, ...]
    cache: Cache


def make(
    sources: Sources,
    settings: Settings,
    output: Path | None = None,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Generation:
    """Make the contents of every output file; nothing is written.

    Args:
        sources: where the inputs stand.
        settings: what the run is asked for.
        output: the folder that holds the files of an earlier run, if they are to be used.
        cache: what that run remembered.
        progress: called with each file.

    Raises:
        InputError: the input or a template has faults.
    """
    loaded, checked = _checked(sources, settings, cache.specs if cache else None, progress)
    copied = {name: _copied_files(sources.runtime / name) for name in _RUNTIME}
    copied["docs"] = _copied_files(sources.docs)
    faults = Faults()
    records = read_records(sources.records)
    figures = cache.figures if cache else Figures({})
    artifacts = plan(checked, copied, settings, records, figures)
    _refuse_shared_paths(artifacts)
    done = render(artifacts, sources, faults, output, cache, progress)
    if faults:
        raise InputError(faults)
    if not settings.manual:
        for backend in BACKENDS:
            done.files.update(backend.listed(done.files))
    if settings.is_own and not settings.manual:
        corpus = corpus_files(checked, sources.runtime / "tests")
        del corpus[INPUTS]  # for a later run of --corpus
        for folder in filter(None, (backend.corpus for backend in BACKENDS)):
            done.files.update({folder / path: content for path, content in corpus.items()})
    remembered = Cache(dict(loaded.specs), done.records, figures)
    return Generation(len(checked.versions), done.files, tuple(done.rendered), remembered)


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


def make_files(sources: Sources, settings: Settings) -> tuple[int, Files]:
    """The number of operator versions and the contents of every output file, from the inputs alone.

    Raises:
        InputError: the input or a template has faults.
    """
    generation = make(sources, settings)
    return generation.versions, generation.files


def generate(
    sources: Sources, output: Path, settings: Settings, progress: Progress = silent
) -> Outcome:
    """Make the output folder what the inputs say.

    Raises:
        InputError: the input has faults, or the folder is somebody else's; nothing was written.
    """
    refuse_location(output, _inputs(sources))
    refuse_unreadable(_inputs(sources).values())
    digest = _digest(sources, settings)
    schemas = stale_schemas(sources)
    listed = None if schemas else read_manifest(output)
    if listed and listed.inputs and listed.inputs.digest == digest and listed.holds(output):
        foreign = foreign_files(output, list(existing(output)))
        files = len(listed.files) + 1
        return Outcome(listed.inputs.versions, files, Difference(foreign=foreign))
    generator = generator_digest(repr(settings))
    generation = make(sources, settings, output, read_cache(output, generator), progress)
    difference = write(output, generation.files, Inputs(generation.versions, digest))
    for path, text in schemas.items():
        replace_plain(path, text.encode())
    write_cache(output, generator, generation.cache)
    names = tuple(map(sources.shown, schemas))
    files = len(with_manifest(generation.files))
    return Outcome(generation.versions, files, difference, generation.rendered, names)


def generate_corpus(
    sources: Sources, output: Path, settings: Settings, progress: Progress = silent
) -> Outcome:
    """Make a folder hold the corpus of cases; files whose inputs have not changed stay as they are.

    Raises:
        InputError: the input has faults, or the folder is somebody else's; nothing was written.
    """
    refuse_location(output, _inputs(sources))
    _, checked = _checked(sources, settings, progress=progress)
    files = corpus_files(checked, sources.runtime / "tests", output, progress)
    difference = write(output, files)
    return Outcome(len(checked.versions), len(with_manifest(files)), difference)


def check_fresh(
    sources: Sources, output: Path, settings: Settings, progress: Progress = silent
) -> tuple[Outcome, Iterator[str]]:
    """Compare the output folder with what the inputs say; the difference as text too.

    The text has the changed files alone; it is made while it is read. No cache is used: what is
    compared is made from the inputs alone, so that this is the judge of a run that used one.
    """
    refuse_location(output, _inputs(sources))
    refuse_unreadable(_inputs(sources).values())
    generation = make(sources, settings, progress=progress)
    inputs = Inputs(generation.versions, _digest(sources, settings))
    files = with_manifest(generation.files, inputs)
    difference = compare(output, generation.files, inputs)
    schemas = stale_schemas(sources)
    names = tuple(map(sources.shown, schemas))
    outcome = Outcome(generation.versions, len(files), difference, generation.rendered, names)
    return outcome, _diff(sources, output, files, difference, schemas)


def _inputs(sources: Sources) -> dict[str, Path]:
    """The folders that a run reads, by what they are called in messages."""
    found = {
        "the folder of specs": sources.specs,
        "the folder of templates": sources.templates,
        "the folder of the runtime": sources.runtime,
        "the folder of the manual's pages": sources.docs,
    }
    for number, folder in enumerate(sources.families, 1):
        found[f"the folder of families{f' {number}' if number > 1 else ''}"] = folder
    if sources.records is not None:
        found["the folder of test records"] = sources.records
    return found


def _digest(sources: Sources, settings: Settings) -> str:
    """The digest of what a run reads; pages of the manual are no input of anything else."""
    folders = [
        folder for folder in _inputs(sources).values() if folder != sources.docs or settings.manual
    ]
    return inputs_digest(folders, repr(settings))


def _copied_files(folder: Path) -> tuple[str, ...]:
    """The files of a folder that are copied as they are."""
    return tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not is_litter(path)
    )


def _diff(
    sources: Sources,
    output: Path,
    files: Files,
    difference: Difference,
    schemas: Mapping[Path, str],
) -> Iterator[str]:
    for path in difference.changed:
        name = f"{output.name}/{path}"
        yield from _text_diff(name, read_plain(output / path), files[path])
    for file, text in schemas.items():
        yield from _text_diff(sources.shown(file), file.read_bytes(), text.encode())


def _text_diff(name: str, old: bytes | None, new: bytes) -> Iterator[str]:
    yield from difflib.unified_diff(
        (old or b"").decode("utf-8", "replace").splitlines(),
        new.decode("utf-8", "replace").splitlines(),
        name if old is not None else "/dev/null",
        f"{name} (as it should be)",
        lineterm="",
    )
