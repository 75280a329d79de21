"""Tokenizer: both backends beside each other and onnxruntime, and texts that are not UTF-8."""

from __future__ import annotations

import random

import numpy as np
import pytest

import opmill

TOKENIZE = opmill.operator("Tokenizer", 1, domain="com.microsoft")
WORDS = {"mark": 0, "pad_value": "#", "mincharnum": 1}


def tokens(texts: list[str], **attributes: object) -> list[list[str]]:
    """The tokens of each text, without padding."""
    given = {**WORDS, **attributes}
    (y,) = TOKENIZE([np.array(texts, object)], given)
    return [[one for one in row if one != "#"] for row in y.tolist()]


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("mode", [{"separators": [" "]}, {"separators": [""]}, {"tokenexp": "a"}])
def test_texts_are_utf8(backend: str, mode: dict[str, object]):
    texts = np.array([["a", "b"], ["c", "d\ud800"]], object)
    with opmill.use_backend(backend), pytest.raises(opmill.OpError) as raised:
        TOKENIZE([texts], {**WORDS, **mode})
    assert str(raised.value) == r"Tokenizer-1: X[1, 1] is 'd\ud800', expected UTF-8"


@pytest.mark.parametrize("backend", opmill.backends())
def test_begins_that_fail_take_linear_time(backend: str):
    """Each 'a' begins what only a 'd' would end."""
    size = 20_000 if backend == "c" else 2_000
    text = "a" * size + "cab"
    with opmill.use_backend(backend):
        assert tokens([text, "xaad"], tokenexp="a*d|ca|b") == [["ca", "b"], ["aad"]]
        assert tokens([text], tokenexp="[^d]*d|ab$") == [["ab"]]


@pytest.mark.parametrize("backend", opmill.backends())
def test_a_long_separator_is_refused(backend: str):
    with opmill.use_backend(backend), pytest.raises(opmill.OpError) as raised:
        tokens(["a"], separators=[" ", "a" * 4097])
    message = "Tokenizer-1: separators[1] has 4097 bytes, expected at most 4096"
    assert str(raised.value) == message


def test_many_states_have_the_tokens_of_numpy():
    """More states than the automaton in C remembers, and begins that fail late."""
    draw = random.Random(8)
    texts = ["".join(draw.choices("ab", k=900)) + "c" for _ in range(3)]
    for mode in (
        {"tokenexp": "(?:a|b)*a(?:a|b){9}c"},
        {"tokenexp": "a(?:a|b){8}ba"},
        {"separators": ["a(?:a|b){7}ab", "b+a$"]},
    ):
        found = tokens(texts, **mode)
        with opmill.use_backend("numpy"):
            assert found == tokens(texts, **mode)
        assert any(found)
