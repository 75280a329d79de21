"""The HTML of the built manual, read by patterns: what Sphinx writes is well-formed.

An HTML parser in Python takes ten times as long. In attributes and text, ``<``, ``>`` and ``"`` are
escaped; ``test_the_patterns_read_what_a_parser_reads`` compares both.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

from manual_browser import MANUAL

_SCRIPT = re.compile(r"(<(script|style)\b[^>]*>).*?</\2>|<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_ID = re.compile(r'<[^>]*?\sid="([^"]+)"')
_LINK = re.compile(r'<a\b[^>]*?\shref="([^"]+)"')
_ARTICLE = re.compile(r"<article\b.*</article>", re.DOTALL)
_VERBATIM = re.compile(r"<(code|math|pre|svg|dt)\b.*?</\1>", re.DOTALL)
"""Elements in which characters of markup are meant, or which are no text of ours."""
_CELL = re.compile(r"<(/?)(table|tr|td|th)\b([^>]*)>")
_SPAN = re.compile(r'\bcolspan="(\d+)"')


@cache
def markup(path: Path) -> str:
    """The HTML of a page without comments and without the content of scripts and styles."""
    return _SCRIPT.sub(r"\1", path.read_text(encoding="utf-8"))


def anchors(path: str) -> tuple[set[str], list[str]]:
    """The anchors of a page, and where its links within the manual lead."""
    text = markup(MANUAL / path)
    links = [html.unescape(link) for link in _LINK.findall(text)]
    ids = {html.unescape(found) for found in _ID.findall(text)}
    return ids, [link for link in links if "://" not in link]


def prose(path: Path) -> str:
    """The text of a page's article outside of code; a signature, which is a term, is code."""
    article = "".join(_ARTICLE.findall(markup(path)))
    return html.unescape(_TAG.sub("", _VERBATIM.sub("", article)))


def table_widths(path: Path) -> list[list[int]]:
    """The number of columns of each row, for each table of a page."""
    tables: list[list[int]] = []
    for closing, tag, attributes in _CELL.findall(markup(path)):
        if closing:
            continue
        if tag == "table":
            tables.append([])
        elif tag == "tr" and tables:
            tables[-1].append(0)
        elif tables and tables[-1]:
            span = _SPAN.search(attributes)
            tables[-1][-1] += int(span[1]) if span else 1
    return tables
