"""YAML as a tree of values that know where they stand.

Scalars follow YAML 1.2's core schema (``1e-05`` is a number, ``no`` is text), whatever YAML
1.1 says. Duplicate keys, aliases, tags and keys that are not text are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from opmill_gen.diagnostics import Diagnostic, InputError, Location

Natural = None | bool | int | float | str

_MAX_DEPTH = 80  # a tensor of rank 64, and what stands around it
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
    """A YAML mapping; ``keys`` tells where each key stands."""

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
    """What a tree is, for messages: ``text 'abc'``, ``a list``."""
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


def parse_yaml(path: str, text: str) -> Tree:
    """Parse one YAML document; every fault is raised together as ``InputError``."""
    loader: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        faults = list(_refused_events(path, text, loader))
        if faults:
            raise InputError(faults)
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path)
        raise InputError([Diagnostic(place, f"not valid YAML: {error.problem}")]) from None
    except yaml.YAMLError as error:
        first_line = str(error).splitlines()[0]
        raise InputError([Diagnostic(Location(path), f"not valid YAML: {first_line}")]) from None
    if root is None:
        raise InputError([Diagnostic(Location(path, 1, 1), "the file is empty")])
    reader = _Reader(path)
    tree = reader.convert(root)
    if reader.faults:
        raise InputError(reader.faults)
    return tree


def _refused_events(path: str, text: str, loader: type) -> Iterator[Diagnostic]:
    """Tags and aliases, which nodes no longer tell, and nesting that composing cannot survive."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        mark = event.start_mark
        place = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path)
        tag = getattr(event, "tag", None)
        if tag is not None:
            yield Diagnostic(place, f"the tag '{tag}' is not supported; write the plain value")
        if getattr(event, "anchor", None) is not None:
            yield Diagnostic(
                place,
                "anchors and aliases are not supported; write the value out where it is used",
            )
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            yield Diagnostic(place, f"nested more than {_MAX_DEPTH} levels deep; write it flatter")
            return


class _Reader:
    """Turns PyYAML's nodes into a tree and collects what is not allowed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[Diagnostic] = []

    def place(self, node: yaml.Node) -> Location:
        return Location(self.path, node.start_mark.line + 1, node.start_mark.column + 1)

    def fault(self, node: yaml.Node, message: str) -> None:
        self.faults.append(Diagnostic(self.place(node), message))

    def convert(self, node: yaml.Node) -> Tree:
        place = self.place(node)
        if isinstance(node, yaml.SequenceNode):
            return Items(place, tuple(self.convert(item) for item in node.value))
        if isinstance(node, yaml.MappingNode):
            return self.convert_mapping(node, place)
        assert isinstance(node, yaml.ScalarNode)
        quoted = bool(node.style)  # where it is not, the C parser says '', the Python one None
        return Scalar(place, node.value if quoted else natural(node.value), node.value)

    def convert_mapping(self, node: yaml.MappingNode, place: Location) -> Entries:
        entries: dict[str, Tree] = {}
        keys: dict[str, Location] = {}
        for key_node, value_node in self.pairs(node):
            key = key_node.value
            if key in entries:
                first = keys[key]
                self.fault(
                    key_node,
                    f"key '{key}' stands here a second time; "
                    f"the first is on line {first.line}: remove one",
                )
                continue
            keys[key] = self.place(key_node)
            entries[key] = self.convert(value_node)
        return Entries(place, entries, keys)

    def pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                yield key_node, value_node
            else:
                self.fault(key_node, "a key must be text")
