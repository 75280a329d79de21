"""Text of specs as Markdown: no character of it becomes markup."""

from __future__ import annotations

import re

import hypothesis
import hypothesis.strategies as st
import pytest
from markdown_it import MarkdownIt

from opmill_gen.emit.docs.markdown import (
    anchor,
    block,
    code,
    fenced,
    html_name,
    html_text,
    inline,
)

TEXTS = st.text(
    st.sampled_from("ab1 \n`*_[]()<>#|~$^&@!{}\\-+:%=.\"'\t/;\x00\u2028é") | st.characters(),
    max_size=60,
)


def shown(markdown: str) -> str:
    """The text that a reader sees, of one paragraph of CommonMark with tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert {t.type for t in tokens} <= {"paragraph_open", "inline", "paragraph_close"}, tokens
    parts = [child for token in tokens for child in token.children or ()]
    assert {p.type for p in parts} <= {"text", "text_special", "code_inline", "softbreak"}, parts
    return "".join(part.content for part in parts)


@hypothesis.given(TEXTS)
def test_prose_is_shown_as_it_is_written(text: str):
    """But for backticks, which mark code, and for blanks, which may be of any width."""
    plain = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029`]", "", text)
    assert "".join(shown(inline(text)).replace("`", "").split()) == "".join(plain.split())


@hypothesis.given(TEXTS.filter(lambda text: text.strip()))
def test_code_is_shown_as_it_is_written(text: str):
    flat = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
    hypothesis.assume(flat)
    assert shown(f"x {code(text)} y") == f"x {flat} y"


@hypothesis.given(TEXTS)
def test_a_fence_is_not_ended_by_what_it_holds(text: str):
    tokens = MarkdownIt("commonmark").parse(fenced(text, "text") + "\n\nafter\n")
    assert [token.type for token in tokens][:2] == ["fence", "paragraph_open"]


def test_prose_keeps_formulas_and_lists():
    text = "One:\n\n    a = b\n      + c\n\n* first\n* second\n  goes on\n\nLast *word*."
    assert block(text) == (
        "One:\n\n```text\na = b\n  + c\n```\n\n* first\n* second goes on\n\nLast \\*word\\*."
    )


def test_no_prose_is_no_block():
    assert block("") == block("\n") == ""


def test_text_in_html_is_escaped():
    assert html_text('<b a="1">&\x00') == "&lt;b a=&quot;1&quot;&gt;&amp; "


def test_anchors_are_plain_words():
    assert anchor("ConvTranspose", 11, "SAME_UPPER, odd (crop)") == (
        "convtranspose-11-same-upper-odd-crop"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("BatchNormalization", "Batch<wbr>Normalization"),
        ("NonMaxSuppression", "Non<wbr>Max<wbr>Suppression"),
        ("QLinearConv", "QLinear<wbr>Conv"),
        ("STFT", "STFT"),
        ("ai.onnx.ml", "ai.<wbr>onnx.<wbr>ml"),
        ("batch_normalization", "batch_<wbr>normalization"),
        ("a<b", "a&lt;b"),
    ],
)
def test_names_break_between_words(name: str, shown: str):
    assert html_name(name) == shown
