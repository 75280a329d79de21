"""The text of the cases that apply to one version, cut from the file that has those of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from opmill_gen.yaml_reader.tree import Entries, Items, Scalar, Tree

EDITOR_MARK = "# yaml-language-server:"
_RANGE = frozenset({"since", "before"})


def text_of_version(
    text: str, tree: Entries, version: int, left_out: Set[str] = frozenset()
) -> str:
    """The file as one of this version alone: the items that apply to it, without their ranges.

    Without the line for editors too: the text goes where the schema may be absent.

    Args:
        text: a file of cases or of errata.
        tree: it as a tree.
        version: the version.
        left_out: further keys of the items that go.
    """
    lines = text.splitlines()
    starts = sorted(location.line - 1 for location in tree.keys.values())
    ends = [_above(lines, line) for line in starts[1:]] + [len(lines)]
    result = [line for line in lines[: starts[0]] if not line.startswith(EDITOR_MARK)]
    for key, value in tree.entries.items():
        start = tree.keys[key].line - 1
        end = ends[starts.index(start)]
        kept = [i for i in value.items if _applies(i, version)] if isinstance(value, Items) else []
        if isinstance(value, Items) and not kept:
            continue
        while result and not result[-1]:
            result.pop()
        result += ["", lines[start]] if start and not lines[start - 1] else [lines[start]]
        if not isinstance(value, Items):
            result += lines[start + 1 : end]
            continue
        firsts = [_above(lines, item.location.line - 1) for item in value.items]
        for item, first, last in zip(value.items, firsts, [*firsts[1:], end], strict=True):
            if item in kept and isinstance(item, Entries):
                result += _without(lines, first, last, item, _RANGE | left_out)
    return "\n".join(result).rstrip("\n") + "\n"


def _above(lines: list[str], line: int) -> int:
    """The first line of the comment above a line, or the line itself."""
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _applies(item: Tree, version: int) -> bool:
    entries = item.entries if isinstance(item, Entries) else {}
    since, before = (_number(entries.get(name)) for name in ("since", "before"))
    return (since is None or since <= version) and (before is None or version < before)


def _number(tree: Tree | None) -> int | None:
    return tree.value if isinstance(tree, Scalar) and isinstance(tree.value, int) else None


def _without(
    lines: list[str], first: int, last: int, item: Entries, keys: Set[str]
) -> Iterator[str]:
    """The lines of an item without some of its keys."""
    start = item.location.line - 1
    in_flow = lines[start].lstrip().startswith("- {")
    dropped = {item.keys[key].line - 1 for key in keys & item.keys.keys()}
    dash = ""
    for number in range(first, last):
        line = lines[number]
        if in_flow:
            for key in sorted(keys):
                line = re.sub(rf"(?<=[{{ ]){key}: (?:\[[^\]]*\]|[^,}}]+), ", "", line)
        elif number in dropped:
            dash = line[: line.index("- ") + 2] if number == start else dash
            continue
        elif dash:
            line, dash = dash + line.lstrip(), ""
        yield line
