"""Values become Python text that means the same value again, whatever the values hold."""

from __future__ import annotations

import ast
import math
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opmill_gen.base.literals import (
    comment_text,
    docstring_text,
    double_quoted,
    first_sentence,
    paragraphs,
    python_literal,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(alphabet=st.characters()),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner)
    ),
    max_leaves=10,
)

HOSTILE = [
    "", "'", '"', "'\"", '"""', "'''", "\\", "\\\\", '\\"', '\\"""', 'x"', 'x\\"', "a\nb", "a\r\nb",
    "\0", "\x1b[0m", "\x7f", "\x85", "\u2028", "\u2029", "\ud800", "\U0001f600", "*/", "# x",
    "{{ x }}", "{% raw %}", "\\N{DIGIT ONE}", "\\x41", '""" + str(1) + """', "#}", "é", "\ufeff",
]  # fmt: skip


def evaluated(text: str) -> object:
    """The value of an expression; the names that a literal may use are the only ones."""
    return eval(text, {"__builtins__": {"float": float, "complex": complex}})


def assert_same(got: object, expected: object) -> None:
    """Equal, of the same types, nan for nan and with the same signs of zeros."""
    assert type(got) is type(expected)
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)  # type: ignore[arg-type]
        for one, other in zip(got, expected, strict=True):  # type: ignore[call-overload]
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert_same(list(got), list(expected))  # type: ignore[call-overload]
        assert_same(list(got.values()), list(expected.values()))  # type: ignore[attr-defined]
    elif isinstance(expected, complex):
        assert_same((got.real, got.imag), (expected.real, expected.imag))  # type: ignore[attr-defined]
    elif isinstance(expected, float):
        assert math.isnan(expected) == math.isnan(got)  # type: ignore[arg-type]
        if not math.isnan(expected):
            assert (got, math.copysign(1, got)) == (expected, math.copysign(1, expected))  # type: ignore[arg-type]
    else:
        assert got == expected


@given(VALUES)
@example([math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308])
@example((1,))
@example(())
@example({"a": ((),), 1: [complex(-0.0, -0.0), complex(math.nan, -math.inf)]})
def test_a_literal_is_the_value_again(value: object):
    assert_same(evaluated(python_literal(value)), value)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_itself_again_on_one_line_of_ascii(text: str):
    literal = python_literal(text)
    assert evaluated(literal) == text
    assert literal.isascii()
    assert literal.isprintable()
    assert literal == double_quoted(text)
    assert literal.startswith('"')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-05, "1e-05"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (math.nan, 'float("nan")'),
        (-math.inf, 'float("-inf")'),
        (True, "True"),
        ("it's", '"it\'s"'),
        ('"', '"\\""'),
        ("é", '"\\xe9"'),
        ((1,), "(1,)"),
        ((1, (2, [3])), "(1, (2, [3]))"),
        ({"a": None}, '{"a": None}'),
        (complex(1, -0.0), "complex(1.0, -0.0)"),
    ],
)
def test_how_a_literal_is_written(value: object, text: str):
    assert python_literal(value) == text


@pytest.mark.parametrize("value", [b"x", {1, 2}, object, range(3)])
def test_other_values_have_no_literal(value: object):
    with pytest.raises(TypeError, match="no literal for "):
        python_literal(value)


def docstring_of(text: str) -> str:
    """Return Python's reading of ``text`` as a function's docstring, then a second statement."""
    source = f'def f():\n    """{docstring_text(text)}"""\n    return 1\n'
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 2, "the text ended the docstring"
    docstring = ast.get_docstring(function, clean=False)
    assert docstring is not None
    return docstring


def without_controls(text: str) -> str:
    """The text with spaces for what would move to another line or another place."""
    controls = {c for c in text if unicodedata.category(c) in ("Cc", "Zl", "Zp")} - {"\n", "\t"}
    return "".join(" " if c in controls else c for c in text)


@given(st.text(alphabet=st.sampled_from('"""\'\\\\\nnNx4{}a ')) | st.text())
@example('\\"')
@example('a"""')
@example('\\"""')
def test_a_docstring_holds_the_prose_itself(text: str):
    assert docstring_of(text) == without_controls(text)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.isprintable()])
def test_hostile_prose_reads_the_same_in_a_docstring(text: str):
    assert docstring_of(text) == text


@pytest.mark.parametrize("text", ["a\0b", "a\rb", "a\x0cb", "a\x85b", "a\u2028b", "a\x1bb"])
def test_control_characters_become_spaces(text: str):
    assert docstring_text(text) == "a b"
    assert comment_text(text) == "a b"


@given(st.text())
@example("\n\n x \r y\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_a_comment_stays_on_its_line(text: str):
    comment = comment_text(text)
    assert len(f"# {comment}".splitlines()) == 1
    assert ast.dump(ast.parse(f"# {comment}\nx = 1")) == ast.dump(ast.parse("x = 1"))


def test_paragraphs_are_wrapped_and_formulas_kept():
    text = "One two three four\nfive.\n\n    y = x  *  2\n    z = 1\n\n- a list\n- of two\n\nEnd."
    assert paragraphs(text, 16, "  ") == (
        "  One two three\n  four five.\n\n      y = x  *  2\n      z = 1\n\n"
        "  - a list\n  - of two\n\n  End."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two.", "One."),
        ("One\n two! Three", "One two!"),
        ("No end", "No end."),
        ("No end\n\nSecond paragraph. More.", "No end."),
        ("As follows:\n\n    y = x\n", "As follows."),
        ("Version 1.5 is\nmeant. Yes", "Version 1.5 is meant."),
        ("  Lead.  ", "Lead."),
    ],
)
def test_the_first_sentence(text: str, sentence: str):
    assert first_sentence(text) == sentence
