"""Whatever a spec, an index or a family contains, the result is an output or a list of faults.

Every value of every small file is replaced by values of other shapes and sizes, one at a time.
Anything but ``InputError`` fails the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from opmill_gen.base.diagnostics import InputError
from opmill_gen.pipeline import checked_input
from selection import some
from small_project import FAMILY, FILES, INDEX, SPEC, Project

pytestmark = pytest.mark.slow

REPLACEMENTS = [
    "", "~", "[]", "{}", "x", "''", "true", "0", "-1", "1.5", "nan", "1e999", "9" * 50,
    "[[1], [2]]", "{a: 1}", '"\\x00\\n\\"\\"\\""', "../x", "T",
    "tensor(float)", "seq(tensor(float))", "[null]",
]  # fmt: skip


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the bounds of each value of a YAML text: of mappings and of lists."""
    nodes = [yaml.compose(text)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.MappingNode):
            children = [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            children = list(node.value)
        else:
            continue
        for child in children:
            flow = isinstance(child, yaml.ScalarNode) or child.flow_style
            if flow:
                yield child.start_mark.index, child.end_mark.index
        nodes.extend(children)


def refused(root: Path, file: str, texts: list[str]) -> int:
    """Number of these texts that are refused as a file; none may end otherwise."""
    project = Project(root)
    count = 0
    for text in texts:
        project.put(file, text)
        try:
            checked_input(project.sources)
        except InputError:
            count += 1
    return count


@pytest.mark.parametrize("file", [SPEC, INDEX, FAMILY])
@pytest.mark.parametrize("replacement", some(REPLACEMENTS, 3))
def test_any_value_in_the_place_of_any_other(tmp_path: Path, file: str, replacement: str):
    text = FILES[file]
    texts = [text[:start] + replacement + text[end:] for start, end in spans(text)]
    assert refused(tmp_path, file, texts) >= len(texts) // 4


@pytest.mark.parametrize("file", [SPEC, INDEX, FAMILY])
def test_any_line_may_be_missing_or_be_there_twice(tmp_path: Path, file: str):
    lines = FILES[file].splitlines(keepends=True)
    texts = ["".join(lines[:k] + lines[m:]) for k in range(len(lines)) for m in (k + 1, k - 1)]
    assert refused(tmp_path, file, texts) >= len(texts) // 4


@pytest.mark.parametrize("file", [SPEC, INDEX, FAMILY])
def test_a_file_may_end_anywhere(tmp_path: Path, file: str):
    texts = [FILES[file][:k] for k in range(0, len(FILES[file]), 7)]
    assert refused(tmp_path, file, texts) >= len(texts) // 4
