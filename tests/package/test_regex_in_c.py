"""RegexFullMatch in C beside NumPy's kernel, and its tables of characters beside Python's."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest

import opmill

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)

MATCH = opmill.operator("RegexFullMatch", 20)
PARTS = (
    *("a", "b", "k", "K", "\u00e4", "\u00c4", "\u017f", "\u212a", "1", " ", "\n", "-", "^", "]"),
    *("[", "(", ")", "|", "*", "+", "??", "{2}", "{0}", "{0,3}", "{1,}", "{,2}", "{01}", "{3,1}"),
    *(
        "{1001}",
        "{100}",
        "{2,}?",
        "(?:",
        "(?i)",
        "(?-i)",
        "(?i:",
        "(?s-m:",
        "(?P<a1>",
        "(?<\u00e4>",
    ),
    *("(?P<a b>", "(?P=", "(?=", "(?<!", "(?#", "(?)", "(?-:", "\\d", "\\S", "\\W", "\\pL", "\\PL"),
    *(
        "\\p{^Lu}",
        "\\P{^Ll}",
        "\\p{Any}",
        "\\p{Greek}",
        "\\p",
        "\\p{",
        "\\p{}",
        "\\p^",
        "[[:alpha:]]",
    ),
    *(
        "[[:^digit:]]",
        "[[:x:]]",
        "[:",
        "[^",
        "[a-c]",
        "[c-a]",
        "[\\d-x]",
        "[a-\\d]",
        "[]a]",
        "[a-]",
    ),
    *(
        "[\\]]",
        "[a-\\x{e4}]",
        "[\\pL1]",
        "\\A",
        "\\z",
        "\\b",
        "\\B",
        "\\Z",
        "\\C",
        "\\Q",
        "\\E",
        "\\1",
    ),
    *("\\8", "\\12", "\\0", "\\08", "\\777", "\\x41", "\\x4", "\\x{110000}", "\\x{fffffffffff}"),
    *("\\x{}", "\\a", "\\v", "\\.", "\\\u00e4", "\\", "^", "$", ".", "()", "(a|b)", "(|a)"),
)
CHARACTERS = "abkKsS\u017f\u212a\u00e4\u00c41_ \n\x0b-*\u0663\u3042\U0001f600"


@pytest.fixture
def no_numpy(monkeypatch):
    """Let the NumPy kernel fail, so that what computes is C."""

    def compute(*arguments, **plan):
        pytest.fail("the NumPy kernel computes")

    monkeypatch.setattr(MATCH._computation, "compute", compute)


def outcome(pattern, texts):
    """The results of a call, or its error."""
    try:
        return MATCH([texts], {"pattern": pattern})[0].tolist()
    except opmill.OpError as error:
        return f"{type(error).__name__}: {error}"


def matching(pattern, texts):
    """The texts that match."""
    found = MATCH([np.array(texts, object)], {"pattern": pattern})[0]
    return [text for text, matches in zip(texts, found.tolist(), strict=True) if matches]


def test_patterns_have_the_results_and_errors_of_numpy():
    draw = random.Random(5)
    illegal = 0
    for _ in range(600):
        pattern = "".join(draw.choices(PARTS, k=draw.randint(0, 6)))
        texts = np.array(
            ["".join(draw.choices(CHARACTERS, k=draw.randint(0, 4))) for _ in range(12)], object
        )
        found = outcome(pattern, texts)
        with opmill.use_backend("numpy"):
            assert found == outcome(pattern, texts), pattern
        illegal += isinstance(found, str)
    assert 100 < illegal < 500


def test_categories_are_those_of_python(no_numpy):
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip("this Python has categories of another version of Unicode")
    groups = [unicodedata.category(chr(code)) for code in range(0x110000)]
    ends = [
        c for c in range(1, 0x110000) if groups[c] != groups[c - 1] and not 0xD7FF <= c < 0xE001
    ]
    codes = sorted({1, *(end - 1 for end in ends if end > 1), *ends, 0xD7FF, 0xE000, 0x10FFFF})
    texts = [chr(code) for code in codes]
    for group in sorted({*groups} - {"Cn", "Cs"}):
        assert matching(f"\\p{{{group}}}", texts) == [t for t in texts if groups[ord(t)] == group]


def test_cases_are_those_of_python(no_numpy):
    letters = [chr(c) for c in range(1, 0x1E944) if not 0xD800 <= c < 0xE000]
    pairs = {c for c in letters if len(c.casefold()) == 1 and c.casefold() != c}
    for text in draw_some(pairs):
        assert text in matching(f"(?i){text.casefold()}", letters)
        assert text.casefold() in matching(f"(?i){text}", letters)
    assert matching("(?i)k", letters) == ["K", "k", "\u212a"]
    assert matching("(?i)\u1fd3", letters) == ["\u0390", "\u1fd3"]
    assert matching("(?i)\u01c4", letters) == ["\u01c4", "\u01c5", "\u01c6"]
    assert matching("(?i)\u2602", letters) == ["\u2602"]


def draw_some(texts):
    return random.Random(6).sample(sorted(texts), 20)


def test_states_that_no_memory_holds_are_forgotten(no_numpy):
    pattern = "(?:a|b)*a(?:a|b){12}"
    draw = random.Random(7)
    texts = ["".join(draw.choices("ab", k=3000)) for _ in range(4)]
    assert matching(pattern, texts) == [text for text in texts if text[-13] == "a"]


def test_time_grows_linearly_where_others_go_back(no_numpy):
    assert matching("(?:a*)*b|(?:a|aa)+$", ["a" * 100_000, "a" * 100_000 + "c"]) == ["a" * 100_000]
