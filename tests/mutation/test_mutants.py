"""The mutants themselves: what is found in a file, and what is passed over."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from mutation.areas import AREAS, VERSION, Area, found, sampled, stages
from mutation.mutants import Mutant, mutants
from mutation.mutate import RECORDS, ROOT, family_versions, key, share
from mutation.scratch import Scratch, site_packages
from opmill_gen import pipeline

pytestmark = pytest.mark.slow

PYTHON = '''\
"""Says a < b."""


def largest(a: int, b: int) -> int:
    # not a + b
    result = max(a - b, 2)
    show(f"{a} < {b}")
    for x, y in zip([a], [b], strict=True):
        if x == 1 and y <= b:
            break
    return result
'''
C = """\
#include <stdint.h> /* a + b */
#define LINES 4
static int32_t least(int32_t a, const int32_t *b) {
    int32_t sum = a + *b; // a - b
    if (!sum || a->size >= 0x10u) {
        sum += 2;
        return sum;
    }
    return least(sum, "a < b");
}
"""


def changes(path: str, source: str) -> list[tuple[int, str, str]]:
    return [(one.line, one.kind, one.after) for one in mutants(path, source)]


def test_python() -> None:
    assert changes("families/x/rules.py", PYTHON) == [
        (6, "statement", "pass"),
        (6, "arithmetic", "result = min(a - b, 2)"),
        (6, "operands", "result = max(b - a, 2)"),
        (6, "arithmetic", "result = max(a + b, 2)"),
        (6, "constant", "result = max(a - b, 3)"),
        (7, "statement", "pass"),
        (9, "comparison", "if x != 1 and y <= b:"),
        (9, "constant", "if x == 2 and y <= b:"),
        (9, "logic", "if x == 1 or y <= b:"),
        (9, "operands", "if x == 1 and b <= y:"),
        (9, "comparison", "if x == 1 and y < b:"),
        (10, "statement", "continue"),
    ]


def test_c() -> None:
    assert changes("runtime/c/src/runtime/x.c", C) == [
        (3, "arithmetic", "static int32_t most(int32_t a, const int32_t *b) {"),
        (4, "arithmetic", "int32_t sum = a - *b; // a - b"),
        (5, "logic", "if (sum || a->size >= 0x10u) {"),
        (5, "logic", "if (!sum && a->size >= 0x10u) {"),
        (5, "comparison", "if (!sum || a->size > 0x10u) {"),
        (5, "constant", "if (!sum || a->size >= 0x11u) {"),
        (6, "statement", ";"),
        (6, "arithmetic", "sum -= 2;"),
        (6, "constant", "sum += 3;"),
        (9, "arithmetic", 'return most(sum, "a < b");'),
    ]


def test_operands_change_sides_where_that_matters() -> None:
    source = "a = x < y;\nb = p->x - y;\nc = n - 1 - y;\nd = (x - y) * p->n;\ne = z + x - y;\n"
    found = mutants("x.c", source)
    swapped = ["a = y < x;", "d = (y - x) * p->n;", "e = z + y - x;"]
    assert [one.after for one in found if one.kind == "operands"] == swapped


@cache
def all_of(area: Area) -> list[Mutant]:
    """Every mutant of an area of the checkout."""
    return found(area, ROOT)


@cache
def source_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_every_mutant_differs_in_its_line_alone(area) -> None:
    every = all_of(area)
    assert len(every) > 50
    for one in every:
        source = source_of(one.path)
        lines, changed = source.splitlines(), one.applied(source).splitlines()
        here = one.line - 1
        before, after = lines[here], changed[here]
        assert before != after, one
        assert (before.strip(), after.strip()) == (one.before, one.after)
        changed[here] = before
        assert changed == lines, one


@pytest.mark.deep
def test_python_stays_python() -> None:
    """A mutant that cannot be read would be noticed for that alone."""
    every = [one for area in AREAS for one in all_of(area)]
    for path, mutants_of_file in itertools.groupby(every, lambda one: one.path):
        if not path.endswith((".py", ".py.j2")):
            continue
        source = source_of(path)
        try:
            tree = ast.parse(source)
        except SyntaxError:  # a template's own lines
            continue
        for one in mutants_of_file:
            # A mutant changes a line of one statement, which is read without the others.
            [(first, last)] = [
                (first, node.end_lineno)
                for node in tree.body
                for first in [min([node.lineno, *(d.lineno for d in decorators(node))])]
                if first <= one.line <= (node.end_lineno or 0)
            ]
            lines = one.applied(source).splitlines()
            ast.parse("\n".join(lines[first - 1 : last]))


def decorators(node: ast.stmt) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def test_a_sample_follows_from_its_seed() -> None:
    area = AREAS[0]
    assert sampled(area, ROOT, 9, 1) == sampled(area, ROOT, 9, 1)
    assert sampled(area, ROOT, 9, 1) != sampled(area, ROOT, 9, 2)
    assert len(sampled(area, ROOT, 9, 1)) == 9


def test_the_share() -> None:
    from collections import Counter

    assert share(Counter(noticed=3, survived=1, equivalent=5, refused=7)) == 75
    assert share(Counter(refused=7)) == 100


def test_the_listed_equivalents_are_mutants() -> None:
    """Check that each listed mutant still exists; else the entry has lost its line."""
    data = yaml.safe_load((RECORDS / "equivalent_mutants.yaml").read_text(encoding="utf-8"))
    for group in data["equivalent"]:
        assert set(group) == {"path", "because", "changes"}
        assert group["because"]
        source = (ROOT / group["path"]).read_text(encoding="utf-8")
        keys = {key(one) for one in mutants(group["path"], source)}
        for change in group["changes"]:
            assert (group["path"], change["before"], change["after"]) in keys, change
    assert Path(RECORDS).name == "records"


def test_what_is_asked_about_a_mutant() -> None:
    """Its family's versions, the newest first; of a runtime, the newest of each family."""
    versions = family_versions()
    assert versions["concat"][0] == ("concat", "Concat-13")
    assert len(versions["concat"]) > 1

    def labels(area: str, path: str) -> list[str]:
        [its] = [each for each in AREAS if each.name == area]
        one = next(each for each in all_of(its) if each.path.startswith(path))
        asked = [(stage[0], stage[-1]) for stage in stages(its, one, versions)]
        return [files[each] for each in asked if each in files]

    files = {
        (VERSION[0].format(module=module), label): label
        for known in versions.values()
        for module, label in known
    }
    newest = [known[0][1] for known in versions.values()]
    every = [label for known in versions.values() for _, label in known]
    assert labels("rules", "families/concat/") == [one for _, one in versions["concat"]]
    assert labels("rules", "families/_shared/") == every
    assert labels("C runtime", "runtime/c/src/runtime/") == newest
    for family, known in versions.items():
        for module, _ in known:
            assert (ROOT / VERSION[0].format(module=module)).is_file(), (family, module)


