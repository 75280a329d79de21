"""The C library as a compiled network takes it: kernels by operator version, and their sources.

An installed package has the library's sources beside this file, as a folder or an archive; a
checkout in ``generated/c``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from opmill._model.graph import Graph, Node
from opmill._runtime.carried import unpacked
from opmill._runtime.errors import Error
from opmill._runtime.map_operator import MapOperator
from opmill._runtime.schema import Schema

_INCLUDE = re.compile(r'^ *# *(?:include|define \w+) "([\w/]+\.h)"', re.MULTILINE)
"""A header that a file includes, or names by a macro that another file includes."""

_RULES = re.compile(r"src/operators/|src/rules/|src/families/\w+/rules|include/opmill/operators/")
_VECTORS = re.compile(r"_(avx2|avx512|vnni|neon|baseline)\.c$")
_RULES_OR_VECTORS = re.compile(f"{_RULES.pattern}|{_VECTORS.pattern}")
_SEPARATE = frozenset(
    f"src/runtime/{name}"
    for name in (
        *("call", "compact", "copy", "elementwise", "estimators", "indexing"),
        *("moments", "numbers", "platform", "text", "vectors"),
    )
)
"""Folders whose sources are needed one by one: for a header of the same name."""


@cache
def folder() -> Path:
    """The folder of the C library.

    Raises:
        Error: it is missing.
    """
    here = Path(__file__).resolve().parent
    archive = here / "library.tar.xz"
    if archive.is_file():
        return unpacked(archive)
    folders = (here / "c", here.parents[2] / "c")
    for candidate in folders:
        if (candidate / "kernels.json").is_file():
            return candidate
    raise Error(
        f"the sources of the C library are missing, expected in {folders[0]} or {folders[1]}; "
        "install opmill again"
    )


@cache
def _tables() -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    found = json.loads((folder() / "kernels.json").read_text(encoding="utf-8"))
    return found["plans"], found["versions"]


def kernel_entry(schema: Schema) -> dict[str, Any] | None:
    """Name of the kernel of an operator version; ``None`` where the library has none."""
    return _tables()[1].get(f"{schema.domain}:{schema.label}")


def without_kernel(graph: Graph, node: Node) -> str:
    """Why a node has no kernel; of one that makes maps, which value the model could return."""
    operator = node.operator
    if not isinstance(operator, MapOperator):
        return "has no kernel in C"
    for other in graph.nodes:
        if node.inputs[0] in other.outputs:
            position = other.outputs.index(node.inputs[0])
            return (
                f"has a map, expected a model that ends before it: with output {position} of "
                f"{other.location} ({other.label}) as its own"
            )
    return "has a map, expected a model of tensors"


def header_of(entry: Mapping[str, Any]) -> str:
    """The public header of an operator, for ``#include``."""
    prefix = "include/opmill/operators/"
    found = [path for path in _listed({entry["files"]}) if path.startswith(prefix)]
    return found[0].removeprefix("include/")


def plan_members(family: str) -> list[tuple[str, str]]:
    """The type and the name of each member of a family's plan."""
    pairs = []
    for text in _tables()[0][family]:
        type_, name = re.fullmatch(r"(.*?)(\w+);", text).groups()  # type: ignore[union-attr]
        pairs.append((type_.strip(), name))
    return pairs


def needed_files(
    entries: Iterable[Mapping[str, Any]], *, plain: bool, ruled: Iterable[str] = ()
) -> list[str]:
    """The sources and headers that kernels need, relative to the folder.

    Args:
        entries: how the kernels are called; of those with a ``folder``, its
            compact sources alone.
        plain: whether to leave out what is compiled for other instruction sets than ``plain``.
        ruled: the ``files`` of the entries that are called by their rules, whose sources are
            needed too.
    """
    entries = list(entries)
    wanted = {one["files"] for one in entries if "folder" not in one}
    compact = {one["files"] for one in entries if "folder" in one}
    left_out = _RULES_OR_VECTORS if plain else _RULES
    available = {path for path in _listed({"all"}) if not left_out.search(path)}
    families = {path for path in _listed(wanted) if not left_out.search(path)} - available
    available |= families
    available |= {path for path in _listed(compact) if path.endswith(".h")}
    found = {path for path in families if path.endswith(".c")}
    for path in sorted({one["folder"] for one in entries if "folder" in one}):
        available.update(f"{path}/{one.name}" for one in (folder() / path).glob("*.h"))
        found.update(f"{path}/{one.name}" for one in (folder() / path).glob("compact*.c"))
    whole = {"all", *ruled} if (ruled := set(ruled)) else set()
    rules = {path for path in _listed(whole) if not (plain and _VECTORS.search(path))}
    available |= rules
    found |= {path for path in rules if path.endswith(".c")}
    # which the network's own file calls
    found |= {"include/opmill/isa.h", "src/runtime/platform/isa.h"}
    while True:
        reached = set(found)
        for path in found:
            reached |= {one for one in _included(path) if one in available or _is_compact(one)}
        reached |= {path for path in available if path.endswith(".c") and _is_needed(path, reached)}
        if reached == found:
            return sorted(found)
        found = reached


def _is_compact(path: str) -> bool:
    """True if a path is a header of compact kernels, which no version of the library needs."""
    return path.rpartition("/")[2].startswith("compact") and (folder() / path).is_file()


def _is_needed(path: str, reached: set[str]) -> bool:
    """True if files need a source: its header, its folder, or a header beside it that it includes.

    A folder is one part of the library, whose headers declare what any of its sources defines,
    unless it is one of ``_SEPARATE``.
    """
    own = path.rpartition("/")[0]
    beside = {one for one in reached if one.endswith(".h") and one.rpartition("/")[0] == own}
    if own not in _SEPARATE:
        return bool(beside)
    header = path[:-2] + ".h"
    if path == "src/runtime/platform/isa.c" or (folder() / header).is_file():
        return header in reached
    return not beside.isdisjoint(_included(path))


def _listed(names: set[str]) -> Iterator[str]:
    """The files on the lines of ``files.txt`` that name a version."""
    for line in (folder() / "files.txt").read_text(encoding="utf-8").splitlines():
        head, _, files = line.partition(":")
        if not line.startswith("#") and names.intersection(head.split()):
            yield from files.split()


@cache
def _included(path: str) -> tuple[str, ...]:
    """The files that a file includes, whether they exist or not."""
    text = (folder() / path).read_text(encoding="utf-8")
    own = path.rpartition("/")[0]
    return tuple(
        f"{root}/{name}" for name in _INCLUDE.findall(text) for root in (own, "include", "src")
    )
