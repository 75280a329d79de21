"""Faults of templates are reported like those of any other input: where, and what."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from opmill_gen.base.diagnostics import InputError
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.settings import Settings
from opmill_gen.pipeline import generate, make_files
from opmill_gen.render import render
from opmill_gen.yaml_reader.decode import Faults
from small_project import KERNEL, RULES, Project, with_real_templates

pytestmark = pytest.mark.slow

VERSION = "templates/python/version.py.j2"
MODULE = "python/opmill/com_example/blend/v1.py"
MADE_KERNEL = "python/opmill/_families/blend/kernel_step2_dark.py"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return with_real_templates(tmp_path / "project")


def faults(project: Project) -> list[str]:
    with pytest.raises(InputError) as caught:
        make_files(project.sources, Settings())
    return [str(diagnostic) for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("template", "line", "text", "message"),
    [
        (VERSION, 4, "{% if %}\n", "Expected an expression, got 'end of statement block'"),
        (VERSION, 4, "{{ label }\n", "unexpected '}'"),
        (VERSION, 4, "{% frob %}\n", "Encountered unknown tag 'frob'."),
        (VERSION, 4, "{{ label | frob }}\n", "No filter named 'frob'."),
        (KERNEL, 3, "{% if %}\n", "Expected an expression, got 'end of statement block'"),
    ],
)
def test_a_syntax_error(project: Project, template: str, line: int, text: str, message: str):
    insert(project, template, line, text)
    assert faults(project) == [f"{template}:{line}:1: {message}"]


@pytest.mark.parametrize(
    ("template", "line", "text", "message"),
    [
        (VERSION, 4, "# {{ no_such_name }}\n", "'no_such_name' is undefined"),
        (VERSION, 4, "# {{ schema.facts.no.such }}\n", "'dict object' has no attribute 'no'"),
        (VERSION, 4, "{% for x in no_list %}{% endfor %}\n", "'no_list' is undefined"),
        (VERSION, 4, "# {{ label + 1 }}\n", 'can only concatenate str (not "int") to str'),
        (VERSION, 4, "# {{ 1 // 0 }}\n", "integer division or modulo by zero"),
    ],
)
def test_an_error_of_rendering(project: Project, template: str, line: int, text: str, message: str):
    insert(project, template, line, text)
    assert faults(project) == [f"{template}:{line}:1: {message} (while making {MODULE})"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{% for i in range(10**12) %}{% endfor %}\n",
            "ranges have 1000000000000 values in total, expected at most 16000000",
        ),
        (
            "{% for i in range(9**9) %}{% for j in range(9**9) %}{% endfor %}{% endfor %}\n",
            "ranges have 387420489 values in total, expected at most 16000000",
        ),
        (
            "{% macro m() %}{% for i in range(10**30) %}x{% endfor %}{% endmacro %}{{ m() }}\n",
            f"ranges have {10**30} values in total, expected at most 16000000",
        ),
        (
            '{{ "x" * 10**11 }}\n',
            "product has 100000000000 elements, expected at most 16000000",
        ),
        (
            "{% set n = 10**18 %}{{ n * [0] }}\n",
            f"product has {10**18} elements, expected at most 16000000",
        ),
        ("{{ 10**(10**9) }}\n", "power has 4000000000 bits, expected at most 16000000"),
        (
            '{{ "x".ljust(10**17) }}\n',
            "the text does not fit into memory, expected a shorter one",
        ),
        (
            f'{{% include "{KERNEL.removeprefix("families/")}" %}}\n',
            "includes or macros are nested without end, expected a last one",
        ),
        (
            "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}\n",
            "includes or macros are nested without end, expected a last one",
        ),
    ],
)
def test_text_without_end_is_an_error(project: Project, text: str, message: str):
    insert(project, KERNEL, 3, text)
    (line,) = faults(project)
    assert line == f"{KERNEL}:3:1: {message} (while making {MADE_KERNEL})"


def test_many_small_pieces_are_an_error(project: Project):
    """They come through an include, at which the error is reported."""
    loops = "{% for a in range(3000) %}{% for b in range(3000) %}xxxx{% endfor %}{% endfor %}\n"
    insert(project, KERNEL, 3, loops)
    (line,) = faults(project)
    message = "text has more than 16000000 characters, expected at most 16000000"
    assert line == f"templates/python/kernel.py.j2:2:1: {message} (while making {MADE_KERNEL})"


def test_an_undefined_name_in_a_kernel(project: Project):
    insert(project, KERNEL, 3, "# {{ factor }}\n")
    assert faults(project) == [f"{KERNEL}:3:1: 'factor' is undefined (while making {MADE_KERNEL})"]


def test_a_familys_parameters_are_defined_in_its_kernel(project: Project):
    insert(project, KERNEL, 3, "# {{ step }} {{ shade }} {{ loud }}\n")
    _, files = make_files(project.sources, Settings())
    made = {str(path): content.decode() for path, content in files.items()}
    assert "\n# 2 dark False\n" in made[MADE_KERNEL]


def test_a_kernel_that_is_no_template_is_put_out_as_it_is(project: Project):
    text = project.text(KERNEL).replace("X * gain", "{{ X }} {% if %} {# gain")
    project.remove(KERNEL)
    project.put(KERNEL.removesuffix(".j2"), text)
    files = make_files(project.sources, Settings())[1]
    assert files[PurePosixPath(MADE_KERNEL)].decode().endswith(text)


def test_what_would_not_be_python(project: Project):
    insert(project, VERSION, 4, "def (:\n")
    (line,) = faults(project)
    assert line == f"{VERSION}: {MODULE} would not be Python: invalid syntax in its line 'def (:'"


def test_a_kernel_that_is_not_python(project: Project):
    insert(project, KERNEL, 3, "x = = 1\n")
    (line,) = faults(project)
    assert line == (
        f"{KERNEL}: {MADE_KERNEL} would not be Python: invalid syntax in its line 'x = = 1'"
    )


def test_a_template_that_is_included_and_missing(project: Project):
    insert(project, VERSION, 4, '{% include "no/such.j2" %}\n')
    assert faults(project) == [f"{VERSION}:4:1: there is no template 'no/such.j2'"]


def test_a_template_that_is_missing(project: Project):
    (project.root / VERSION).unlink()
    assert faults(project) == [f"{VERSION}:1:1: there is no template 'python/version.py.j2'"]


def test_faults_of_several_templates_come_together_and_nothing_is_written(
    project: Project, tmp_path: Path
):
    insert(project, VERSION, 4, "{{ a }}\n")
    insert(project, KERNEL, 3, "{{ b }}\n")
    insert(project, "templates/tests/operator_versions.py.j2", 2, "{{ c }}\n")
    with pytest.raises(InputError) as caught:
        generate(project.sources, tmp_path / "out", Settings())
    assert [str(d).partition(" (")[0] for d in caught.value.diagnostics] == [
        f"{KERNEL}:3:1: 'b' is undefined",
        f"{VERSION}:4:1: 'a' is undefined",
        "templates/tests/operator_versions.py.j2:2:1: 'c' is undefined",
    ]
    assert not (tmp_path / "out").exists()


def test_a_rule_that_is_not_of_the_language(project: Project):
    project.edit("X.rank == 1", "X.rank ** 1", RULES)
    (line,) = faults(project)
    assert line.startswith(f"{RULES}:5:13: ")


def test_files_end_in_a_newline_and_hold_no_carriage_return(project: Project):
    errors = "runtime/python/_runtime/errors.py"
    project.put(errors, project.text(errors).replace("\n", "\r\n"))
    _, files = make_files(project.sources, Settings())
    for path, content in files.items():
        assert b"\r" not in content, path
        assert not content or content.endswith(b"\n"), path


def test_a_file_that_is_no_text_is_copied_byte_for_byte(project: Project):
    """The font of the manual is such a file; what looks like a line's end is none there."""
    font = b"wOF2\0\r\n\xff\xfe"
    (project.sources.root / "docs").mkdir(exist_ok=True)
    (project.sources.root / "docs" / "font.woff2").write_bytes(font)
    sources = project.sources
    for package in ("opmill", "other"):
        artifact = Artifact(PurePosixPath("docs/font.woff2"), "docs/font.woff2", package=package)
        assert render([artifact], sources, Faults()).files[artifact.path] == font


def test_the_index_knows_an_operator_by_its_python_name(project: Project):
    """It is what an opset module looks into for the name that it was asked for."""
    project.edit("operator: Blend", "operator: Blend\npython_name: mix")
    _, files = make_files(project.sources, Settings())
    made = {str(path): content.decode() for path, content in files.items()}
    index = made["python/opmill/com_example/_index.py"]
    assert '"mix": Published("Blend", (1, 2, 3), (3,)),' in index
    assert '"blend"' not in index


def insert(project: Project, template: str, line: int, text: str) -> None:
    """Put a text in front of a line of a template."""
    lines = project.text(template).splitlines(keepends=True)
    project.put(template, "".join([*lines[: line - 1], text, *lines[line - 1 :]]))
