"""Finds the places of a source file where one small change breaks it, and makes the change.

The text is changed, not a tree, so that templates, C and Python are treated alike: comments,
strings and preprocessor lines are passed over, and what is left is looked at token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<skip>
        \{[#%].*?[#%]\}                                  # of a template
      | [rfbu]{0,2}(?:\"\"\".*?\"\"\"|'''.*?''')         # texts
      | [rfbu]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | /\*.*?\*/ | //(?=\s)[^\n]*
      | (?<![^\s])\#[^\n]*(?:\\\n[^\n]*)*                # comments of Python, preprocessor of C
      | (?:->|\+\+|--|<<|>>|\*\*)                        # what has one of the operators in it
    )
  | (?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)(?:[uUlL]*)\b(?!\.))
  | (?P<word>\b(?:and|or|not|break|False|true|false|(?<!strict=)True
      | (?:min|max|least|most)(?=\())\b)
  | (?P<operator><=|>=|==|!=|&&|\|\||[-+*/%<>]=?|//=?|!)
  | (?P<other>[A-Za-z_]\w*|\s+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
OTHER = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "+",
    "+=": "-=", "-=": "+=", "*=": "+=",
    "&&": "||", "||": "&&", "!": "",
    "and": "or", "or": "and", "not": "", "min": "max", "max": "min",
    "least": "most", "most": "least",
    "True": "False", "False": "True", "true": "false", "false": "true",
    "break": "continue",
}  # fmt: skip
"""The replacements of an operator or a word."""
OPERAND = re.compile(r"[\w)\]]\s*$")
SWAPPED = re.compile(
    r"(?<![\w.)\]])(?<!->)(?<!sizeof )(?!sizeof)(?P<a>\w+) (?P<op>-|/|//|%|<|<=) "
    r"(?!sizeof)(?P<b>[A-Za-z_]\w*)(?![\w.(\[])"
)
STATEMENT_C = re.compile(r"[ ]++(?!return\b|break\b|continue\b|typedef\b|goto\b|#)[^\n]*[^\n{};];")
DECLARATION_C = re.compile(
    r"\s*(?:static |const |unsigned |struct |enum |extern |inline |union |typedef )*"
    r"(?:[a-z_]+\w*|VEC|TYPE|SUM|[A-Z]+) \**\w+(?:\[[^\]]*\])*(?:,| =|;)"
)
STATEMENT_PYTHON = re.compile(
    r"[ ]{4,}+(?:[\w.]+(?:\[[^\n]*\])? (?:[-+*/|&]?=) |[\w.]+\()[^\n]*[^\n,(\[{:\\]"
)
OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Args:
        path: the file, from the top of the tree.
        line: its number, from 1.
        kind: comparison, arithmetic, logic, constant, statement or operands.
        before, after: the line as it is, and as the mutant has it, both stripped.
        start, end, text: what is replaced, and by what.
    """

    path: str
    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {self.before}  ->  {self.after}"

    def applied(self, source: str) -> str:
        """The file with the change."""
        return source[: self.start] + self.text + source[self.end :]


def mutants(path: str, source: str) -> list[Mutant]:
    """Every mutant of a file, in the order of the places."""
    python = path.endswith((".py", ".py.j2"))
    found = [*tokens(path, source), *statements(path, source, python=python)]
    found += swapped(path, source)
    unique = {(one.start, one.end, one.text): one for one in found}
    return sorted(unique.values(), key=lambda one: (one.start, one.end, one.text))


def mutant(path: str, source: str, kind: str, start: int, end: int, text: str) -> Mutant:
    """The mutant that replaces a piece of a line."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    last = len(source) if last < 0 else last
    before, after = source[first:last], source[first:start] + text + source[end:last]
    line = source.count("\n", 0, start) + 1
    return Mutant(path, line, kind, before.strip(), after.strip(), start, end, text)


def tokens(path: str, source: str) -> Iterator[Mutant]:
    """Other operators, words and numbers."""
    for found in TOKEN.finditer(source):
        text, start, end = found[0], found.start(), found.end()
        if found["number"]:
            yield mutant(path, source, "constant", start, end, other_number(text))
        elif found["word"] or found["operator"]:
            if text not in OTHER or not is_binary(source, text, start, end):
                continue
            yield mutant(path, source, kind_of(text), start, end, OTHER[text])


def other_number(text: str) -> str:
    """A neighbour of a number, its suffix kept."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :]
    if digits[:2].lower() == "0x":
        return hex(int(digits, 16) + 1) + suffix
    return str(int(digits) + 1).zfill(len(digits)) + suffix  # zeros, as in the part behind a point


def is_binary(source: str, text: str, start: int, end: int) -> bool:
    """True if a token is between operands, where its kind must; pointers and signs do not."""
    if text in ("-", "+", "*", "/", "%", "<", ">", "//"):
        spaced = source[start - 1 : start] == " " and source[end : end + 1] in (" ", "\n")
        return spaced and OPERAND.search(source[max(0, start - 40) : start]) is not None
    if text == "!":
        return source[end : end + 1] not in ("=", "")
    return True


def kind_of(text: str) -> str:
    """Return the kind of change for this token."""
    if text in ("<", "<=", ">", ">=", "==", "!="):
        return "comparison"
    if text in ("&&", "||", "!", "and", "or", "not"):
        return "logic"
    if text in ("True", "False", "true", "false", "break", "continue"):
        return "constant" if text[0] in "TFtf" else "statement"
    return "arithmetic"


def statements(path: str, source: str, *, python: bool) -> Iterator[Mutant]:
    """Statements of one line that are left out, but for declarations, which others need."""
    skipped = [match.span() for match in TOKEN.finditer(source) if match["skip"]]
    depth = 0
    position = 0
    for line in source.splitlines(keepends=True):
        text = line.rstrip("\n")
        begin = position + len(text) - len(text.lstrip())
        inside = any(a < begin < b or a == begin for a, b in skipped if b > position)
        balanced = sum(map(text.count, OPENING)) == sum(map(text.count, CLOSING))
        pattern = STATEMENT_PYTHON if python else STATEMENT_C
        if depth == 0 and not inside and balanced and pattern.fullmatch(text):
            if python and not re.match(
                r"\s+(?:from|import|assert|return|raise|def|class|@)\b", text
            ):
                yield mutant(path, source, "statement", begin, position + len(text), "pass")
            elif not python and not DECLARATION_C.match(text):
                yield mutant(path, source, "statement", begin, position + len(text), ";")
        depth += sum(text.count(c) for c in "([") - sum(text.count(c) for c in ")]")
        position += len(line)


def swapped(path: str, source: str) -> Iterator[Mutant]:
    """Operands that change sides, but for a - b - c, which is a - c - b."""
    skipped = [match.span() for match in TOKEN.finditer(source) if match["skip"]]
    for found in SWAPPED.finditer(source):
        if found["a"] == found["b"] or any(a <= found.start() < b for a, b in skipped):
            continue
        if source.endswith(f" {found['op']} ", 0, found.start()):
            continue
        text = f"{found['b']} {found['op']} {found['a']}"
        yield mutant(path, source, "operands", found.start(), found.end(), text)
