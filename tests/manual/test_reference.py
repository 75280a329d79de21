"""The reference pages: every public name is on its page, and is documented where it is defined."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import opmill

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"
HEADERS = ROOT / "generated" / "c" / "include" / "opmill"
LISTED = ["types.h", "numbers.h", "operator.h", "operators.h", "isa.h"]
PAGE = (FOLDER / "python.md").read_text(encoding="utf-8")
DIRECTIVE = re.compile(
    r"\.\. (?:auto(?:function|class|exception|data|module)|py:data):: ([\w.]+)(.*)\n((?:   :.*\n)*)"
)
MODULES = ("onnx_backend", "onnx_reference", "onnxruntime_ops", "conformance")
SELF = {"self", "cls", "args"}


def public_names() -> dict[str, Any]:
    """The full names of the public interface, but for the packages of operators and opsets."""
    names: dict[str, Any] = {}
    for name in (*dir(opmill), "__version__"):
        found = getattr(opmill, name)
        if not isinstance(found, types.ModuleType):
            names[f"opmill.{name}"] = found
    for module in MODULES:
        found = importlib.import_module(f"opmill.{module}")
        for name in found.__all__:
            names[f"opmill.{module}.{name}"] = getattr(found, name)
    return names


PUBLIC = public_names()
CLASSES = {name: found for name, found in PUBLIC.items() if isinstance(found, type)}
ON_PAGE = {found[1]: found for found in DIRECTIVE.finditer(PAGE)}


def test_every_public_name_is_on_the_page():
    again = {
        name
        for name, found in PUBLIC.items()
        if name.count(".") > 1 and PUBLIC.get(f"opmill.{name.rpartition('.')[2]}") is found
    }
    assert set(PUBLIC) - again - set(ON_PAGE) == set()
    assert set(ON_PAGE) - set(PUBLIC) == {
        *(f"opmill.{module}" for module in MODULES),
        "opmill.conformance.pytest_plugin",
    }
    for name in again:
        assert f"`{name.rpartition('.')[2]}`" in PAGE
    assert len(PUBLIC) > 50


def arguments_of(text: str) -> set[str]:
    """The names that a docstring explains under ``Args``."""
    section = re.search(r"^Args:\n((?:    .*\n|\n)*)", f"{text}\n", re.MULTILINE)
    return set(re.findall(r"^    (\w+):", section[1], re.MULTILINE)) if section else set()


def parameters_of(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters) - SELF


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_functions_and_classes_explain_themselves(name: str):
    found = PUBLIC[name]
    if not callable(found):
        return
    text = inspect.getdoc(found) or ""
    assert text.split("\n")[0].rstrip().endswith((".", "::", "``")), text
    if isinstance(found, type):
        shown_with_arguments = not ON_PAGE.get(name, ["", "", "()"])[2].startswith("()")
        if shown_with_arguments:
            assert parameters_of(found) <= arguments_of(text), text
    else:
        assert parameters_of(found) == arguments_of(text), text


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_members_on_the_page_explain_themselves(name: str):
    found = CLASSES[name]
    if name not in ON_PAGE or ":members:" not in ON_PAGE[name][3]:
        return
    chosen = re.search(r":members: *(.*)", ON_PAGE[name][3])
    wanted = set(filter(None, re.split(r", *", chosen[1]))) if chosen else set()
    for member, value in vars(found).items():
        if member.startswith("_") or (wanted and member not in wanted):
            continue
        function = value.__func__ if isinstance(value, classmethod) else value
        if inspect.isfunction(function):
            text = inspect.getdoc(function) or ""
            assert text, f"{name}.{member}"
            assert parameters_of(function) == arguments_of(text), f"{name}.{member}: {text}"
        elif isinstance(value, property):
            assert inspect.getdoc(value), f"{name}.{member}"


# C


@pytest.fixture(scope="module")
def c_headers() -> Any:
    """The module of the manual that reads headers."""
    spec = importlib.util.spec_from_file_location("c_headers", FOLDER / "c_headers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["c_headers"] = module
    spec.loader.exec_module(module)
    return module


def declared_names(header: str) -> set[str]:
    """Every name of the library that a header declares, found by its words alone."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.DOTALL)
    names = set(re.findall(r"^#define (\w+)", code, re.MULTILINE))
    names |= set(re.findall(r"\b(opmill_\w+)\(", code))
    names |= set(re.findall(r"^(?:typedef )?(?:struct|enum) (\w+) \{", code, re.MULTILINE))
    names |= set(re.findall(r"^typedef \w+ (\w+);", code, re.MULTILINE))
    names |= set(re.findall(r"^    (OPMILL_\w+) = ", code, re.MULTILINE))
    names |= set(re.findall(r"^extern .*?(\w+)(?:\[\])?;", code, re.MULTILINE))
    return {name for name in names if not name.endswith("_H")}


def test_the_page_has_every_header_that_is_shared():
    page = (FOLDER / "c.md").read_text(encoding="utf-8")
    assert re.findall(r"c-header:: (\S+)", page) == LISTED
    assert {path.name for path in HEADERS.glob("*.h")} == {*LISTED, "opmill.h"}


@pytest.mark.parametrize("name", LISTED)
def test_every_declaration_of_c_is_read_and_documented(c_headers: Any, name: str):
    found = [one for one in c_headers.read(HEADERS / name) if one.kind != "text"]
    read = {one.name for top in found for one in (top, *top.parts) if one.kind != "member"}
    assert read == declared_names((HEADERS / name).read_text(encoding="utf-8"))
    for top in found:
        assert top.about, top.text
        for part in top.parts:
            assert part.about or part.kind == "enumerator", f"{top.name}: {part.text}"


def test_what_is_no_declaration_is_an_error(c_headers: Any):
    with pytest.raises(ValueError, match="not a declaration: '}"):
        list(c_headers.declarations("int x;\n}\n"))
    (read,) = c_headers.declarations(
        "// banner\n/* Two\n * lines. */\nstruct a {\n    int (*b)(int); /* c */\n};"
    )
    assert (read.kind, read.name, read.about) == ("struct", "a", "Two\nlines.")
    assert [(one.name, one.about) for one in read.parts] == [("b", "c")]


def test_comments_become_links_and_code(c_headers: Any):
    markup = c_headers.Markup(list(c_headers.declarations("/* A. */\nint opmill_run(void);\n")))
    assert markup.text("as opmill_run, `x->y` *p* a_b") == (
        r"as :c:func:`opmill_run`, ``x->y`` \*p\* ``a_b``"
    )
