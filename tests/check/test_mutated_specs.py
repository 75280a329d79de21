"""Good specs, damaged at random, give an output or faults with their places, never anything else.

Keys and values of the YAML tree are deleted, doubled, renamed, retyped and exchanged, and its text
is cut, doubled and bent. The cases are drawn from seeds, so that a failure can be run again.
"""

from __future__ import annotations

import copy
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from opmill_gen.base.diagnostics import InputError
from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.pipeline import checked_input, make_files
from small_project import CASES, FAMILY, FILES, INDEX, SPEC, Project

pytestmark = pytest.mark.slow

SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 2**63, 10**40, 1.5, float("nan"), float("-inf"), "", " ", "x",
    "T", "T1", "float", "tensor(float)", "seq(tensor(int64))", "../x", '"""', "*/", "{{ x }}", "X",
    "TODO", "TODO: more", "class", "é", "a" * 200, "0x", "1e-05", "1+2j", "\x00", "\u2028",
]  # fmt: skip
PIECES = [
    "- ", "  ", "\t", "x: 1\n", "? a\n", "&a ", "*a", "!!str ", "|\n", "{", "]", "#", "'", "\r",
]  # fmt: skip
SEEDS = range(40)
RENDERED = 2


def parts(tree: Any) -> list[Any]:
    """Every mapping and list of a tree."""
    found = [tree] if isinstance(tree, (dict, list)) else []
    children = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return found + [part for child in children for part in parts(child)]


def replaced(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    part[key] = chance.choice([*SCALARS, [], {}, [[1], [2, 3]], {"a": 1}, [None]])


def deleted(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    del part[key]


def renamed(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    if isinstance(part, dict):
        text = str(key)
        at = chance.randrange(len(text) + 1)
        part[
            chance.choice([text[:at] + text[at + 1 :], text[:at] + "x" + text[at:], text.upper()])
        ] = part.pop(key)


def doubled(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    if isinstance(part, list):
        part.insert(key, part[key])
    else:
        part[f"{key}2"] = part[key]


def wrapped(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    part[key] = chance.choice([[part[key]], {"name": part[key]}, str(part[key])])


def exchanged(chance: random.Random, tree: Any, part: Any, key: Any) -> None:
    other = chance.choice([p for p in parts(tree) if p])
    place = chance.choice(list(other) if isinstance(other, dict) else range(len(other)))
    text = yaml.safe_dump(other[place], allow_unicode=True)
    part[key] = yaml.safe_load(text)


MUTATIONS: list[Callable[..., None]] = [replaced, deleted, renamed, doubled, wrapped, exchanged]


@cache
def tree_of(text: str) -> Any:
    return yaml.safe_load(text)


def mutated_tree(chance: random.Random, text: str) -> str:
    """The text with one to three keys or values of its tree changed."""
    tree = copy.deepcopy(tree_of(text))
    for _ in range(chance.randint(1, 3)):
        filled = [part for part in parts(tree) if part]
        if not filled:
            break
        part = chance.choice(filled)
        key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
        chance.choice(MUTATIONS)(chance, tree, part, key)
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)


def mutated_text(chance: random.Random, text: str) -> str:
    """The text with characters or lines cut, doubled or put in."""
    start = chance.randrange(len(text))
    end = min(len(text), start + chance.choice([1, 1, 2, 10, 80]))
    change = chance.randrange(4)
    if change == 0:
        return text[:start] + text[end:]
    if change == 1:
        return text[:end] + text[start:]
    if change == 2:
        return text[:start] + chance.choice(PIECES) + text[start:]
    lines = text.splitlines(keepends=True)
    line = chance.randrange(len(lines))
    lines[line] = chance.choice(["  " + lines[line], lines[line].lstrip(), lines[line] * 2])
    return "".join(lines)


def is_good(sources: Sources) -> bool:
    """True if the damaged input is good all the same; its faults have places, if it is not."""
    try:
        checked_input(sources)
    except InputError as error:
        faults = error.diagnostics
    else:
        return True
    assert faults
    for fault in faults:
        assert fault.message
        assert fault.location.path.startswith(("specs", "families", "templates"))
        assert fault.location.line > 0 or "unacceptable character" in fault.message
    return False


@pytest.mark.parametrize("mutate", [mutated_tree, mutated_text])
@pytest.mark.parametrize("file", [SPEC, CASES, INDEX, FAMILY])
def test_damage_to_the_small_project(
    tmp_path: Path, file: str, mutate: Callable[[random.Random, str], str]
):
    project = Project(tmp_path)
    own = project.sources
    sources = Sources(own.specs, default_sources().templates, own.families)
    good = 0
    for seed in SEEDS:
        chance = random.Random(f"{file} {mutate.__name__} {seed}")
        text = mutate(chance, FILES[file])
        project.put(file, text)
        if is_good(sources):
            good += 1
            if good <= RENDERED and file in (SPEC, CASES):
                versions, _ = make_files(sources, Settings())
                assert versions == 1
    assert 0 < good < 32


@pytest.mark.parametrize("mutate", [mutated_tree, mutated_text])
@pytest.mark.parametrize("name", ["1.yaml", "cases.yaml", "errata.yaml"])
def test_damage_to_an_operator_of_the_project(
    tmp_path: Path, name: str, mutate: Callable[[random.Random, str], str]
):
    own = default_sources()
    families = tmp_path / "families"  # all of them would be read again for each damage
    for part in ("_shared", "tile"):
        shutil.copytree(own.families[0] / part, families / part)
    sources = Sources(tmp_path / "specs", own.templates, (families,))
    folder = sources.specs / "ai.onnx/Tile"
    shutil.copytree(own.specs / "ai.onnx/Tile", folder)
    text = (folder / name).read_text()
    bad = 0
    for seed in SEEDS[:20]:
        damaged = mutate(random.Random(f"tile {seed}"), text)
        (folder / name).write_text(damaged, encoding="utf-8", newline="")
        bad += not is_good(sources)
    assert bad > 4
