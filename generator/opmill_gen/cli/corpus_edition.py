"""Editions of the corpus: their names, digests and archives."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from opmill_gen.base.plain_file import read_plain, replace_plain
from opmill_gen.cli.conformance import Mistake
from opmill_gen.emit.corpus.build import index_text
from opmill_gen.emit.corpus.layout import HEAD, INDEX, NEXT
from opmill_gen.load.sources import default_sources

SUMS = "SHA256SUMS"
_NAME = re.compile(r"[0-9]{4}\.[1-9][0-9]?\Z")
_FILE = re.compile(r"file ([A-Za-z0-9_.]+/[A-Za-z0-9_]+\.txt) ([0-9a-f]{64})\Z")
_LEVEL = 9
"""Of the compression of archives."""
_MAX_BYTES = 2**28
"""Of a file in an archive."""


class Edition(NamedTuple):
    """A record: the name of the last edition, its digests by path, and whether it is in force.

    If it is not in force, the corpus is on the way to the next edition.
    """

    name: str | None
    digests: dict[str, str]
    in_force: bool


def corpus_content(corpus: Path) -> dict[PurePosixPath, bytes]:
    """Return the files of operators that an index lists, by path.

    Args:
        corpus: the folder of a corpus, or the archive of an edition.

    Raises:
        Mistake: it is no corpus, or a file is missing or not as its digest says.
    """
    files = _Folder(corpus) if corpus.is_dir() else _Archive(corpus)
    lines = (files.read(str(INDEX)) or b"").decode("utf-8", "replace").splitlines()
    if lines[:1] != [HEAD]:
        raise Mistake(
            f"{corpus / INDEX} is no index of a corpus, expected a file that begins '{HEAD}'"
        )
    found, faults = {}, []
    for name, digest in _listed(lines):
        content = files.read(name)
        if content is None:
            faults.append(f"{name} cannot be read")
        elif hashlib.sha256(content).hexdigest() != digest:
            faults.append(f"{name} does not have the digest of the index")
        else:
            found[PurePosixPath(name)] = content
    if faults:
        raise Mistake("\n".join([*faults, f"{corpus} is damaged; write it again"]))
    return found


def operator_texts(corpus: Path) -> dict[str, str]:
    """Return the text of each file of a corpus by path.

    Args:
        corpus: the folder of a corpus, or the archive of an edition.
    """
    content = corpus_content(corpus)
    return {str(path): text.decode("utf-8", "replace") for path, text in content.items()}


class _Folder:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, name: str) -> bytes | None:
        return read_plain(self._path / name)


class _Archive:
    """The regular files of an archive, without the folder that all are in."""

    def __init__(self, path: Path) -> None:
        self._files = {}
        try:
            with tarfile.open(path) as archive:
                for entry in archive:
                    stream = archive.extractfile(entry) if entry.isfile() else None
                    if stream is not None:
                        self._files[entry.name.partition("/")[2]] = stream.read(_MAX_BYTES)
        except tarfile.TarError as error:
            raise Mistake(f"{path} is no archive of a corpus: {error}") from None

    def read(self, name: str) -> bytes | None:
        return self._files.get(name)


def archive_bytes(content: Mapping[PurePosixPath, bytes], edition: str) -> bytes:
    """Return the archive of an edition: the same bytes whenever the contents are the same.

    Args:
        content: the files of operators by path.
        edition: the name of the edition.
    """
    root = default_sources().root
    files = {
        **{str(path): text for path, text in content.items()},
        str(INDEX): index_text(content, edition).encode(),
        "FORMAT.md": (root / "docs" / "start" / "corpus.md").read_bytes(),
        "LICENSE": (root / "LICENSE").read_bytes(),
    }
    sums = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    files[SUMS] = "".join(sums).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"opmill-corpus-{edition}/{name}")
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))
    return gzip.compress(packed.getvalue(), compresslevel=_LEVEL, mtime=0)


def read_record(path: Path) -> Edition:
    """Return what a record states; a missing one states nothing.

    Raises:
        Mistake: the file is no record.
    """
    if not path.exists():
        return Edition(None, {}, in_force=False)
    lines = (read_plain(path) or b"").decode("utf-8", "replace").splitlines()
    match lines[0].split(" ") if lines else []:
        case ["edition", name] if name == NEXT or _NAME.match(name):
            in_force = name != NEXT
            return Edition(name if in_force else None, dict(_listed(lines)), in_force)
        case ["edition", word, "after", name] if word == NEXT and _NAME.match(name):
            return Edition(name, dict(_listed(lines)), in_force=False)
    raise Mistake(f"{path} is no record of an edition, expected a first line as 'edition 2026.1'")


def write_record(path: Path, name: str, content: Mapping[PurePosixPath, bytes]) -> Edition:
    """Write the record of a new edition, or that the next one is in preparation.

    Args:
        path: the record.
        name: the name of the edition, or ``next``.
        content: the files of operators by path.

    Raises:
        Mistake: the name is none, or that of an edition which is published.
    """
    last = read_record(path)
    digests = digests_of(content)
    if name == NEXT:
        digests = last.digests
        head = f"edition {NEXT}" if last.name is None else f"edition {NEXT} after {last.name}"
    else:
        _refuse_name(name, last, digests)
        head = f"edition {name}"
    lines = [head, *(f"file {one} {digests[one]}" for one in sorted(digests))]
    replace_plain(path, "\n".join([*lines, ""]).encode())
    return read_record(path)


def digests_of(content: Mapping[PurePosixPath, bytes]) -> dict[str, str]:
    """Return the SHA-256 of each file by path.

    Args:
        content: the files by path.
    """
    return {str(path): hashlib.sha256(text).hexdigest() for path, text in content.items()}


def changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return a line for each file that is added, removed or changed.

    Args:
        old: the digests of one corpus by path.
        new: those of the other.
    """
    lines = []
    for path in sorted({*old, *new}):
        if path not in old or path not in new:
            lines.append(f"{'added' if path not in old else 'removed'}: {path}")
        elif old[path] != new[path]:
            lines.append(f"changed: {path}")
    return lines


def refuse_edition(name: str) -> None:
    """Check the name of an edition.

    Raises:
        Mistake: it is none.
    """
    if name != NEXT and not _NAME.match(name):
        raise Mistake(f"the edition is '{name}', expected a year and a number as 2026.1, or {NEXT}")


def _refuse_name(name: str, last: Edition, digests: Mapping[str, str]) -> None:
    refuse_edition(name)
    if last.name is None or _ordered(name) > _ordered(last.name):
        return
    if name == last.name and digests == last.digests:
        return
    raise Mistake(
        f"the edition is {name}, expected one after {last.name}, which is published and never "
        "changes"
    )


def _ordered(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


def _listed(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines[1:]:
        found = _FILE.match(line)
        if found is not None:
            yield found[1], found[2]
        elif line.startswith("file "):
            raise Mistake(f"'{line:.80}' is no line of a corpus, expected 'file PATH DIGEST'")
