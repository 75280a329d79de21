"""The manual's sources: examples run as printed, and pages say what the rules check."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

from c_library import FOLDER, ROOT, compiler, library
from checked_tree import checked_tree
from opmill_gen.base.diagnostics import InputError
from opmill_gen.check.result import CheckedVersion, Instance
from opmill_gen.emit.backends import C
from opmill_gen.emit.docs.figures import example_figure
from opmill_gen.emit.docs.rule_checks import Condition, conditions
from opmill_gen.emit.docs.site.version_page import node_code, opening
from opmill_gen.pipeline import checked_input
from opmill_gen.rule_language import parse_rules
from opmill_gen.spec.operator_version import Option
from sessions import run_session
from small_project import with_real_templates

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
"""The README and the pages that are written by hand."""
FENCE = re.compile(r"^(`{3,})(\w+)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
VERSIONS = checked_tree().versions
BY_HAND = 6
"""The C programs on pages that are written by hand."""


def blocks(page: Path, language: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [text for _, word, text in found if word == language]


def with_sessions() -> list[Path]:
    """The pages that have sessions of Python."""
    return [page for page in PAGES if blocks(page, "pycon")]


@pytest.mark.parametrize("page", with_sessions(), ids=lambda page: page.stem)
def test_python_runs_as_printed(page: Path):
    for number, text in enumerate(blocks(page, "pycon")):
        result = run_session(text, f"{page.name}, session {number}")
        assert result.attempted > 0
        assert result.failed == 0


def programs() -> list[tuple[str, str, str]]:
    """Every C program on the pages, with what the page says that it prints."""
    found = []
    for page in PAGES:
        fences = FENCE.findall(page.read_text(encoding="utf-8"))
        for (_, language, source), (_, after, printed) in itertools.pairwise(fences):
            if language == "c" and "int main(" in source:
                assert after == "text"
                found.append((page.name, source, printed))
    return found


def has_several(version: CheckedVersion) -> bool:
    """Return whether more than one output is required: programs show what has one."""
    return any(output.option is Option.SINGLE for output in version.spec.outputs[1:])


def has_sequences(version: CheckedVersion) -> bool:
    """Return whether an input or output is a sequence: a page written by hand shows these."""
    spec = version.spec
    return any(map(spec.is_sequence, (*spec.inputs, *spec.outputs)))


@pytest.mark.each_version
@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.spec.label)
def test_the_node_that_is_shown_can_be_made(version: CheckedVersion):
    for example in version.spec.examples[:3]:
        *before, last = ast.parse(node_code(version.spec, example)).body
        names = {"ml_dtypes": ml_dtypes, "np": np, "onnx": onnx}
        exec(compile(ast.Module(before, []), "before", "exec"), names)
        assert isinstance(last, ast.Expr)
        result = eval(compile(ast.Expression(last.value), "last", "eval"), names)
        made: Any = names.get("node", result)
        assert made.op_type == version.spec.operator
        assert {attribute.name for attribute in made.attribute} == set(example.attributes)


@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
def test_c_programs_print_what_the_page_says(tmp_path: Path):
    by_hand = programs()
    assert len(by_hand) == BY_HAND
    shown = [version for version in VERSIONS if C.program(version) is not None]
    found = [(v.spec.label, p.source, p.printed) for v in shown if (p := C.program(v)) is not None]
    found += by_hand
    ours = [version for version in VERSIONS if version.spec.domain == "ai.onnx"]
    needed = [
        version
        for version in ours
        if C.gap(version) is None
        and not has_several(version)
        and not has_sequences(version)
        and not any(map(version.spec.is_optional_value, version.spec.inputs))
        and not any(map(version.spec.is_optional_value, version.spec.outputs))
        and not version.spec.runs_graphs  # whose graphs would be most of a program
    ]
    assert all(version in shown for version in needed)
    binary = built([source for _, source, _ in found], tmp_path)
    for number, (page, _, printed) in enumerate(found):
        command = [str(binary), str(number)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.rstrip("\n") == printed, page


def built(sources: list[str], folder: Path) -> Path:
    """One program that runs the one whose number it is given: compiling each alone takes longer."""
    whole, cases = "", ""
    for number, source in enumerate(sources):
        (folder / f"program{number}.c").write_text(source, encoding="utf-8")
        own = {"main": f"program{number}", "allocate": f"allocate{number}"}
        whole += "".join(f"#define {name} {new}\n" for name, new in own.items())
        whole += f'#include "program{number}.c"\n'
        whole += "".join(f"#undef {name}\n" for name in own)
        cases += f"    case {number}:\n        return program{number}();\n"
    whole += "#include <stdlib.h>\nint main(int count, char **words) {\n"
    whole += f"    switch (count == 2 ? atoi(words[1]) : -1) {{\n{cases}    }}\n    return 1;\n}}\n"
    path = folder / "programs.c"
    path.write_text(whole, encoding="utf-8")
    command = [
        *(str(compiler()), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
        *("-I", str(FOLDER / "include"), "-o", str(path.with_suffix("")), str(path)),
        library()._name,
    ]
    subprocess.run(command, check=True)
    return path.with_suffix("")


# Parts of pages


def test_a_page_begins_with_a_paragraph_unless_that_leads_to_a_formula():
    assert opening("One thing. And\nanother.\n\n    y = x\n") == (
        "One thing. And another.",
        "    y = x\n",
    )
    assert opening("One thing. And:\n\n    y = x") == ("One thing.", "And:\n\n    y = x")
    assert opening("The formula:\n\n    y = x") == ("The formula.", "    y = x")


# Rules and figures


HEAD = '''
"""A rule."""

from opmill_gen.rule_language.language import (
    Count, Ints, Tensor, counted, output, plan, require, require_attribute, require_type,
)
'''


def listed(
    text: str,
    stated: Sequence[str],
    present: Sequence[str] = (),
    parameters: Mapping[str, bool] | None = None,
) -> tuple[Condition, ...]:
    return conditions(parse_rules("rules.py", HEAD + text, parameters or {}), stated, present)


def test_conditions_come_in_their_order_with_class_and_words():
    found = listed(
        '''
def positive(name: str, value: int) -> int:
    """A value of 1 or more."""
    require_attribute(value >= 1, f"{name} must be >= 1, got {value}")
    return value


def half(value: int) -> int:
    """Half of a value."""
    return value // 2


def rules(X: Tensor, *, group: int) -> None:
    """Check X."""
    n = positive("half", half(positive("twice", 2)))
    require(X.rank >= 1, "X must have an axis")
    for i in range(X.rank):
        if group > 1:
            require_type(X.shape[i] % group == 0, f"axis {i} is odd")
        else:
            n = positive("group", group)
    output(Y=X.shape)
    plan(n=n)
''',
        ["group"],
    )
    each = "for each i in range(X.rank)"
    assert found == (
        Condition(
            (),
            "half(positive('twice', 2)) >= 1",
            "AttributeValueError",
            "half must be >= 1, got {half(positive('twice', 2))}",
        ),
        Condition((), "X.rank >= 1", "ShapeError", "X must have an axis"),
        Condition(
            (each, "if group > 1"),
            "X.shape[i] % group == 0",
            "TypeConstraintError",
            "axis {i} is odd",
        ),
        Condition(
            (each, "unless group > 1"),
            "group >= 1",
            "AttributeValueError",
            "group must be >= 1, got {group}",
        ),
    )
    assert [one.origin[0] for one in found] == ["positive", "rules", "rules", "positive"]


def test_conditions_after_a_return_and_of_short_values():
    found = listed(
        '''
def lengths(name: str, given: Ints | None, rank: Count) -> Ints:
    """One value for each axis."""
    expected = rank - 2
    if given is None:
        return [1] * rank
    require(len(given) == expected, f"{name} has {counted(len(given), 'value')}")
    return given


def rules(
    X: Tensor, *, strides: Ints | None, dilations: Ints | None = None, pads: Ints | None
) -> None:
    """Check X."""
    a = lengths("strides", strides, X.rank)
    b = lengths("dilations", dilations, X.rank)
    c = lengths("pads", pads, X.rank)
    output(Y=X.shape)
    plan(a=a, b=b, c=c)
''',
        ["strides", "pads"],
        ["X", "pads"],
    )
    assert found == (
        Condition(
            ("unless strides is None",),
            "len(strides) == X.rank - 2",
            "ShapeError",
            "strides has {len(strides)} values",
        ),
        Condition((), "len(pads) == X.rank - 2", "ShapeError", "pads has {len(pads)} values"),
    )


def test_conditions_that_a_version_decides_are_not_listed():
    found = listed(
        '''
def never(value: int) -> None:
    """Not called."""
    require(value >= 1, "never")


def always(value: int) -> None:
    """Called."""
    require(value >= 2, "always")


def rules(
    X: Tensor, *, mode: int = 0, axes: Ints | None = None, keep: int = 1, word: str = "up"
) -> None:
    """Check X."""
    require(not old or X.rank >= 1, "old, and an axis")
    require(axes is None or X.rank >= 2, "axes")
    require(word in ("up", "down"), "word")
    if old and keep > 0:
        require(X.rank >= 3, "old, and kept")
    elif axes is not None:
        never(X.rank)
    else:
        require(mode == 1 if new else X.rank >= 4, "the last one")
    if not old:
        never(1)
    always(X.rank)
    output(Y=X.shape)
''',
        ["keep"],
        parameters={"old": True, "new": False},
    )
    assert [c.holds for c in found] == ["X.rank >= 1", "X.rank >= 3", "X.rank >= 4", "X.rank >= 2"]
    assert [c.where for c in found] == [(), ("if keep > 0",), ("unless keep > 0",), ()]


def rules_by_file() -> dict[str, list[Instance]]:
    """The rules that each file gives by the parameters of its family."""
    found: dict[str, dict[str, Instance]] = {}
    for version in VERSIONS:
        instance = version.instance
        found.setdefault(instance.rule.path, {})[instance.rules_name] = instance
    return {path: list(instances.values()) for path, instances in found.items()}


def test_every_refusal_of_a_rule_is_listed():
    """But for those of a helper that a call's constants decide: another rule has these."""
    all_calls, all_listed = set(), set()
    helpers = sorted((ROOT / "families" / "_shared").glob("*.py"))
    shared = [ast.parse(helper.read_text(encoding="utf-8")) for helper in helpers]
    for path, instances in rules_by_file().items():
        trees = [ast.parse(instances[0].rule.text), *shared]
        functions = {
            node.name: node
            for tree in reversed(trees)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        }
        calls = refusals(functions)
        found = {
            one.origin
            for instance in instances
            for one in conditions(
                instance.program, [parameter.name for parameter in instance.program.parameters]
            )
        }
        own = {node.name for node in trees[0].body if isinstance(node, ast.FunctionDef)}
        assert found <= calls, path
        assert {call for call in calls - found if call[0] in own} == set(), path
        all_calls |= calls
        all_listed |= found
    assert all_listed == all_calls


def refusals(functions: dict[str, ast.FunctionDef]) -> set[tuple[str, int]]:
    """The functions and lines of all requirements that a rule reaches."""
    reached, calls = {"rules"}, set()
    in_turn = ["rules"]
    for name in in_turn:  # which grows
        for node in ast.walk(functions[name]):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id.startswith("require"):
                calls.add((name, node.lineno))
            elif node.func.id in functions and node.func.id not in reached:
                reached.add(node.func.id)
                in_turn.append(node.func.id)
    return calls


def test_a_figure_that_fails_is_reported_with_its_line(tmp_path: Path):
    project = with_real_templates(tmp_path)
    figure = next(project.sources.families[0].glob("*/family.yaml")).parent / "figure.py"
    figure.write_text("def figure(inputs, attributes, outputs):\n    return inputs['nothing']\n")
    version = checked_input(project.sources).versions[0]
    with pytest.raises(InputError, match=r"figure\.py:2:1: KeyError: 'nothing' \(while drawing"):
        example_figure(version, version.spec.examples[0])
