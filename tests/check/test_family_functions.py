"""The functions of a family's Python files are held against what they will be called with."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from checked_tree import checked_tree
from opmill_gen.base.diagnostics import InputError
from opmill_gen.check.family_functions import (
    Function,
    function_problems,
    kernel_functions,
    oracle_functions,
)
from opmill_gen.check.result import CheckedVersion
from opmill_gen.cli import main as cli
from opmill_gen.cli import options as cli_shared
from opmill_gen.pipeline import checked_input
from small_project import CASES, Project, with_real_templates

COMPUTE = Function("compute", ("X", "Y", "Z"), 2, ("n",), "the rule")
ORACLE = oracle_functions(["oracle"], ["mode"])[0]


def problem(text: str, function: Function = COMPUTE) -> str | None:
    """The error for a text, or ``None``."""
    found = list(function_problems(text, [function]))
    assert len(found) < 2
    return found[0][1] if found else None


@pytest.mark.parametrize(
    "header",
    [
        "def compute(X, Y, Z=None, *, n):",
        "def compute(X, Y, Z=None, *, n=1, more=2):",
        "def compute(X, Y, Z=None, n=1):",
        "def compute(X: int, Y: int, Z: int | None = None, *, n: int) -> None:",
        "def compute(X, *others, n):",
        "def compute(X, Y, Z=None, **plan):",
        "from elsewhere import compute\ndef other():",
        "from elsewhere import other as compute\ndef other():",
        "compute = print\ndef other():",
        "if True:\n    def compute(): pass\ndef other():",
    ],
)
def test_what_can_be_called_so_is_taken(header: str):
    assert problem(f"{header}\n    pass\n") is None


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("def compute(X, Y, *, n):", "X, Y, *, n"),
        ("def compute(Y, X, Z=None, *, n):", "Y, X, Z=None, *, n"),
        ("def compute(X, Y, Z=None):", "X, Y, Z=None"),
        ("def compute(X, Y, Z=None, W=None, *, m):", "X, Y, Z=None, W=None, *, m"),
        ("def compute(X, Y, Z=None, *, n, m):", "X, Y, Z=None, *, n, m"),
        ("def compute(X, Y, Z, W, *, n):", "X, Y, Z, W, *, n"),
        ("def compute(first, *others, n):", "first, *others, n"),
    ],
)
def test_what_cannot_be_called_so_is_told_with_what_to_write(header: str, taken: str):
    assert problem(f"{header}\n    pass\n") == (
        f"compute takes ({taken}), and is given (X, Y, Z, n=) by the rule; "
        "write def compute(X, Y, Z=None, *, n)"
    )


def test_what_a_version_lacks_wants_a_default():
    assert problem("def compute(X, Y, Z, *, n): pass") == (
        "Z of compute must have a default, since a version lacks it; "
        "write def compute(X, Y, Z=None, *, n)"
    )


def test_the_name_that_is_meant_is_told():
    text = "def cmpute(X, Y, Z=None, *, n): pass\n"
    assert next(function_problems(text, [COMPUTE])) == (
        "cmpute",
        "there is no function 'compute', which is asked for by the rule, but there is 'cmpute'; "
        "write def compute(X, Y, Z=None, *, n)",
    )


@pytest.mark.parametrize(
    ("header", "fits"),
    [
        ("def oracle(inputs, attributes):", True),
        ("def oracle(given, _):", True),
        ("def oracle(inputs, attributes, outputs):", True),
        ("def oracle(inputs, attributes, *, mode, outputs):", True),
        ("def oracle(inputs, attributes, *, moode):", False),
        ("def oracle(inputs):", False),
        ("def orcle(inputs, attributes):", False),
    ],
)
def test_oracles(header: str, fits: bool):
    seen = problem(f"{header}\n    pass\n", ORACLE)
    assert (seen is None) is fits
    assert seen is None or seen.endswith("; write def oracle(inputs, attributes)")


def test_what_the_families_must_define():
    versions: dict[str, list[CheckedVersion]] = {}
    for version in checked_tree().versions:
        versions.setdefault(version.instance.family.name, []).append(version)

    def headers(family: str) -> list[str]:
        users = versions[family]
        return [function.header for function in kernel_functions(users)]

    assert headers("non_zero") == ["def compute(X, Y)", "def measure(X)"]
    assert headers("identity") == ["def compute(input, output)", "def compute_any(input)"]
    assert headers("max_pool")[0].startswith("def compute(X, Y, Indices=None, *, ")
    assert headers("split")[0].startswith("def compute(input, outputs, *, ")
    assert headers("optionals") == [
        "def compute_create(input, output)",
        "def compute_any_create(input)",
        "def compute_get_element(input, output)",
        "def compute_any_get_element(input)",
        "def compute_has_element(input, output)",
        "def compute_any_has_element(input)",
    ]
    assert (
        headers("sequences")[0]
        == "def compute_concat(input_sequence, concat_result, *, axis, stacks)"
    )
    assert "def compute_at(input_sequence, tensor, *, index)" in headers("sequences")


ORACLE_TEXT = '"""An oracle."""\n\n\ndef oracle(inputs, attributes):\n    return {}\n'


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (ORACLE_TEXT, None),
        (ORACLE_TEXT.replace("oracle(", "orcle("), ":4:1: there is no function 'oracle', which is"),
        (ORACLE_TEXT.replace("inputs, ", ""), ":4:1: oracle takes (attributes), and is given (in"),
        (ORACLE_TEXT + "x = = 3\n", ":6:1: no Python: invalid syntax in its line 'x = = 3'"),
    ],
)
def test_generate_tells_of_an_oracle_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, seen: str | None
):
    project = with_real_templates(tmp_path)
    monkeypatch.setattr(cli_shared, "default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    project.put("families/blend/oracle.py", text)
    for command in (["generate", "--check"], ["generate"]):
        result = CliRunner().invoke(cli.main, command)
        if seen is None:
            assert result.exit_code == ("--check" in command)
        else:
            assert result.exit_code == 2
            assert f"families/blend/oracle.py{seen}" in result.stderr
            assert not (tmp_path / "generated").exists()


def test_an_oracle_that_goes_is_missed_by_specs_that_did_not_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = with_real_templates(tmp_path)
    monkeypatch.setattr(cli_shared, "default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    oracle = "families/blend/oracle.py"
    project.put(oracle, ORACLE_TEXT)
    project.edit(
        "{Y: {type: float, value: [4, 7]}}", "{Y: {type: float, shape: [2], oracle: true}}"
    )
    assert CliRunner().invoke(cli.main, ["generate"]).exit_code == 0
    (project.root / oracle).unlink()
    result = CliRunner().invoke(cli.main, ["generate"])
    assert result.exit_code == 2
    assert (
        f"{CASES}:8:18: the family 'blend' has no oracle to compute this; write "
        "families/blend/oracle.py with def oracle(inputs, attributes), or the output's "
        "values here\n"
    ) in result.stderr


def test_calls_without_an_oracle_to_judge_them(tmp_path: Path):
    project = Project(tmp_path)
    project.put("families/blend/calls.py", '"""Calls."""\n')
    message = (
        "the tests ask an oracle what comes of these calls, and there is none; write "
        "families/blend/oracle.py with def oracle(inputs, attributes)"
    )
    with pytest.raises(InputError) as refused:
        checked_input(project.sources)
    assert str(refused.value) == f"families/blend/calls.py: {message}"
    project.put("families/blend/oracle.py", ORACLE_TEXT)
    assert len(checked_input(project.sources).versions) == 1


def test_examples_that_state_their_values_need_no_oracle(tmp_path: Path):
    assert len(checked_input(Project(tmp_path).sources).versions) == 1
