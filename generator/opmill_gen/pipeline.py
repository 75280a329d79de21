"""A whole run: the stages one after the other, and what is left to do of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opmill_gen.base.cache import Cache, Figures, KnownSpec, read_cache, write_cache
from opmill_gen.base.collector import without_collector
from opmill_gen.base.diagnostics import InputError
from opmill_gen.base.plain_file import replace_plain
from opmill_gen.base.progress import Progress, silent
from opmill_gen.check.check import check
from opmill_gen.check.own_words import check_own_words
from opmill_gen.check.result import Checked
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.corpus.build import corpus_files
from opmill_gen.emit.corpus.examples import read_examples
from opmill_gen.emit.corpus.layout import INPUTS, OWN
from opmill_gen.emit.plan import plan
from opmill_gen.emit.settings import Settings
from opmill_gen.load.input_files import copied_files, refuse_unreadable
from opmill_gen.load.load import Loaded, load
from opmill_gen.load.schema_files import stale_schemas
from opmill_gen.load.sources import Sources
from opmill_gen.load.test_records import read_records
from opmill_gen.onnx.texts import domain_texts
from opmill_gen.render import render
from opmill_gen.write.digests import generator_digest, inputs_digest
from opmill_gen.write.location import refuse_location
from opmill_gen.write.manifest import Inputs, read_manifest
from opmill_gen.write.text_difference import text_difference
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
        check_own_words(sources, settings.package, faults)
    if faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return loaded, checked


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
    copied = {name: copied_files(sources.runtime / name) for name in _RUNTIME}
    copied["docs"] = copied_files(sources.docs)
    faults = Faults()
    records = read_records(sources.records)
    figures = cache.figures if cache else Figures({})
    examples = None if sources.corpus is None else read_examples(sources.corpus)
    texts = domain_texts(sources.specs) if settings.manual else {}
    artifacts = plan(checked, copied, settings, records, figures, examples, texts)
    done = render(artifacts, sources, faults, output, cache, progress)
    if faults:
        raise InputError(faults)
    if not settings.manual:
        for backend in BACKENDS:
            done.files.update(backend.listed(done.files))
    if settings.is_own and not settings.manual:
        corpus = corpus_files(checked, sources.runtime / "tests")
        del corpus[INPUTS]  # for a later run of --corpus
        done.files.update({OWN / path: content for path, content in corpus.items()})
    remembered = Cache(dict(loaded.specs), done.records, figures)
    return Generation(len(checked.versions), done.files, tuple(done.rendered), remembered)


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
    refuse_location(output, sources.inputs)
    refuse_unreadable(sources.inputs.values())
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
    refuse_location(output, sources.inputs)
    refuse_unreadable(sources.inputs.values())
    judges = sources.runtime / "tests"
    digest = inputs_digest([sources.specs, *sources.families, judges], repr(settings))
    listed = read_manifest(output)
    if listed and listed.inputs and listed.inputs.digest == digest and listed.holds(output):
        return Outcome(listed.inputs.versions, len(listed.files) + 1, Difference())
    _, checked = _checked(sources, settings, progress=progress)
    files = corpus_files(checked, judges, output, progress)
    difference = write(output, files, Inputs(len(checked.versions), digest))
    return Outcome(len(checked.versions), len(with_manifest(files)), difference)


def check_fresh(
    sources: Sources, output: Path, settings: Settings, progress: Progress = silent
) -> tuple[Outcome, Iterator[str]]:
    """Compare the output folder with what the inputs say; the difference as text too.

    The text has the changed files alone; it is made while it is read. No cache is used: what is
    compared is made from the inputs alone, so that this is the judge of a run that used one.
    """
    refuse_location(output, sources.inputs)
    refuse_unreadable(sources.inputs.values())
    generation = make(sources, settings, progress=progress)
    inputs = Inputs(generation.versions, _digest(sources, settings))
    files = with_manifest(generation.files, inputs)
    difference = compare(output, generation.files, inputs)
    schemas = stale_schemas(sources)
    names = tuple(map(sources.shown, schemas))
    outcome = Outcome(generation.versions, len(files), difference, generation.rendered, names)
    shown = {sources.shown(path): (path, text) for path, text in schemas.items()}
    return outcome, text_difference(output, files, difference, shown)


def _digest(sources: Sources, settings: Settings) -> str:
    """The digest of what a run reads; pages of the manual are no input of anything else."""
    folders = [
        folder for folder in sources.inputs.values() if folder != sources.docs or settings.manual
    ]
    return inputs_digest(folders, repr(settings))
