"""Python names: what ONNX's names become, and what can never become one."""

from __future__ import annotations

import keyword
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from onnx import defs

from opmill_gen.base.names import (
    Identifier,
    domain_package,
    is_domain,
    is_onnx_name,
    snake_case,
    without_keyword,
)

SCHEMAS = defs.get_all_schemas_with_history()

HOSTILE = [
    "", " ", "../x", "a/b", "a\\b", "a b", "a.b", "a-b", "a'b", 'a"b', '"""', "a\n", "\na", "a\0b",
    "a;b", "a(b", "1a", "é", "\uff41", "a\u200b", "x" * 81, "$(id)", "{{ x }}", "*/",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tile", "tile"),
        ("ConvTranspose", "conv_transpose"),
        ("GatherND", "gather_nd"),
        ("BitwiseXor", "bitwise_xor"),
        ("LSTM", "lstm"),
        ("LRN", "lrn"),
        ("STFT", "stft"),
        ("MatMulInteger", "mat_mul_integer"),
        ("QLinearConv", "q_linear_conv"),
        ("ReduceLogSumExp", "reduce_log_sum_exp"),
        ("NonMaxSuppression", "non_max_suppression"),
        ("LpNormalization", "lp_normalization"),
        ("RNN", "rnn"),
        ("GlobalLpPool", "global_lp_pool"),
        ("HannWindow", "hann_window"),
        ("Col2Im", "col2_im"),
        ("ImageDecoder", "image_decoder"),
        ("If", "if_"),
        ("Not", "not_"),
        ("And", "and_"),
        ("Or", "or_"),
        ("TreeEnsembleClassifier", "tree_ensemble_classifier"),
        ("SVMRegressor", "svm_regressor"),
    ],
)
def test_snake_case(name: str, expected: str):
    assert snake_case(name) == expected


@pytest.mark.parametrize("domain", sorted({schema.domain for schema in SCHEMAS}))
def test_every_published_operator_has_a_name_of_its_own(domain: str):
    names = {schema.name for schema in SCHEMAS if schema.domain == domain}
    made = Counter(snake_case(name) for name in names)
    assert made.most_common(1)[0][1] == 1
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in made)
    assert all(name == name.lower() for name in made)


def test_the_main_domain_has_the_operators_we_think():
    assert len({schema.name for schema in SCHEMAS if not schema.domain}) == 203


@pytest.mark.parametrize("word", keyword.kwlist)
def test_a_keyword_gets_an_underscore(word: str):
    assert without_keyword(word) == word + "_"


def test_soft_keywords_are_names():
    assert [without_keyword(word) for word in ("match", "type", "case")] == [
        "match",
        "type",
        "case",
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_no_name_of_onnx(text: str):
    assert not is_onnx_name(text)
    assert not is_domain(text) or text == "a.b"


@pytest.mark.parametrize("text", [*HOSTILE, *keyword.kwlist])
def test_a_hostile_text_is_no_identifier(text: str):
    with pytest.raises(ValueError, match=r"cannot be a Python name$"):
        Identifier(text)


def test_the_error_shows_the_start_of_the_text():
    with pytest.raises(ValueError, match=r"^'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' cannot be"):
        Identifier("x" * 1000)


@given(st.text(max_size=10))
@example("None")
def test_an_identifier_is_one_for_python_too(text: str):
    try:
        name = Identifier(text)
    except ValueError:
        return
    assert name.isidentifier()
    assert name.isascii()
    assert compile(f"{name} = 1", "name", "exec")


@pytest.mark.parametrize(
    ("domain", "package"),
    [
        ("ai.onnx", ""),
        ("ai.onnx.ml", "ml"),
        ("ai.onnx.preview.training", "preview_training"),
        ("com.example.Vision", "com_example_vision"),
        ("com", "com"),
    ],
)
def test_the_package_of_a_domain(domain: str, package: str):
    assert is_domain(domain)
    assert domain_package(domain) == package


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "a.1", "../a", "a/b", "ai.onnx\n"])
def test_what_is_no_domain(text: str):
    assert not is_domain(text)
