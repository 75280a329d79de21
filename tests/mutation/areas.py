"""Areas of mutated code, and the tests that judge each, the quickest first."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mutation.mutants import Mutant, mutants


@dataclass(frozen=True)
class Area:
    """A part of the code.

    Args:
        name: as the record calls it.
        files: patterns, from the top of the tree.
        in_c: whether the C library has to be built anew, and its own tests come first.
        stages: files of Python tests; each stage is a run of pytest, the next is for survivors.
            ``stages`` fills in the placeholders in braces.
    """

    name: str
    files: tuple[str, ...]
    in_c: bool
    stages: tuple[tuple[str, ...], ...]


VERSION = ("generated/tests/test_operators.py", "-k", "{label}")
DIFFERENTIAL = ("tests/differential/test_calls.py", "-k", "test_calls and {label}")
KERNELS = ("tests/families/test_kernels.py",)
LARGE = ("tests/operators",)
CASTS = ("tests/families/test_cast_types.py",)
RULE_LANGUAGE = ("tests/rule_language/test_rules_language.py",)
RULES = (
    "tests/families/test_rules_families.py",
    "tests/families/test_rules_truths.py",
    "-k",
    "{family}",
)
OWN = (
    "tests/package/test_input_reader.py",
    "tests/families/test_numpy_repeat.py",
    "tests/package/test_containers.py",
    "tests/package/test_call_words.py",
    "tests/package/test_value_names.py",
    "tests/package/test_errors.py",
)
NATIVE = (
    "tests/package/test_native.py",
    "tests/package/test_native_memory.py",
    "tests/package/test_native_threads.py",
    "tests/package/test_explain.py",
)
PACKAGE = ("tests/package/test_package.py", *NATIVE)
BLOCKS = ("tests/differential/test_small_blocks.py", "-k", "{label}")

AREAS = (
    Area(
        "rules",
        (
            "families/*/rules.py",
            "families/*/rules/*.py",
            "families/*/functions.py",
            "families/_shared/*.py",
        ),
        True,
        (VERSION, RULES, DIFFERENTIAL),
    ),
    Area(
        "NumPy kernels",
        ("families/*/kernel.py", "families/*/kernel.py.j2"),
        False,
        (VERSION, BLOCKS, CASTS, DIFFERENTIAL),
    ),
    Area(
        "Python runtime",
        ("runtime/python/_runtime/**/*.py",),
        False,
        (VERSION, OWN, RULE_LANGUAGE, PACKAGE, BLOCKS, DIFFERENTIAL),
    ),
    Area(
        "C kernels",
        ("families/*/kernel.c", "families/*/kernel.c.j2", "families/*/c/*.[ch]"),
        True,
        (VERSION, CASTS, KERNELS, LARGE, DIFFERENTIAL),
    ),
    Area(
        "C runtime",
        ("runtime/c/src/runtime/**/*.[ch]",),
        True,
        (VERSION, NATIVE, KERNELS, LARGE),
    ),
)
SHARED = "_shared"
"""The folder of what the rules of several families share."""
NOT_BUILT = ("copy_mover_neon.c",)
"""Sources for other processors."""


def found(area: Area, root: Path) -> list[Mutant]:
    """Every mutant of an area, in the order of the files."""
    paths = sorted({path for pattern in area.files for path in root.glob(pattern)})
    return [
        one
        for path in paths
        if path.name not in NOT_BUILT
        for one in mutants(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    ]


def sampled(area: Area, root: Path, count: int, seed: int) -> list[Mutant]:
    """Some of an area's mutants, the same for the same seed."""
    every = found(area, root)
    chosen = random.Random(f"{seed} {area.name}").sample(every, min(count, len(every)))
    return sorted(chosen, key=lambda one: (one.path, one.start, one.text))


def stages(
    area: Area, one: Mutant, versions: dict[str, list[tuple[str, str]]]
) -> Iterator[list[str]]:
    """The arguments of pytest, run after run.

    ``versions`` has of each family the test modules and labels of its versions, the newest first. A
    mutant of a family is for all its versions, one of what rules share for all versions of all
    families, but calls are drawn of the newest alone; one of a runtime is for the newest of each.
    """
    parts = PurePosixPath(one.path).parts
    own = parts[1] if parts[0] == "families" else None
    for stage in area.stages:
        if not any("{" in word for word in stage):
            yield list(stage)
            continue
        for family, known in versions.items():
            if own not in (family, None, SHARED):
                continue
            asked = known if own and stage == VERSION else known[:1]
            for module, label in asked:
                yield [word.format(module=module, label=label, family=family) for word in stage]
