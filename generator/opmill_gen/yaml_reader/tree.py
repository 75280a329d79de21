"""YAML as a tree of values that know where they stand.

Scalars follow YAML 1.2's core schema (``1e-05`` is a number, ``no`` is text), whatever YAML
1.1 says. Duplicate keys, aliases, tags and keys that are not text are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location

Natural = None | bool | int | float | str

_MAX_DEPTH = 80  # a tensor of rank 64, and the keys around it
_TOO_DEEP = f"nested more than {_MAX_DEPTH} levels deep; write it flatter"
_INTEGER = re.compile(r"[-+]?[0-9]{1,40}\Z|0x[0-9a-fA-F]{1,32}\Z|0o[0-7]{1,43}\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_SPECIAL = {
    "null": None,
    "~": None,
    "": None,
    "true": True,
    "false": False,
    "nan": float("nan"),
    ".nan": float("nan"),
    "inf": float("inf"),
    "+inf": float("inf"),
    "-inf": float("-inf"),
    ".inf": float("inf"),
    "+.inf": float("inf"),
    "-.inf": float("-inf"),
}


@dataclass(frozen=True)
class Scalar:
    """A single value: text, number, truth value or null, with the text it was written as."""

    location: Location
    value: Natural
    text: str


@dataclass(frozen=True)
class Items:
    """A YAML sequence."""

    location: Location
    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Entries:
    """A YAML mapping; ``keys`` has the position of each key."""

    location: Location
    entries: dict[str, Tree]
    keys: dict[str, Location]


Tree = Scalar | Items | Entries


def natural(text: str) -> Natural:
    """The value of an unquoted scalar."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INTEGER.match(text):
        if text[1:2] in ("x", "o"):
            return int(text, 0)
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def describe(tree: Tree) -> str:
    """Description of a tree for messages: ``text 'abc'``, ``a list``."""
    if isinstance(tree, Items):
        return "a list"
    if isinstance(tree, Entries):
        return "a mapping"
    if tree.value is None:
        return "nothing"
    if isinstance(tree.value, bool):
        return f"'{tree.text}'"
    if isinstance(tree.value, (int, float)):
        return f"the number {tree.text[:40]}"
    return f"text '{tree.text[:40]}'"


def plain(tree: Tree) -> object:
    """The tree as plain Python values: lists become tuples, mappings dicts."""
    if isinstance(tree, Scalar):
        return tree.value
    if isinstance(tree, Items):
        return tuple(plain(item) for item in tree.items)
    return {key: plain(value) for key, value in tree.entries.items()}


def words_of(tree: Tree) -> Iterator[tuple[Location, str]]:
    """Every key and every value of a tree, as written, with its position."""
    if isinstance(tree, Scalar):
        yield tree.location, tree.text
    elif isinstance(tree, Items):
        for item in tree.items:
            yield from words_of(item)
    else:
        for key, value in tree.entries.items():
            yield tree.keys[key], key
            yield from words_of(value)


def parse_yaml(path: str, text: str) -> Tree:
    """Parse one YAML document; every fault is raised together as ``InputError``."""
    loader: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    builder = _Builder(path)
    try:
        for event in yaml.parse(text, Loader=loader):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        location = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path)
        message = f"not valid YAML: {error.problem}{_hint(error.problem, text, location)}"
        # Where libyaml has a limit of its own, its scanner, which reads ahead, can reach it before
        # the first event is delivered.
        if "maximum nesting depth" in (error.problem or ""):
            message = _TOO_DEEP
        raise InputError([Diagnostic(location, message)]) from None
    except yaml.YAMLError as error:
        first_line = str(error).splitlines()[0]
        raise InputError([Diagnostic(Location(path), f"not valid YAML: {first_line}")]) from None
    faults = builder.refused or builder.faults
    if faults:
        raise InputError(faults)
    if builder.root is None:
        raise InputError([Diagnostic(Location(path, 1, 1), "the file is empty")])
    return builder.root


_HINTS = {
    "mapping values are not allowed in this context": "; put text that holds ': ' in quotes",
    "did not find expected node content": "; a bracket, a brace or a value is missing",
    "did not find expected ',' or ']'": "; a ']' is missing, or a comma",
    "did not find expected ',' or '}'": "; a '}' is missing, or a comma",
    "did not find expected key": "; look at the indentation and the quotes here and above",
    "found unexpected end of stream": "; a quote is not closed",
}
"""Likely remedies for messages of libyaml."""


def _hint(problem: str | None, text: str, location: Location) -> str:
    lines = text.splitlines()
    line = lines[location.line - 1] if 0 < location.line <= len(lines) else ""
    if line[location.column - 1 : location.column] == "\t":
        return "; indent with spaces, not with tabs"
    return _HINTS.get(problem or "", "")


@dataclass
class _Open:
    """A sequence or mapping whose end has not come yet."""

    location: Location
    children: list[Tree] = field(default_factory=list)
    mapping: bool = False


class _Builder:
    """Turns PyYAML's events into a tree and collects what is not allowed.

    ``refused`` are faults that make what follows unsure: tags, aliases and deep nesting.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.root: Tree | None = None
        self.refused: list[Diagnostic] = []
        self.faults: list[Diagnostic] = []
        self.open: list[_Open] = []

    def take(self, event: yaml.Event) -> bool:
        """Take the next event; ``False`` where nothing after it is to be read."""
        mark = event.start_mark
        location = (
            Location(self.path, mark.line + 1, mark.column + 1) if mark else Location(self.path)
        )
        if isinstance(event, yaml.ScalarEvent):
            self.check(event, location)
            plain_style = not event.style  # the C parser says '' there, the Python one None
            value = natural(event.value) if plain_style else event.value
            self.add(Scalar(location, value, event.value))
        elif isinstance(event, yaml.CollectionStartEvent):
            self.check(event, location)
            self.open.append(_Open(location, mapping=isinstance(event, yaml.MappingStartEvent)))
            if len(self.open) > _MAX_DEPTH:
                self.refused.append(Diagnostic(location, _TOO_DEEP))
                return False
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self.open.pop()
            self.add(
                self.entries(done) if done.mapping else Items(done.location, tuple(done.children))
            )
        elif isinstance(event, yaml.AliasEvent):
            self.check(event, location)
            self.add(Scalar(location, None, ""))
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            self.faults.append(
                Diagnostic(location, "a second document begins here; a file holds one")
            )
            return False
        return True

    def check(self, event: yaml.NodeEvent, location: Location) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None:
            message = f"the tag '{tag}' is not supported; write the plain value"
            self.refused.append(Diagnostic(location, message))
        if event.anchor is not None:
            message = "anchors and aliases are not supported; write the value out where it is used"
            self.refused.append(Diagnostic(location, message))

    def add(self, tree: Tree) -> None:
        if self.open:
            self.open[-1].children.append(tree)
        else:
            self.root = tree

    def entries(self, done: _Open) -> Entries:
        """A mapping of its keys and values, which came one after the other."""
        entries: dict[str, Tree] = {}
        keys: dict[str, Location] = {}
        for name, value in zip(done.children[::2], done.children[1::2], strict=True):
            if not isinstance(name, Scalar):
                self.faults.append(Diagnostic(name.location, "a key must be text"))
            elif name.text in entries:
                self.faults.append(
                    Diagnostic(
                        name.location,
                        f"key '{name.text}' is repeated; "
                        f"the first is on line {keys[name.text].line}: remove one",
                    )
                )
            else:
                keys[name.text] = name.location
                entries[name.text] = value
        return Entries(done.location, entries, keys)
