"""Breaks long lines of generated code where a reader would."""

from __future__ import annotations

LINE_LENGTH = 100


def wrapped(line: str, hang: int = 8) -> list[str]:
    """A line in lines of at most LINE_LENGTH, broken after a comma or before && and ||.

    Where there are none, it is broken before the ? and the : of a conditional expression.

    Args:
        line: a line of C or Python whose strings are in double quotes.
        hang: how much further than the line its continuations are indented.
    """
    if len(line) <= LINE_LENGTH or line.lstrip().startswith(("/*", "//", "#")):
        return [line]
    indent = len(line) - len(line.lstrip())
    deep = " " * (indent + hang)
    lines: list[str] = []
    rest = line
    while len(rest) > LINE_LENGTH:
        cut = _last_break(rest, indent + hang if lines else indent)
        if cut is None:
            break
        lines.append(rest[:cut].rstrip())
        rest = deep + rest[cut:].lstrip()
    return [*lines, rest]


def _last_break(line: str, after: int) -> int | None:
    """The best position for a line break: the last one outside of strings within the limit.

    The start of a nested list is the better place, so that its values stay together.
    """
    best: int | None = None
    best_list: int | None = None
    conditional: int | None = None
    quoted = False
    for position in range(LINE_LENGTH):
        char = line[position]
        if char == '"' and line[position - 1] != "\\":
            quoted = not quoted
        if quoted or position <= after:
            continue
        after_comma = line[position - 1] == "," and char == " "
        if after_comma or line[position : position + 3] in ("&& ", "|| "):
            best = position
            if line[position + 1] == "[":
                best_list = position
        elif line[position - 1 : position + 2] in (" ? ", " : "):
            conditional = position
    return next((at for at in (best_list, best, conditional) if at is not None), None)
