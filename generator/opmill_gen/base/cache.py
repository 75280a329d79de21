"""Results of the last run, so that the next one does only what a change calls for.

One file in the output folder, ignored by git. Of each spec it holds the digest of its text and its
tree without the cases, which are most of it; of each made file the digests of what it was made
from and of its bytes; and figures that cost much, by the digest of their sources.
It holds no bytes of the output: a file is kept because the disk holds what
the cache says that it should, or it is made.

A cache that is damaged, or that another generator, Python or library wrote, is no cache.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opmill_gen.base.plain_file import read_plain, replace_plain

CACHE = ".opmill-cache"
_FORM = 3


@dataclass(frozen=True)
class KnownSpec:
    """A spec that had no fault: the digest of its text, and its tree as ``tree_json`` writes it."""

    digest: str
    head: Any


@dataclass(frozen=True)
class MadeFile:
    """A file that was made.

    Attributes:
        sources: the digest of the sources of its context; empty where they are not known.
        context: the digest of the context itself.
        templates: the digest of every template that took part, ``None`` for one that was not there.
        content: the digest of the file's bytes.
    """

    sources: str
    context: str
    templates: Mapping[str, str | None]
    content: str


class Figures:
    """Plain data by the digest of its sources; data that a run does not request are dropped."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        """Begin with what the last run asked for."""
        self._known, self.asked = known, dict[str, Any]()

    def of(self, digest: str, work_out: Callable[[], Any]) -> Any:
        """The data of a digest; computed where it is not known.

        Args:
            digest: the digest of everything that the data depends on, and of its kind.
            work_out: gives data that JSON can hold.
        """
        if digest not in self.asked:
            self.asked[digest] = self._known[digest] if digest in self._known else work_out()
        return self.asked[digest]


@dataclass
class Cache:
    """Records of the specs and of the generated files, by their paths; and figures."""

    specs: dict[str, KnownSpec] = field(default_factory=dict)
    files: dict[str, MadeFile] = field(default_factory=dict)
    figures: Figures = field(default_factory=lambda: Figures({}))


def digest_of(content: bytes) -> str:
    """A digest of bytes."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def digest_of_value(value: object) -> str:
    """A digest of plain data: texts, numbers, lists, mappings and enums.

    Raises:
        TypeError: the value holds something that is not plain.
    """
    return digest_of(json.dumps(value, default=_plain).encode("utf-8", "surrogatepass"))


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return [type(value).__name__, value.name]
    raise TypeError(f"{type(value).__name__} has no digest")


def read_cache(folder: Path, generator: str) -> Cache:
    """The cache of a folder; an empty one where there is none that can be used.

    Args:
        folder: the output folder.
        generator: the digest of everything that shapes the output besides the inputs.
    """
    head, _, body = (read_plain(folder / CACHE) or b"").partition(b"\n")
    try:
        if head.decode("ascii", "replace") != _head(generator, body):
            return Cache()
        read = json.loads(body)
    except ValueError:
        return Cache()
    return Cache(
        {path: KnownSpec(*entry) for path, entry in read["specs"].items()},
        {path: MadeFile(*entry) for path, entry in read["files"].items()},
        Figures(read["figures"]),
    )


def write_cache(folder: Path, generator: str, cache: Cache) -> None:
    """Remember a run that had no fault."""
    body = json.dumps(
        {
            "specs": {path: [known.digest, known.head] for path, known in cache.specs.items()},
            "files": {
                path: [file.sources, file.context, file.templates, file.content]
                for path, file in cache.files.items()
            },
            "figures": cache.figures.asked,
        },
        separators=(",", ":"),
    ).encode("ascii")
    replace_plain(folder / CACHE, _head(generator, body).encode("ascii") + b"\n" + body)


def _head(generator: str, body: bytes) -> str:
    return f"opmill cache {_FORM} {generator} {digest_of(body)}"