def test_what_is_imported_beforehand_is_no_mutant_s(tmp_path: Path) -> None:
    """Else every mutant of the package would be judged by the package without it."""
    (tmp_path / "tree").symlink_to(ROOT)
    program = f"from mutation.scratch import *; Scratch(Path(), Path({str(tmp_path)!r})).preload()"
    paths = os.pathsep.join([site_packages(), str(ROOT / "tests"), str(ROOT / "tests" / "support")])
    subprocess.run(
        [sys.executable, "-S", "-c", program],
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tmp_path,
    )


def test_the_generator_is_called_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fails without a mutant would make every mutant one that is refused."""
    called = []
    for name in ("generate", "generate_corpus"):
        monkeypatch.setattr(pipeline, name, lambda sources, output, settings: called.append(output))
    scratch = Scratch(ROOT, tmp_path)
    assert (scratch._generate(), scratch._write_corpus()) == (0, 0)
    assert called == [scratch.tree / "generated", scratch.corpus]


def test_a_stage_without_tests_notices_nothing(tmp_path: Path) -> None:
    """Not every version has tests of each kind, and pytest's status is not 0 then."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "test_none.py").write_text("def test_one() -> None: ...\n")
    (tmp_path / "tree" / "test_wrong.py").write_text("def test_one() -> None: assert False\n")
    scratch = Scratch(ROOT, tmp_path)
    assert scratch.tests_pass(["test_none.py", "-k", "Tile-13", "--rootdir=."])
    assert not scratch.tests_pass(["test_wrong.py", "--rootdir=."])
