"""The comment that explains a spec's tolerances, which the corpus of cases passes on."""

from __future__ import annotations

import re
from itertools import takewhile

_KEY = re.compile(r"accuracy:(?P<rest>.*)")
_TRAILING = re.compile(r"(?:^|\s)#\s?(?P<text>.*)")


def accuracy_reason(text: str) -> str:
    """Return the comment in front of the key ``accuracy``, beside it and in its mapping.

    Args:
        text: the text of a spec.
    """
    lines = text.splitlines()
    for position, line in enumerate(lines):
        found = _KEY.match(line)
        if found is None:
            continue
        above = list(takewhile(lambda one: one.startswith("#"), reversed(lines[:position])))
        within = takewhile(lambda one: one[:1] == " ", lines[position + 1 :])
        comments = map(_comment, (*reversed(above), found["rest"], *within))
        return " ".join(filter(None, comments))
    return ""


def _comment(line: str) -> str:
    found = _TRAILING.search(line)
    return "" if found is None else found["text"].strip()
