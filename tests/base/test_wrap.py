"""Long lines of generated code."""

from __future__ import annotations

import pytest

from opmill_gen.base.wrap import LINE_LENGTH, wrapped

WORD = "x" * 45


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"f({WORD}, {WORD}, yyy);", [f"f({WORD}, {WORD},", "        yyy);"]),
        (f"a = {WORD} && {WORD} && y;", [f"a = {WORD} && {WORD}", "        && y;"]),
        (f"a = {WORD} ? {WORD} : y + z;", [f"a = {WORD} ? {WORD}", "        : y + z;"]),
        (f'puts("{WORD}, {WORD}, {WORD}");', [f'puts("{WORD}, {WORD}, {WORD}");']),
        (f"/* {WORD}, {WORD}, {WORD} */", [f"/* {WORD}, {WORD}, {WORD} */"]),
    ],
)
def test_where_lines_are_broken(line: str, expected: list[str]) -> None:
    assert wrapped(line) == expected


def test_a_comma_is_better_than_a_conditional_expression() -> None:
    line = f"f(a ? b : c, {WORD} ? {WORD} : {WORD});"
    lines = wrapped(line)
    assert lines[0] == "f(a ? b : c,"
    assert max(map(len, lines)) <= LINE_LENGTH
    assert " ".join(part.strip() for part in lines) == line
