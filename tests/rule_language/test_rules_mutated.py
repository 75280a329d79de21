"""Damaged rule files: either the faults are reported, or what is emitted is valid Python."""

from __future__ import annotations

import io
import random
import tokenize
from collections.abc import Iterator, Mapping

import pytest

from checked_tree import checked_tree
from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.load.families import shared_rules
from opmill_gen.load.sources import default_sources
from opmill_gen.rule_language import emit_python, parse_rules
from opmill_gen.yaml_reader.decode import Faults
from rules_programs import Writer
from selection import some

pytestmark = pytest.mark.slow
RULES = {
    version.instance.rule.path: version.instance for version in reversed(checked_tree().versions)
}
"""A use of each rule, by the path of its file."""
DAMAGED = 9
"""Number of damaged files of each rule, each rule's own: all of the 200 rules have 2,000."""
SPICE = (
    *("None", "not", "-", "+", "(", ")", "[", "]", ":", "=", "==", "<", ",", "if", "else", "for"),
    *("return", "pass", "lambda", "*", "**", "//", "%", "is", "in", "and", "or", "def", "del"),
    *("0", "-1", "9223372036854775808", "1.5", "1j", "''", "f'{1}'", "b''", "...", "True", "@"),
    *("rules", "require", "output", "len", "range", "X", "i", "a", "__debug__", "yield", "await"),
    *(
        "global",
        "\\",
        "\n",
        "\t",
        "#",
        ";",
        "'''",
        "\0",
        "é",
        "Tensor",
        "Ints",
        "_shared.x",
        "import",
    ),
)


SHARED = shared_rules(default_sources(), Faults())


def family(name: str) -> str:
    return RULES[name].rule.text


def tokens(text: str) -> list[str]:
    """The file cut into pieces that make it up again."""
    lines = text.splitlines(keepends=True)
    pieces: list[str] = []
    row, column = 1, 0

    def upto(end: tuple[int, int]) -> str:
        nonlocal row, column
        piece = ""
        while row < end[0]:
            piece += lines[row - 1][column:] if row <= len(lines) else ""
            row, column = row + 1, 0
        if row <= len(lines):
            piece += lines[row - 1][column : end[1]]
        column = end[1]
        return piece

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        pieces += [upto(token.start), upto(token.end)]
    assert "".join(pieces) == text
    return [piece for piece in pieces if piece]


def mutations(pieces: list[str], rng: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        damaged = list(pieces)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            one, other = rng.randrange(len(damaged)), rng.randrange(len(damaged))
            kind = rng.randrange(5)
            if kind == 0:
                damaged[one] = ""
            elif kind == 1:
                damaged[one], damaged[other] = damaged[other], damaged[one]
            elif kind == 2:
                damaged[one] = rng.choice(SPICE)
            elif kind == 3:
                damaged.insert(one, rng.choice(SPICE))
            else:
                damaged[one] = damaged[other]
        yield "".join(damaged)


def judge(text: str, parameters: Mapping[str, str | int | bool] | None = None) -> bool:
    """Return whether a file is of the language; anything but an InputError goes through."""
    faults: tuple[Diagnostic, ...] | None = None
    try:
        program = parse_rules("rules.py", text, parameters or {}, SHARED)
    except InputError as error:
        faults = error.diagnostics
    if faults is not None:
        assert faults
        assert all(fault.location.path == "rules.py" for fault in faults)
        return False
    emitted = emit_python(program)
    compile("\n".join((*emitted.imports, emitted.body)), "<emitted>", "exec")
    return True


@pytest.mark.parametrize("name", some(RULES, 3))
def test_damaged_families(name: str) -> None:
    pieces, parameters = tokens(family(name)), RULES[name].rule_parameters
    damaged = mutations(pieces, random.Random(name), DAMAGED)
    assert judge("".join(pieces), parameters)
    accepted = sum(judge(text, parameters) for text in damaged)
    assert accepted < DAMAGED


def test_damaged_programs() -> None:
    for seed in range(40):
        pieces = tokens(Writer(seed).file())
        for text in mutations(pieces, random.Random(seed), 10):
            judge(text)


@pytest.mark.parametrize("name", some(RULES, 3))
def test_every_beginning_of_a_file(name: str) -> None:
    text, parameters = family(name), RULES[name].rule_parameters
    for end in range(0, len(text), max(23, len(text) * len(RULES) // 1000)):
        judge(text[:end], parameters)


def test_random_texts() -> None:
    rng = random.Random(7)
    for _ in range(300):
        judge(" ".join(rng.choice(SPICE) for _ in range(rng.randint(0, 30))))
