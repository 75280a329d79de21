"""The built manual's pages of changes, which compare any two versions by a script."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from manual_browser import DESK, PHONE, Reader, expected, wait_until

pytestmark = pytest.mark.browser

COLOUR = "getComputedStyle(document.querySelector({!r})).backgroundColor"


def wait_for_marks(page: Any) -> None:
    """Wait until transitions have ended in which added and removed words differ from others."""
    plain, *marks = (COLOUR.format(f".opmill-differences {tag}") for tag in ("td", "ins", "del"))
    for mark in marks:
        wait_until(page, f"{mark} !== {plain}")


def test_changes_between_any_two_versions_stand_out(reader: Reader):
    """As a reader who asks what changed in Split from 13 to 18, and from 1 to 18."""
    page = reader.go("operators/split.html")
    page.locator(".opmill-switch a", has_text="Compare versions").click()
    page.wait_for_url("**/split_changes.html#13-18")  # and until its scripts have run
    shown = page.locator(".opmill-changes section")
    expected(shown.locator("h2")).to_have_text("Split-13 to Split-18")
    expected(shown.locator("li a")).to_have_count(2)
    expected(shown.locator("tr.added ins", has_text="INT, optional").first).to_be_visible()
    expected(shown.locator("del", has_text="since")).to_have_count(0)
    wait_for_marks(page)
    page.select_option("select[name=old]", "1")
    expected(shown.locator("h2")).to_have_text("Split-1 to Split-18")
    page.wait_for_url("**/split_changes.html#1-18")
    expected(shown.locator("li", has_text="Split-2: ").first).to_be_visible()
    expected(shown.locator("tr.same")).to_have_count(0)
    page.get_by_label("with equal parts").check()
    expected(shown.locator("tr.same").first).to_be_visible()
    reader.reload("**/split_changes.html#1-18")
    expected(page.locator("select[name=old]")).to_have_value("1")


def test_the_published_text_is_folded_with_its_licence(reader: Reader):
    page = reader.go("operators/split_changes.html#13-18")
    fold = page.locator(".opmill-published")
    expected(fold.locator("table")).to_be_hidden()
    fold.locator("summary").click()
    expected(fold.locator("ins", has_text="num_outputs").first).to_be_visible()
    expected(page.locator(".opmill-licence")).to_contain_text("Apache License 2.0")


def test_the_script_compares_as_the_generator_does(reader: Reader):
    """The neighbours, which are generated for readers without scripts too."""

    def rows(page: Any) -> list[list[str]]:
        found = page.eval_on_selector_all(
            ".opmill-changes section > .opmill-differences tbody tr",
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))",
        )
        return [list(map(str.strip, row)) for row in found]

    plain = Reader(reader.page.context.browser, reader.address, java_script_enabled=False)
    for operator in ("split", "tile", "conv"):
        generated = rows(plain.go(f"operators/{operator}_changes.html"))
        made: list[list[str]] = []
        page = reader.go(f"operators/{operator}_changes.html")
        expected(page.locator("form.opmill-choose")).to_be_visible()
        numbers = page.locator("select[name=old] option").all_inner_texts()
        for old, new in itertools.pairwise(numbers):
            page.evaluate(f"location.hash = '{old}-{new}'")
            page.wait_for_selector(f"section[id='{old}-{new}']")
            made += rows(page)
        assert made == generated, operator
    plain.page.close()


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_versions_are_below_each_other_on_a_phone(reader: Reader):
    page = reader.go("operators/tile_changes.html#1-6")
    row = page.locator("tr.changed:visible").first
    # In one go: the page may still be scrolling to the section that the address names.
    old, new = row.evaluate(
        "row => [...row.querySelectorAll('td')].map(cell => cell.getBoundingClientRect().toJSON())"
    )
    assert new["top"] >= old["bottom"] - 5


@pytest.mark.parametrize("reader", [{"viewport": DESK, "color_scheme": "dark"}], indirect=True)
def test_a_dark_screen_stays_dark(reader: Reader):
    page = reader.go("operators/tile_changes.html")
    for selector in ("body", ".opmill-differences ins", ".opmill-differences del"):
        wait_until(
            page, f"{COLOUR.format(selector)}.match(/[0-9.]+/g).slice(0, 3).every(c => c < 130)"
        )


def test_no_blank_alone_is_marked(reader: Reader):
    """Check that different line breaks are not marked: only words can differ."""
    for operator in ("split", "conv_transpose", "attention", "resize", "quantize_linear"):
        page = reader.go(f"operators/{operator}_changes.html")
        numbers = page.locator("select[name=old] option").all_inner_texts()
        page.evaluate(f"location.hash = '{numbers[0]}-{numbers[-1]}'")
        page.wait_for_selector(f"section[id='{numbers[0]}-{numbers[-1]}']")
        marks = page.locator(".opmill-changes :is(ins, del)").all_text_contents()
        assert marks
        assert [mark for mark in marks if not mark.strip()] == []
        assert [mark for mark in marks if mark != mark.strip()] == [], operator


BROKEN_WORDS = """rows => rows.flatMap(row => {
    const nodes = document.createNodeIterator(row, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let node; (node = nodes.nextNode()); )
        for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (range.getClientRects().length > 1) broken.push(word);
        }
    return broken;
})"""


@pytest.mark.parametrize("java_script", [True, False])
def test_names_break_behind_underscores_alone(reader: Reader, java_script: bool):
    """``coordinate_transformation_mode`` is wider than its column."""
    context = {"java_script_enabled": java_script}
    other = Reader(reader.page.context.browser, reader.address, viewport=DESK, **context)
    page = other.go("operators/resize_changes.html")
    names = page.locator(".opmill-differences th[scope=row]")
    assert "coordinate_transformation_mode" in names.all_text_contents()
    assert names.evaluate_all(BROKEN_WORDS) == []
    other.page.close()
