"""The files of the corpus: one for each operator, and an index with their digests.

A file is computed only if something that it is made from has changed since the index was written.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from opmill_gen.base.cache import digest_of_value
from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.base.plain_file import read_plain
from opmill_gen.base.processes import in_processes
from opmill_gen.base.progress import Progress, silent
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.corpus.layout import HEAD, INDEX, INPUTS, NEXT

_JUDGES = "opmill_checks"
"""The package that oracles import."""

Versions = Sequence[CheckedVersion]


def corpus_files(
    checked: Checked, judges: Path, folder: Path | None = None, progress: Progress = silent
) -> dict[PurePosixPath, bytes]:
    """The contents of every file of the corpus.

    Args:
        checked: the whole input.
        judges: the folder of what generated tests import.
        folder: the corpus of an earlier run, of which files are taken as they are.
        progress: called with the operators whose files are computed.

    Raises:
        InputError: an oracle fails.
    """
    code = _code_digest(judges)
    operators = _by_operator(checked.versions)
    digests = {path: _digest(versions, code) for path, versions in operators.items()}
    files = dict(_unchanged(folder, digests)) if folder is not None else {}
    stale = [path for path in operators if path not in files]
    texts = _computed([operators[path] for path in stale], judges, progress)
    for path, text in zip(stale, texts, strict=True):
        files[path] = text.encode()
    files[INPUTS] = "".join(f"{path} {digests[path]}\n" for path in sorted(operators)).encode()
    files[INDEX] = index_text({path: files[path] for path in operators}, NEXT).encode()
    return files


def index_text(files: Mapping[PurePosixPath, bytes], edition: str) -> str:
    """Return the index of a corpus.

    Args:
        files: the files of operators by path.
        edition: the name of the edition.
    """
    lines = [f"file {path} {hashlib.sha256(files[path]).hexdigest()}" for path in sorted(files)]
    return "\n".join([HEAD, f"edition {edition}", *lines, ""])


def _by_operator(versions: Iterable[CheckedVersion]) -> dict[PurePosixPath, list[CheckedVersion]]:
    """The versions of each operator in ascending order, by the path of its file."""
    found: dict[PurePosixPath, list[CheckedVersion]] = {}
    for version in versions:
        spec = version.spec
        found.setdefault(PurePosixPath(spec.domain, f"{spec.operator}.txt"), []).append(version)
    return found


def _digest(versions: Versions, code: str) -> str:
    families = {v.instance.family.name: v.instance.family for v in versions}
    texts = [[name, one.oracle_text, one.calls_text] for name, one in sorted(families.items())]
    return digest_of_value([code, *(v.digest for v in versions), texts])


def _code_digest(judges: Path) -> str:
    """A digest of the code that turns specs into the corpus."""
    generator = Path(__file__).resolve().parents[2]
    folders = (generator / "emit" / "corpus", generator / "spec", judges / _JUDGES)
    sources = [path.read_text("utf-8") for one in folders for path in sorted(one.glob("*.py"))]
    return digest_of_value(sources)


def _unchanged(
    folder: Path, digests: Mapping[PurePosixPath, str]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of an earlier run that are made from the same and are as they were written."""
    computed_from = _words(folder / INPUTS)
    for first, *rest in _words(folder / INDEX):
        if first != "file" or len(rest) != 2:
            continue
        path, digest = PurePosixPath(rest[0]), rest[1]
        if path not in digests or [rest[0], digests[path]] not in computed_from:
            continue
        content = read_plain(folder / path)
        if content is not None and hashlib.sha256(content).hexdigest() == digest:
            yield path, content


def _words(path: Path) -> list[list[str]]:
    text = (read_plain(path) or b"").decode("utf-8", "replace")
    return [line.split(" ") for line in text.split("\n")]


def _computed(work: Sequence[Versions], judges: Path, progress: Progress) -> Iterator[str]:
    """The text of each operator, in their order."""
    if importlib.util.find_spec(_JUDGES) is None:
        sys.path.append(str(judges))
    for text, faults in in_processes(_text, work, partial(progress, "computing")):
        if faults:
            raise InputError(faults)
        yield text


def _text(versions: Versions) -> tuple[str, tuple[Diagnostic, ...]]:
    from opmill_gen.emit.corpus.operator_corpus import operator_corpus

    try:
        return operator_corpus(versions), ()
    except InputError as error:
        return "", error.diagnostics
