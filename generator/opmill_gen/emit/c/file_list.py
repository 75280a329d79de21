"""``files.txt`` of the C library: the files that each version needs, to copy some versions alone.

They follow from the C files themselves. A file needs the headers that it includes, and the sources
that define what it and these headers name. Every list has the functions that the headers beside
``operator.h`` declare: calls of any version through its record.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from opmill_gen.base.banner import banner
from opmill_gen.emit.c.header import OPERATORS

FILE_LIST = PurePosixPath("c", "files.txt")
_C = FILE_LIST.parent
_VERSIONS = PurePosixPath("src", OPERATORS)
_TABLE = _VERSIONS / "table.c"
"""The records of all versions: in no list."""
_INTRODUCTION = """\
# The sources and headers that a version needs: those of 'all', and of each line that names it.
# README.md tells how to copy and compile them. Versions are called as their functions are.
"""
_HEADER = re.compile(r'^ *# *(?:include|define +\w+) +"([\w./]+\.h)"', re.MULTILINE)
_SKIPPED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w+")
_BEGINNING = r"^(?!static |typedef )[a-z][\w *]*?\b([a-z]\w+)"
_DECLARATION = re.compile(rf"{_BEGINNING}(?:\([^{{}};]*\)|(?:\[[^\]]*\])*);", re.MULTILINE)
_DEFINITION = re.compile(
    rf"{_BEGINNING}(?:\([^;{{}}]*\)\s*\{{|(?:\[[^\]\n]*\])*\s*=)", re.MULTILINE
)
"""Functions and objects that other files can use; they begin at the start of a line."""
_GIVEN = re.compile(r"^ *# *define [A-Z]\w* +([a-z]\w+) *$", re.MULTILINE)
"""A macro that gives a body the name to define."""
_ARGUMENT = re.compile(r"\b[A-Z]+\((?:\w+, )?([a-z]\w*)\)")
"""A macro's argument, which may be the end of a name to define: LOOP(exp)."""
_JOINED = re.compile(r"\b([a-z]\w+_)##")


def c_file_list(files: Mapping[PurePosixPath, bytes]) -> bytes:
    """The list, from the files of the output."""
    texts = {
        path.relative_to(_C): content.decode("utf-8")
        for path, content in files.items()
        if path.suffix in (".c", ".h") and path.parts[:2] in (("c", "include"), ("c", "src"))
    }
    needed = _Dependencies(texts).of_versions()
    users: dict[PurePosixPath, list[str]] = defaultdict(list)
    for name, paths in needed.items():
        for path in paths:
            users[path].append(name)
    lines: dict[str, list[str]] = defaultdict(list)
    for path, names in sorted(users.items()):
        label = "all" if len(names) == len(needed) > 1 else " ".join(names)
        lines[label].append(path.as_posix())
    listed = sorted(lines.items(), key=lambda line: (line[0] != "all", line[1]))
    text = "".join(f"{names}: {' '.join(paths)}\n" for names, paths in listed)
    origins = ("specs", "families", "runtime/c", "generator/opmill_gen/emit/c/file_list.py")
    return f"{banner(origins)}\n{_INTRODUCTION}{text}".encode()


class _Names(NamedTuple):
    """What a C file names, of its own text alone."""

    headers: tuple[str, ...]
    """Of its #includes, and those that a macro gives to one."""
    declared: frozenset[str]
    defined: frozenset[str]
    arguments: frozenset[str]
    given: frozenset[str]
    beginnings: frozenset[str]
    words: frozenset[str]
    """All names outside of comments and texts."""
    used: frozenset[str]
    """Those outside of declarations."""


@lru_cache(maxsize=4096)
def _names_of(text: str) -> _Names:
    """Cached: a process that generates several times reads the library's files once."""
    code = _SKIPPED.sub(" ", text)
    return _Names(
        headers=tuple(_HEADER.findall(text)),
        declared=frozenset(_DECLARATION.findall(code)),
        defined=frozenset(_DEFINITION.findall(code)),
        arguments=frozenset(_ARGUMENT.findall(code)),
        given=frozenset(_GIVEN.findall(code)),
        beginnings=frozenset(_JOINED.findall(code)),
        words=frozenset(_NAME.findall(code)),
        used=frozenset(_NAME.findall(_DECLARATION.sub(" ", code))),
    )


class _Dependencies:
    """Dependencies between files, by their paths below the C library."""

    def __init__(self, texts: Mapping[PurePosixPath, str]) -> None:
        self._names = {path: _names_of(text) for path, text in texts.items()}
        self._paths = {path.as_posix(): path for path in texts}
        self._headers = {path: self._included(path) for path in texts}
        headers = (names for path, names in self._names.items() if path.suffix == ".h")
        self._declared = frozenset().union(*(names.declared for names in headers))
        self._definers: dict[str, set[PurePosixPath]] = defaultdict(set)
        self._joined: dict[PurePosixPath, set[PurePosixPath]] = defaultdict(set)
        for path in texts:
            if path.suffix == ".c" and path != _TABLE:
                self._add_definitions(path)
        self._needed = {path: self._needed_directly(path) for path in texts}

    def of_versions(self) -> dict[str, set[PurePosixPath]]:
        """The files that each version needs, in the order of the versions' names."""
        public = (path for path in self._names if path.parent.parent == PurePosixPath("include"))
        calls = {source for path in public for source in self._defining(self._names[path].words)}
        sources = sorted(path for path in self._names if path.parent == _VERSIONS)
        return {
            path.stem: _reachable({path, *calls}, self._needed)
            for path in sources
            if path != _TABLE
        }

    def _included(self, path: PurePosixPath) -> list[PurePosixPath]:
        """The headers that a file includes, or names for a macro of an #include."""
        folders = (path.parent.as_posix(), "src", "include")
        found = []
        for name in self._names[path].headers:
            places = (self._paths.get(f"{folder}/{name}") for folder in folders)
            found += [place for place in places if place is not None][:1]
        return found

    def _add_definitions(self, path: PurePosixPath) -> None:
        """Note which declared names a source defines, in itself and in bodies that it includes.

        Its macros may give a body a name, or the end of one. If nothing is found, the names are
        joined otherwise, and the source implements the first header that it includes.
        """
        own = self._names[path]
        bodies = [self._names[file] for file in _reachable({path}, self._headers)]
        names = own.given.union(*(body.defined for body in bodies))
        beginnings = {beginning for body in bodies for beginning in body.beginnings}
        joined = {f"{beginning}{word}" for beginning in beginnings for word in own.arguments}
        defined = (names | joined) & self._declared
        for name in defined:
            self._definers[name].add(path)
        if not defined:
            self._joined[self._headers[path][0]].add(path)

    def _defining(self, names: frozenset[str]) -> set[PurePosixPath]:
        """The sources that define some of these names."""
        return set().union(*(self._definers[name] for name in self._definers.keys() & names))

    def _needed_directly(self, path: PurePosixPath) -> set[PurePosixPath]:
        headers = self._headers[path]
        joined = (self._joined.get(header, ()) for header in headers)
        return set(headers).union(self._defining(self._names[path].used), *joined)


def _reachable(
    roots: Iterable[PurePosixPath], needed: Mapping[PurePosixPath, Iterable[PurePosixPath]]
) -> set[PurePosixPath]:
    """Files, and all that they need, directly or through others."""
    found: set[PurePosixPath] = set()
    pending = list(roots)
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += needed[path]
    return found
