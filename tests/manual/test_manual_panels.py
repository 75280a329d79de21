"""The live panels of the built manual, which run the C library in the browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from manual_browser import MANUAL, Reader, expected

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (MANUAL / "_static" / "try" / "tile.js").is_file(),
        reason="there is no compiler for WebAssembly, and so no panel",
    ),
]


def tried(reader: Reader, page: str, state: str = "") -> Any:
    """The panel of a page, ready to be used."""
    reader.page.goto("about:blank")
    reader.go(f"operators/{page}.html{state or '#try-it'}")
    panel = reader.page.locator("form.opmill-try")
    reader.page.wait_for_selector("form.opmill-try[data-ready]")
    return panel


def test_a_panel_computes_what_is_typed(reader: Reader):
    """Tile, whose result, error and address follow the reader's typing."""
    panel = tried(reader, "tile")
    result = panel.locator("output")
    panel.get_by_label("input", exact=True).fill("[[1, 2], [3, nan]]")
    panel.get_by_label("repeats", exact=True).fill("[1, 2]")
    expected(result).to_contain_text("float, shape [2, 4]")
    expected(result).to_contain_text("[[1, 2, 1, 2], [3, nan, 3, nan]]")
    panel.get_by_label("repeats", exact=True).fill("[1, 2, 3]")
    words = "ShapeError: Tile-13: repeats has 3 values, expected 2 (the rank of input)"
    expected(result).to_have_text(words)
    panel.get_by_label("repeats", exact=True).fill("[2, 1]")
    panel.get_by_label("type of input").select_option("int64")
    panel.get_by_label("input", exact=True).fill("[[9223372036854775807]]")
    expected(result).to_contain_text("[[9223372036854775807], [9223372036854775807]]")
    panel.get_by_label("input", exact=True).fill("[[1, 2], [3]]")
    expected(result).to_have_text(
        "Not a call: input has rows of different lengths, expected equal lengths"
    )
    panel.get_by_label("input", exact=True).fill("[[7]]")
    expected(result).to_contain_text("[[7], [7]]")
    again = tried(reader, "tile", reader.page.evaluate("location.hash"))
    expected(again.locator("output")).to_contain_text("int64, shape [2, 1]")
    expected(again.locator("output")).to_contain_text("[[7], [7]]")


def test_a_panel_takes_attributes(reader: Reader):
    """MaxPool over the numbers 1 to 16: every result is the last of its window."""
    panel = tried(reader, "max_pool")
    result = panel.locator("output")
    rows = [[4 * i + j + 1 for j in range(4)] for i in range(4)]
    panel.get_by_label("X", exact=True).fill(str([[rows]]))
    for field in panel.locator("input[name^='attribute ']").all():
        field.fill("")
    panel.locator("[name='attribute kernel_shape']").fill("[2, 2]")
    expected(result).to_contain_text("shape [1, 1, 3, 3]")
    panel.locator("[name='attribute strides']").fill("[2, 2]")
    expected(result).to_contain_text("[[[[6, 8], [14, 16]]]]")
    panel.locator("[name='attribute strides']").fill("[0, 2]")
    expected(result).to_contain_text("AttributeValueError: MaxPool")


def test_a_panel_takes_lists_of_numbers_and_texts(reader: Reader):
    """LSTM whose activations are all Relu: gates of 1, where Sigmoid would give 0.731."""
    panel = tried(reader, "lstm")
    result = panel.locator("output")
    for label in ("X", "W", "R"):
        panel.get_by_label(f"type of {label}", exact=True).select_option("float")
    for field in panel.locator("input[name^='attribute ']").all():
        field.fill("")
    for field in panel.locator("textarea").all():
        field.fill("")
    expected(panel.get_by_label("type of B", exact=True)).to_have_value("float")
    panel.get_by_label("X", exact=True).fill("[[[1]]]")
    for label in ("W", "R"):
        panel.get_by_label(label, exact=True).fill("[[[1], [1], [1], [1]]]")
    panel.locator("[name='attribute activations']").fill('["Relu", "Relu", "Relu"]')
    expected(result).to_contain_text("[[[[1]]]]")
    panel.locator("[name='attribute clip']").fill("abc")
    expected(result).to_have_text("Not a call: attribute clip is abc, expected a number")
    panel.locator("[name='attribute clip']").fill("")
    panel.get_by_label("W", exact=True).fill("[[[1], [x]]]")
    expected(result).to_contain_text("Not a call: W is not a nested list of values")


def test_an_absent_input_has_the_type_of_its_variable(reader: Reader):
    panel = tried(reader, "conv")
    panel.get_by_label("B", exact=True).fill("")
    panel.get_by_label("type of X", exact=True).select_option("double")
    expected(panel.get_by_label("type of B", exact=True)).to_have_value("double")


def test_a_panel_has_examples_and_several_outputs(reader: Reader):
    panel = tried(reader, "split_13")
    panel.get_by_label("input", exact=True).fill("[1, 2, 3, 4, 5]")
    panel.get_by_label("split", exact=True).fill("[2, 3]")
    panel.get_by_label("number of outputs").fill("2")
    expected(panel.locator("output")).to_contain_text("[1, 2]")
    expected(panel.locator("output")).to_contain_text("[3, 4, 5]")
    examples = panel.get_by_label("example")
    examples.select_option(index=1)
    expected(panel.locator("output")).not_to_have_class(re.compile("opmill-error"))


def test_no_example_of_a_panel_fails(reader: Reader):
    """The first calls of some operators of different families, on the library as it is compiled."""
    for page in ("conv", "gemm", "cast", "gather", "concat", "reduce_sum", "where", "relu", "add"):
        panel = tried(reader, page)
        examples = panel.get_by_label("example")
        for k in range(examples.locator("option").count()):
            examples.select_option(index=k)
            expected(panel.locator("output")).to_contain_text("shape [")
