"""The versions of an operator as small links: which are supported, shown, deprecated."""

from __future__ import annotations

from typing import Any

from opmill_gen.emit.docs.pages import opset_range
from opmill_gen.emit.docs.site.history import OperatorHistory


def chips(history: OperatorHistory, folder: str = "", shown: int | None = None) -> list[Any]:
    """The versions, the newest first.

    Args:
        history: the operator.
        folder: what precedes the names of its pages in links.
        shown: the version whose page holds the links.
    """
    return [_chip(history, number, folder, shown) for number in reversed(history.published)]


def _chip(history: OperatorHistory, number: int, folder: str, shown: int | None) -> dict[str, Any]:
    is_supported = number in history.supported
    has_page = is_supported or history.facts(number) is not None
    words = [f"{history.operator}-{number}"]
    words.append(f"opsets {opset_range(number, history.last_opset(number))}")
    classes = ["opmill-chip"]
    if number in history.deprecated:
        words.append("deprecated")
        classes.append("opmill-deprecated")
    if not is_supported:
        words.append("not supported yet")
        classes.append("opmill-coming")
    return {
        "number": number,
        "last": history.last_opset(number) or 0,
        "link": f"{folder}{history.page(number)}.html" if has_page else "",
        "title": ", ".join(words),
        "classes": " ".join(classes),
        "is_shown": number == shown,
        "is_supported": is_supported,
    }
