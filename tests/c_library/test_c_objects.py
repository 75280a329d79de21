"""No two sources of the families and the runtime compile to the same machine code."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from c_library import FLAGS, FOLDER, compiler, objects

SMALL = 12
"""Instructions of functions so short that one object for both would cost more than it saves."""
LABEL = re.compile(r"^(\w+):", re.MULTILINE)
INSTRUCTION = re.compile(r"^\t[a-z]", re.MULTILINE)
NAMING = re.compile(r"^\t\.(file|ident|globl|size|type)\b.*\n", re.MULTILINE)


def without_names(text: str) -> str:
    """An assembly, its own symbols numbered: constants and calls stay in it."""
    text = NAMING.sub("", text)
    own = {name: f"symbol_{number}" for number, name in enumerate(LABEL.findall(text))}
    return re.sub(r"\b[A-Za-z_]\w*", lambda word: own.get(word[0], word[0]), text)


def alike(assemblies: Mapping[str, Path]) -> list[list[str]]:
    """The sources that compile to the same, but for those that hold next to nothing."""
    groups: dict[str, list[str]] = defaultdict(list)
    for source, path in sorted(assemblies.items()):
        text = without_names(path.read_text(encoding="utf-8"))
        if len(INSTRUCTION.findall(text)) > SMALL:
            groups[text].append(source)
    return [names for names in groups.values() if len(names) > 1]


needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


VARIADIC = "src/families/elementwise_variadic/rules"
OUTPUT_NAMES = [
    [f"{VARIADIC}_{name}{how}.c" for name in ("max", "mean", "min", "sum")]
    for how in ("", "_broadcasts")
]
"""Rules that differ in the name of their output alone, which a rule states in its words."""
NAMERS = [[f"src/families/cast/rules_{name}.c" for name in ("attribute", "like")]]
"""Rules that differ in what names the output's type, an attribute or a tensor: neither is read."""
MASKS = [[f"src/families/dropout/rules_inference{name}.c" for name in ("", "_mask_of_data")]]
"""Rules that differ in the type of an output, which the spec states: the oracle alone needs it."""
KNOWN = [*OUTPUT_NAMES, *NAMERS, *MASKS]


@needs_compiler
def test_no_two_objects_are_alike():
    """Those of versions are left out: each holds its label."""
    folders = tuple(str(FOLDER / "src" / name) for name in ("families", "runtime"))
    found = alike(
        {
            source.relative_to(FOLDER).as_posix(): object.with_suffix(".s")
            for source, object in objects().items()
            if str(source).startswith(folders)
        }
    )
    assert [group for group in found if group not in KNOWN] == []
    assert [group for group in KNOWN if group not in found] == []


KERNEL = """\
#include <string.h>

static int total(const int *values, int count) {{
    int sum = {start};
    for (int i = 0; i < count; i++) {{
        sum += values[i] * {factor};
    }}
    return sum;
}}

int {name}(const int *values, int count, const char *label) {{
    return strcmp(label, "{text}") == 0 && count > 2 ? total(values, count) : {called}(values);
}}
"""
SAME = {"start": 0, "factor": 3, "name": "first", "text": "one", "called": "other"}


@needs_compiler
@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"name": "second"}, True),
        ({"name": "second", "factor": 5}, False),
        ({"name": "second", "text": "two"}, False),
        ({"name": "second", "called": "another"}, False),
    ],
)
def test_names_of_its_own_do_not_tell_objects_apart(
    tmp_path: Path, change: dict[str, object], same: bool
):
    for name, values in (("a.c", SAME), ("b.c", SAME | change)):
        text = KERNEL.format(**values)
        declared = f"int {values['called']}(const int *);\n"
        (tmp_path / name).write_text(declared + text, encoding="utf-8")
        subprocess.run([compiler() or "cc", *FLAGS, "-S", name], cwd=tmp_path, check=True)
    compiled = {path.with_suffix(".c").name: path for path in tmp_path.glob("*.s")}
    assert alike(compiled) == ([["a.c", "b.c"]] if same else [])
