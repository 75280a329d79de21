"""A YAML tree as plain lists, for the cache: with its places, without its path."""

from __future__ import annotations

from typing import Any

from opmill_gen.base.diagnostics import Location
from opmill_gen.yaml_reader.tree import Entries, Items, Scalar, Tree, natural


def to_plain(tree: Tree) -> list[Any]:
    """``[line, column, text]``, with a 1 behind quoted text; ``[.., [..]]`` and ``[.., {..}]``."""
    location = [tree.location.line, tree.location.column]
    if isinstance(tree, Items):
        return [*location, [to_plain(item) for item in tree.items]]
    if isinstance(tree, Entries):
        entries = {
            key: [tree.keys[key].line, tree.keys[key].column, to_plain(value)]
            for key, value in tree.entries.items()
        }
        return [*location, entries]
    return [*location, tree.text, 1] if isinstance(tree.value, str) else [*location, tree.text]


def from_plain(path: str, written: list[Any]) -> Tree:
    """The tree that ``to_plain`` was given, as in the file ``path``."""
    line, column, content, *quoted = written
    location = Location(path, line, column)
    if isinstance(content, str):
        return Scalar(location, content if quoted else natural(content), content)
    if isinstance(content, list):
        return Items(location, tuple([from_plain(path, item) for item in content]))
    entries, keys = {}, {}
    for key, (key_line, key_column, value) in content.items():
        keys[key] = Location(path, key_line, key_column)
        entries[key] = from_plain(path, value)
    return Entries(location, entries, keys)


def without_locations(tree: Tree) -> Any:
    """A tree as plain data that two trees share where they differ in their places alone."""
    if isinstance(tree, Items):
        return [without_locations(item) for item in tree.items]
    if isinstance(tree, Entries):
        return {key: without_locations(value) for key, value in tree.entries.items()}
    return (tree.text, 1) if isinstance(tree.value, str) else (tree.text,)
