"""The cases and errata beside the versions of an operator: which items apply to which version.

They are most of a spec, and a run that finds them as they were seldom needs them. So the cache
keeps of each item its range and a digest, and the text is parsed when an item is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

from opmill_gen.base.cache import KnownSpec, digest_of, digest_of_value
from opmill_gen.base.diagnostics import InputError, Location
from opmill_gen.spec.cases import CASES, ERRATA, Case, CasesFile, ErrataFile, Erratum, Ranged
from opmill_gen.spec.operator_version import OperatorVersion, read_document
from opmill_gen.spec.selection import in_words_of
from opmill_gen.yaml_reader.decode import Faults, Node
from opmill_gen.yaml_reader.tree import Entries, Items, parse_yaml
from opmill_gen.yaml_reader.tree_json import without_locations

FILES: dict[str, tuple[type[Node], tuple[str, ...]]] = {
    CASES: (CasesFile, ("examples", "rejects")),
    ERRATA: (ErrataFile, ("errata",)),
}
"""The files by their names: the class of each, and its lists."""
_RANGE = ("since", "before")


class Entry(NamedTuple):
    """Cached part of an item; the digest covers its content without its range.

    ``named`` is the name of an erratum, ``open`` whether other answers than its decision conform;
    ``rests_on`` are the errata that a case names.
    """

    key: str
    since: int | None
    before: int | None
    digest: str
    named: str | None = None
    open: bool = False
    rests_on: Sequence[str] = ()

    def applies_to(self, version: int) -> bool:
        """Return whether a version is in the range."""
        begun = self.since is None or self.since <= version
        return begun and (self.before is None or version < self.before)


class RangedFile:
    """A file of cases or of errata.

    Attributes:
        path: its path, as messages show it.
        entries: its items in their order; empty where it cannot be read.
        readable: whether it can be read.
    """

    def __init__(
        self, name: str, path: str, text: str | None, faults: Faults, known: KnownSpec | None
    ) -> None:
        """Read the file, or take from the cache what it keeps of this very text."""
        self.path, self._text = path, text or ""
        self._class, self._keys = FILES[name]
        digest = digest_of(self._text.encode())
        self.entries: tuple[Entry, ...]
        if text is None:
            self.entries, self.readable = (), False
        elif known is not None and known.digest == digest:
            self.entries = tuple(Entry(*entry) for entry in known.head)
            self.readable = True
        else:
            self.entries = self._read(faults)
        self.known = KnownSpec(digest, self.entries)

    def _read(self, faults: Faults) -> tuple[Entry, ...]:
        self.readable = False
        try:
            tree = parse_yaml(self.path, self._text)
        except InputError as error:
            faults.extend(error.diagnostics)
            return ()
        document = read_document(self._class, tree, faults)
        if document is None or not isinstance(tree, Entries):
            return ()
        self.document = document
        self.readable = True
        return tuple(self._entries(tree))

    def _entries(self, tree: Entries) -> Iterator[Entry]:
        for key in self._keys:
            listed = tree.entries.get(key)
            trees = listed.items if isinstance(listed, Items) else ()
            for item, written in zip(self.items(key), trees, strict=True):
                assert isinstance(written, Entries)
                content = {k: v for k, v in written.entries.items() if k not in _RANGE}
                digest = digest_of_value({k: without_locations(v) for k, v in content.items()})
                entry = Entry(key, item.since, item.before, digest)
                if isinstance(item, Erratum):
                    entry = entry._replace(named=item.name, open=item.kind.is_open)
                elif isinstance(item, Case):
                    entry = entry._replace(rests_on=item.rests_on)
                yield entry

    @cached_property
    def document(self) -> Node:
        """The file's contents."""
        document = read_document(self._class, parse_yaml(self.path, self._text), Faults())
        assert document is not None, "the cache vouches for the file"
        return document

    def items(self, key: str) -> Sequence[Ranged]:
        """All items of a list, of whatever version."""
        items: Sequence[Ranged] = getattr(self.document, key)
        return items

    @cached_property
    def all_items(self) -> tuple[Ranged, ...]:
        """All items, in the order of ``entries``."""
        return tuple(item for key in self._keys for item in self.items(key))

    def of_version(self, spec: OperatorVersion) -> Mapping[str, Sequence[Any]]:
        """The items that apply to a version, by their lists; they are read when one is needed."""
        return {key: _Selected(self, key, spec) for key in self._keys}


class _Selected(Sequence[Any]):
    """The items of a list that apply to a version."""

    def __init__(self, file: RangedFile, key: str, spec: OperatorVersion) -> None:
        self._file, self._key, self._spec = file, key, spec

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._items[index]

    def __len__(self) -> int:
        version = self._spec.since_version
        return sum(e.key == self._key and e.applies_to(version) for e in self._file.entries)

    @cached_property
    def _items(self) -> tuple[Ranged, ...]:
        spec = self._spec
        items = self._file.items(self._key)
        return tuple(in_words_of(spec, i) for i in items if i.applies_to(spec.since_version))


class OperatorFiles:
    """The versions of an operator, and the files beside them.

    Attributes:
        folder: the path of the folder, as messages show it.
        numbers: the versions whose files are in it, in ascending order.
        files: those of ``FILES`` that are there.
    """

    def __init__(self, folder: str, numbers: Iterable[int], files: Sequence[RangedFile]) -> None:
        self.folder = folder
        self.numbers = tuple(sorted(numbers))
        self.files = files

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the files beside the versions."""
        return frozenset(file.path for file in self.files)

    @property
    def readable(self) -> bool:
        """True if all files beside the versions can be read."""
        return all(file.readable for file in self.files)

    def digest(self, version: int) -> str:
        """A digest of the items that apply to a version."""
        entries = [entry for file in self.files for entry in file.entries]
        return digest_of_value([[e.key, e.digest] for e in entries if e.applies_to(version)])

    def of_version(self, spec: OperatorVersion) -> dict[str, Any]:
        """The cases and errata that apply to a version, by the fields of ``OperatorVersion``."""
        fields: dict[str, Any] = {}
        for file in self.files:
            if file.readable:
                fields.update(file.of_version(spec))
        return fields

    def item_at(self, location: Location) -> Ranged | None:
        """The item that a place of one of the files is in; ``None`` for any other place."""
        found = None
        for file in self.files:
            if file.path == location.path and file.readable:
                for item in file.all_items:
                    found = item if item.location <= location else found
        return found
