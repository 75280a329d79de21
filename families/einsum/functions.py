"""Einsum's equation: its first fault, its terms, and the labels of axes.

``c/functions.c`` computes the same in C, and ``tests/families/test_einsum_equations.py`` compares
the two. A label is a number below 116: of a letter its position in the order of ASCII, from 0 for A
to 51 for z; of a dim under an ellipsis its position there, from 52.
"""

from __future__ import annotations

import re
from functools import lru_cache

from opmill._runtime.rule_support import Indices

LETTERS = 52
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MAX_LIST = 128
_MAX_RANK = 64
_TOKEN = re.compile(rb"[A-Za-z ]+|,|\.{3}|->")


def find_fault(equation: str) -> tuple[int, int, int]:
    """The first fault: its kind, its position, and the byte or number that is wrong.

    Kinds are 0 for none; 1 for an incomplete ellipsis, which ends at the position; 2 for a hyphen
    alone; 3 for another byte; 4 for a comma in the output; 5 for ellipses in a term, which is the
    position; 6 for ellipses in the output; 7 for a letter of the output that no term has; 8 for one
    that the output repeats.
    """
    data = equation.encode("utf-8", "surrogatepass")
    position, has_arrow = 0, False
    while position < len(data):
        token = _TOKEN.match(data, position)
        word = token.group() if token else b""
        if not word or (word == b"->" and has_arrow) or (word == b"," and has_arrow):
            return _fault_at(data, position, has_arrow)
        has_arrow = has_arrow or word == b"->"
        position += len(word)
    return _fault_of_terms(equation) or _fault_of_output(equation) or (0, 0, 0)


def count_terms(equation: str) -> int:
    """The number of terms before the arrow."""
    return len(_parts(equation)) - 1


def measure_term(equation: str, term: int) -> tuple[int, int]:
    """The letters and the ellipses of a term; of the number of terms, those of the output."""
    text = _parts(equation)[term]
    return len(text.replace(".", "")), text.count("...")


def term_labels(equation: str, term: int, rank: int) -> Indices:
    """The labels of a term's axes; an ellipsis covers those that the rank has beside letters."""
    letters, _ = measure_term(equation, term)
    return _labels(_parts(equation)[term], rank - letters)


def output_labels(equation: str, covered: int) -> Indices:
    """The labels of the output's axes, of which an ellipsis covers so many."""
    *terms, output = _parts(equation)
    if "->" in equation:
        return _labels(output, covered)
    left = "".join(terms)
    return _labels("..." + "".join(one for one in _LETTERS if left.count(one) == 1), covered)


@lru_cache(maxsize=16)
def _parts(equation: str) -> tuple[str, ...]:
    """The terms and, at the end, the output, without spaces."""
    left, _, output = equation.replace(" ", "").partition("->")
    return (*left.split(","), output)


def _labels(text: str, covered: int) -> Indices:
    before, dots, after = text.partition("...")
    hidden = range(LETTERS, LETTERS + min(max(covered, 0), _MAX_RANK)) if dots else ()
    after = after.replace(".", "")
    return [*map(_LETTERS.index, before), *hidden, *map(_LETTERS.index, after)][:_MAX_LIST]


def _fault_at(data: bytes, position: int, has_arrow: bool) -> tuple[int, int, int]:
    """The fault of the byte at which no word begins."""
    byte = data[position]
    if byte == ord("."):
        return 1, position + (2 if data.startswith(b"..", position) else 1), 0
    if byte == ord(","):
        return 4, position, 0
    return (2, position, 0) if byte == ord("-") and not has_arrow else (3, position, byte)


def _fault_of_terms(equation: str) -> tuple[int, int, int] | None:
    for term, text in enumerate(_parts(equation)[:-1]):
        if text.count("...") > 1:
            return 5, term, text.count("...")
    return None


def _fault_of_output(equation: str) -> tuple[int, int, int] | None:
    left, arrow, right = equation.partition("->")
    for position, one in enumerate(right):
        before = right[:position]
        if one == "." and before.count("...") == 1:
            return 6, len(left) + len(arrow) + position, right.count("...")
        if one in _LETTERS and (one not in left or one in before):
            return (8 if one in left else 7), len(left) + len(arrow) + position, 0
    return None
