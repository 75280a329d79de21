"""YAML as a located tree: what scalars mean, where things stand, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opmill_gen.base.diagnostics import InputError
from opmill_gen.yaml_reader.tree import (
    Entries,
    Items,
    Scalar,
    Tree,
    describe,
    natural,
    parse_yaml,
    plain,
)

ALIAS = "anchors and aliases are not supported; write the value out where it is used"

NODE = (
    "f.yaml:2:1: not valid YAML: did not find expected node content; "
    "a bracket, a brace or a value is missing"
)
QUOTE = "f.yaml:2:1: not valid YAML: found unexpected end of stream; a quote is not closed"
TAB = (
    "f.yaml:1:1: not valid YAML: found character that cannot start any token; "
    "indent with spaces, not with tabs"
)

NOT_NUMBERS = (
    "no yes on off y 12:30:45 1_000 0b11 -0x10 1e e5 . + - 2024-01-01 NOTSET 1,2 0x 0o8 1.5.2 "
    "infinity \u0661"
)


def parsed(text: str) -> Tree:
    return parse_yaml("f.yaml", text)


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parsed(text)
    return [str(diagnostic) for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("0x1F", 31),
        ("0o17", 15),
        ("18446744073709551615", 2**64 - 1),
        ("1e-05", 1e-05),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5E+3", -1500.0),
        ("inf", math.inf),
        (".inf", math.inf),
        ("-inf", -math.inf),
        ("-.inf", -math.inf),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_an_unquoted_scalar_has_the_meaning_of_yaml_1_2(text: str, value: object):
    assert natural(text) == value
    assert type(natural(text)) is type(value)


@pytest.mark.parametrize("text", ["nan", ".nan"])
def test_nan_is_a_number(text: str):
    assert isinstance(natural(text), float)
    assert math.isnan(natural(text))  # type: ignore[arg-type]


def test_the_sign_of_zero_is_kept():
    assert math.copysign(1, natural("-0.0")) == -1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    NOT_NUMBERS.split(),
)
def test_what_yaml_1_1_takes_for_something_else_is_text(text: str):
    assert natural(text) == text


@given(st.integers(-(2**63), 2**64))
def test_every_integer_is_read_back(value: int):
    assert natural(str(value)) == value


@given(st.floats(allow_nan=False))
def test_every_float_is_read_back(value: float):
    assert natural(repr(value)) == value


def test_quoted_and_block_scalars_are_text_whatever_they_look_like():
    tree = parsed("""[ "1", '2', "true", "" ]""")
    assert plain(tree) == ("1", "2", "true", "")
    assert plain(parsed("a: |\n  1\n")) == {"a": "1\n"}
    assert plain(parsed("a: >\n  1\n")) == {"a": "1\n"}


def test_everything_knows_where_it_stands():
    tree = parsed("a: 1\nbc:\n  - x\n  - {d: [2, 3]}\n")
    assert isinstance(tree, Entries)
    assert [(key, str(place)) for key, place in tree.keys.items()] == [
        ("a", "f.yaml:1:1"),
        ("bc", "f.yaml:2:1"),
    ]
    items = tree.entries["bc"]
    assert isinstance(items, Items)
    assert str(items.location) == "f.yaml:3:3"
    assert [str(item.location) for item in items.items] == ["f.yaml:3:5", "f.yaml:4:5"]
    inner = items.items[1]
    assert isinstance(inner, Entries)
    assert str(inner.entries["d"].location) == "f.yaml:4:9"


def test_columns_count_characters_and_lines_may_end_in_crlf():
    tree = parsed("a: é\r\nb: [ü, x]\r\n")
    assert isinstance(tree, Entries)
    items = tree.entries["b"]
    assert isinstance(items, Items)
    assert str(items.items[1].location) == "f.yaml:2:8"


def test_plain_gives_tuples_and_dicts():
    assert plain(parsed("{a: [1, [x]], b: {c: }}")) == {"a": (1, ("x",)), "b": {"c": None}}


def test_keys_are_text_whatever_they_look_like():
    assert plain(parsed("{1: a, true: b, ~: c, <<: d}")) == {
        "1": "a",
        "true": "b",
        "~": "c",
        "<<": "d",
    }


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("[1]", "a list"),
        ("{a: 1}", "a mapping"),
        ("~", "nothing"),
        ("true", "'true'"),
        ("1e-05", "the number 1e-05"),
        ("abc", "text 'abc'"),
        ("'1'", "text '1'"),
        ("x" * 50, f"text '{'x' * 40}'"),
    ],
)
def test_describe(text: str, description: str):
    assert describe(parsed(text)) == description


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["f.yaml:1:1: the file is empty"]),
        ("# only a comment\n", ["f.yaml:1:1: the file is empty"]),
        (
            "a: &x 1\nb: *x\nc: *x\n",
            [f"f.yaml:{place}: {ALIAS}" for place in ("1:4", "2:4", "3:4")],
        ),
        (
            "a: 1\nb: 2\na: 3\na: 4\n",
            [
                "f.yaml:3:1: key 'a' is repeated; the first is on line 1: remove one",
                "f.yaml:4:1: key 'a' is repeated; the first is on line 1: remove one",
            ],
        ),
        (
            "[{b: 1, b: 2}, {c: 1, c: 2}]",
            [
                "f.yaml:1:9: key 'b' is repeated; the first is on line 1: remove one",
                "f.yaml:1:23: key 'c' is repeated; the first is on line 1: remove one",
            ],
        ),
        ("[1, 2]: 3", ["f.yaml:1:1: a key must be text"]),
        ("x:\n  ? {a: 1}\n  : 2", ["f.yaml:2:5: a key must be text"]),
        (
            "a: !thing 5",
            ["f.yaml:1:4: the tag '!thing' is not supported; write the plain value"],
        ),
        (
            "a: !!str 5\nb: !!set {c}",
            [
                "f.yaml:1:4: the tag 'tag:yaml.org,2002:str' is not supported; "
                "write the plain value",
                "f.yaml:2:4: the tag 'tag:yaml.org,2002:set' is not supported; "
                "write the plain value",
            ],
        ),
        ("a: 1\n---\nb: 2\n", ["f.yaml:2:1: a second document begins here; a file holds one"]),
        ("a: [1,\n", [NODE]),
        (
            "a: 'x\n",
            [QUOTE],
        ),
        ("\ta: 1", [TAB]),
        ("a: *b", [f"f.yaml:1:4: {ALIAS}"]),
        (
            "a: '\x01'",
            [
                "f.yaml: not valid YAML: unacceptable character #x0001: "
                "control characters are not allowed"
            ],
        ),
    ],
)
def test_refused(text: str, lines: list[str]):
    assert refused(text) == lines


def test_an_alias_to_itself_ends():
    assert refused("a: &x [*x]") == [f"f.yaml:1:4: {ALIAS}", f"f.yaml:1:8: {ALIAS}"]


def test_a_billion_laughs_are_not_laughed():
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 30)
    )
    assert refused(bomb)[0] == f"f.yaml:1:5: {ALIAS}"


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "- " * 100_000])
def test_deep_nesting_is_refused_and_does_not_break_the_process(text: str):
    (line,) = refused(text)
    assert line.endswith(": nested more than 80 levels deep; write it flatter")


def test_a_tensor_of_the_highest_rank_can_be_written():
    text = "value: " + "[" * 64 + "1" + "]" * 64
    tree = parsed(text)
    for _ in range(64):
        tree = tree.entries["value"] if isinstance(tree, Entries) else tree
        assert isinstance(tree, Items)
        tree = tree.items[0]
    assert isinstance(tree, Scalar)
    assert tree.value == 1


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda data: data.decode("latin-1")))
def test_any_text_is_parsed_or_refused(text: str):
    paths = {"f.yaml"}
    try:
        parsed(text)
    except InputError as error:
        paths = {diagnostic.location.path for diagnostic in error.diagnostics}
    assert paths == {"f.yaml"}
