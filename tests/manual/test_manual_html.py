"""The built manual as files: markup that was not rendered, and the names that readers look up."""

from __future__ import annotations

import html
import html.parser
import re
from pathlib import Path

import pytest

import opmill
from checked_tree import checked_tree
from manual_html import anchors, prose, table_widths
from opmill_gen.emit.docs.pages import page_name

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "build" / "docs"
PAGES = sorted(path for path in MANUAL.rglob("*.html") if "_static" not in path.parts)
MARKUP = re.compile(r"`|\]\(|\{\{|\}\}|\{%|\*\*\w|:::|~~~|\$\w|:(?:ref|doc|func|class|c:\w+):")


class Parsed(html.parser.HTMLParser):
    """A page as a parser reads it: anchors, links, the text outside of code, and tables' rows."""

    VERBATIM = frozenset({"code", "dt", "math", "pre", "script", "style", "svg"})

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.rows: list[list[int]] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element, and how many columns a cell has."""
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href") and "://" not in given["href"]:
            self.links.append(given["href"])
        if tag == "article" or tag in self.VERBATIM:
            self.open.append(tag)
        if tag == "table":
            self.rows.append([])
        if tag == "tr" and self.rows:
            self.rows[-1].append(0)
        if tag in ("td", "th") and self.rows and self.rows[-1]:
            self.rows[-1][-1] += int(given.get("colspan") or 1)

    def handle_endtag(self, tag: str) -> None:
        """Close the element."""
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Keep prose; a signature, which is a term, is code."""
        if "article" in self.open and not self.VERBATIM & set(self.open):
            self.text.append(data)


def test_the_patterns_read_what_a_parser_reads():
    for path in PAGES[::40]:
        parsed = Parsed(path)
        assert anchors(path.relative_to(MANUAL).as_posix()) == (parsed.ids, parsed.links)
        assert table_widths(path) == parsed.rows
        assert prose(path).split() == "".join(parsed.text).split()


def test_every_case_is_on_a_page_of_its_operator():
    for version in checked_tree().versions:
        page = ROOT / ".manual" / "docs" / "operators" / f"{page_name(version)}.md"
        pages = [page, *page.parent.glob(f"{page.stem}_[0-9]*.md")]
        source = "".join(path.read_text(encoding="utf-8") for path in pages)
        text = html.unescape(source).replace("\\", "")  # Markdown and HTML escape names
        for case in (*version.spec.examples, *version.spec.rejects):
            assert case.name.replace("\\", "") in text, f"{version.spec.label}: {case.name}"


def test_no_markup_is_left_in_prose():
    found = {}
    for path in PAGES:
        text = prose(path)
        shown = [text[max(0, m.start() - 20) : m.end() + 20] for m in MARKUP.finditer(text)]
        if shown:
            found[path.relative_to(MANUAL).as_posix()] = shown
    assert len(PAGES) > 600
    assert found == {}


def test_rows_of_a_table_have_the_same_columns():
    found = {}
    for path in PAGES:
        ragged = [rows for rows in table_widths(path) if len(set(rows)) > 1]
        if ragged:
            found[path.relative_to(MANUAL).as_posix()] = ragged
    assert found == {}


def test_every_public_name_can_be_linked():
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((MANUAL / "objects.inv").read_bytes(), uri="")
    kinds = ("py:class", "py:function", "py:exception", "py:data")
    names = {name for kind in kinds for name in inventory.data.get(kind, {})}
    public = {name for name in dir(opmill) if isinstance(getattr(opmill, name), type)}
    assert len(public) > 20
    assert {f"opmill.{name}" for name in public} - names == set()
    functions = set(inventory.data["c:function"])
    assert {"opmill_run", "opmill_run_allocating", "opmill_isa_best"} <= functions
    assert "opmill_context" in inventory.data["c:struct"]
    assert "opmill_context.threads" in inventory.data["c:member"]


def test_the_scoreboard_is_a_page_of_bounded_size():
    assert (MANUAL / "conformance.html").stat().st_size < 300_000
