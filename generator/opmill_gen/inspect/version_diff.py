"""Differences between two versions of an operator: rows, old beside new, changed words marked.

The manual lays the rows out as a table, the command line as two columns.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill_gen.base.literals import yaml_text
from opmill_gen.spec.operator_version import (
    FACTS,
    Attribute,
    Change,
    OperatorVersion,
    Option,
    Parameter,
    TypeConstraint,
)

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_SIMILAR = 0.4
"""Texts that share less than this part of their words are shown as replaced, not as edited."""


class Status(enum.Enum):
    """Change of a row from the older to the newer version."""

    SAME = "same"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True)
class Piece:
    """A stretch of a text, and whether the other side lacks it."""

    text: str
    changed: bool


@dataclass(frozen=True)
class Row:
    """One part of the two versions, side by side; ``None`` where a version lacks it."""

    name: str
    old: tuple[Piece, ...] | None
    new: tuple[Piece, ...] | None

    @property
    def status(self) -> Status:
        """True if the part was kept, changed, added or removed."""
        if self.old is None:
            return Status.ADDED
        if self.new is None:
            return Status.REMOVED
        changed = any(piece.changed for piece in self.old + self.new)
        return Status.CHANGED if changed else Status.SAME


@dataclass(frozen=True)
class Section:
    """The rows of one part of a spec, as ``Inputs``."""

    title: str
    rows: tuple[Row, ...]

    @property
    def differs(self) -> bool:
        """True if any row does."""
        return any(row.status is not Status.SAME for row in self.rows)


@dataclass(frozen=True)
class _Described:
    """A named part of a spec: its type or kind, and the prose about it."""

    signature: str
    description: str


def compare(old: OperatorVersion, new: OperatorVersion) -> list[Section]:
    """Every part of two versions of an operator, the same parts too, without empty sections."""
    sections = [
        Section("Facts", tuple(_facts(old, new))),
        Section("Summary", tuple(_summary(old.summary, new.summary))),
        Section("Inputs", tuple(_named(_parameters(old.inputs), _parameters(new.inputs)))),
        Section("Outputs", tuple(_named(_parameters(old.outputs), _parameters(new.outputs)))),
        Section("Attributes", tuple(_named(_attributes(old), _attributes(new)))),
        Section("Type constraints", tuple(_named(_types(old), _types(new)))),
    ]
    return [section for section in sections if section.rows]


def parts_of(version: OperatorVersion, *, facts: bool = True) -> list[tuple[str, list[Any]]]:
    """The parts that ``compare`` compares: sections, each with the names and texts of its rows.

    A described part has two texts, its signature and its description.
    """
    stated = [[name, fact(version, name)] for name in FACTS] if facts else []
    sections: list[tuple[str, list[Any]]] = [
        ("Facts", stated),
        ("Summary", [["", text] for text in _paragraphs(version.summary) if text]),
    ]
    described = {
        "Inputs": _parameters(version.inputs),
        "Outputs": _parameters(version.outputs),
        "Attributes": _attributes(version),
        "Type constraints": _types(version),
    }
    for title, parts in described.items():
        rows = [[name, part.signature, part.description] for name, part in parts.items()]
        sections.append((title, rows))
    return sections


def changes_between(
    versions: Iterable[OperatorVersion], old: int, new: int
) -> list[tuple[OperatorVersion, Change]]:
    """Changes in meaning after the version ``old`` up to ``new``, in the order of versions."""
    return [
        (version, change)
        for version in sorted(versions, key=lambda version: version.since_version)
        if old < version.since_version <= new
        for change in version.changes
    ]


def changes_on_the_way(
    versions: Iterable[OperatorVersion], old: OperatorVersion, new: OperatorVersion
) -> list[tuple[OperatorVersion, Change]]:
    """Changes in meaning from one version to another; to an older one, the newest first."""
    first, last = sorted((old.since_version, new.since_version))
    found = changes_between(versions, first, last)
    return found if old.since_version <= new.since_version else found[::-1]


def marked(
    old: str, new: str, similar: float = _SIMILAR
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two texts, with the words that the other one lacks marked.

    Texts that share less than the part ``similar`` of their words differ as a whole.
    """
    olds, news = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, olds, news, autojunk=False)
    if old != new and matcher.ratio() < similar:
        return (Piece(old, True),), (Piece(new, True),)
    left: list[Piece] = []
    right: list[Piece] = []
    for operation, a, b, c, d in matcher.get_opcodes():
        changed = operation != "equal"
        _append(left, "".join(olds[a:b]), changed)
        _append(right, "".join(news[c:d]), changed)
    trimmed = _trimmed(left), _trimmed(right)
    if any(piece.changed for side in trimmed for piece in side):
        return trimmed
    return tuple(left), tuple(right)


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """The same text with no blank marked at the ends of what is marked."""
    found: list[Piece] = []
    for piece in pieces:
        word = piece.text.strip()
        if not piece.changed or word == piece.text:
            parts = [piece]
        else:
            before, _, after = piece.text.partition(word) if word else (piece.text, "", "")
            parts = [Piece(before, False), Piece(word, True), Piece(after, False)]
        for part in parts:
            if part.text and found and not part.changed and not found[-1].changed:
                found[-1] = Piece(found[-1].text + part.text, False)
            elif part.text:
                found.append(part)
    return tuple(found)


def _append(pieces: list[Piece], text: str, changed: bool) -> None:
    """Add a stretch; blanks between two changed words are changed with them."""
    if not text:
        return
    if changed and len(pieces) > 1 and pieces[-2].changed and pieces[-1].text.isspace():
        blank = pieces.pop().text
        text = pieces.pop().text + blank + text
    pieces.append(Piece(text, changed))


def _row(name: str, old: str | None, new: str | None) -> Row:
    if old is None or new is None:
        return Row(name, _whole(old), _whole(new))
    return Row(name, *marked(old, new))


def _whole(text: str | None) -> tuple[Piece, ...] | None:
    return None if text is None else (Piece(text, True),)


def _described_row(name: str, old: _Described | None, new: _Described | None) -> Row:
    """A part with a description: types and kinds are compared item by item, whatever they share."""
    if old is None or new is None:
        texts = (
            None if side is None else f"{side.signature}\n{side.description}" for side in (old, new)
        )
        return Row(name, *map(_whole, texts))
    signatures = marked(old.signature, new.signature, similar=0)
    descriptions = marked(old.description, new.description)
    left, right = ((*signatures[side], Piece("\n", False), *descriptions[side]) for side in (0, 1))
    return Row(name, left, right)


def _facts(old: OperatorVersion, new: OperatorVersion) -> Iterator[Row]:
    for name in FACTS:
        yield _row(name, fact(old, name), fact(new, name))


def fact(version: OperatorVersion, name: str) -> str:
    """A fact of a version in the words of the spec file."""
    return yaml_text(version.facts[name])


def _summary(old: str, new: str) -> Iterator[Row]:
    """The paragraphs of two summaries: equal ones side by side, similar ones between them."""
    olds, news = _paragraphs(old), _paragraphs(new)
    for operation, a, b, c, d in difflib.SequenceMatcher(
        None, olds, news, autojunk=False
    ).get_opcodes():
        if operation == "equal":
            yield from (_row("", text, text) for text in olds[a:b])
        else:
            yield from _paired(olds[a:b], news[c:d])


def _paired(olds: Sequence[str], news: Sequence[str]) -> Iterator[Row]:
    """Paragraphs that differ: each old one beside the next new one that resembles it."""
    at = 0
    for old in olds:
        ratios = [_likeness(old, new) for new in news[at:]]
        best = max(range(len(ratios)), key=ratios.__getitem__, default=None)
        if best is None or ratios[best] < _SIMILAR:
            yield _row("", old, None)
            continue
        yield from (_row("", None, new) for new in news[at : at + best])
        yield _row("", old, news[at + best])
        at += best + 1
    yield from (_row("", None, new) for new in news[at:])


def _likeness(old: str, new: str) -> float:
    return difflib.SequenceMatcher(
        None, _WORDS.findall(old), _WORDS.findall(new), autojunk=False
    ).ratio()


def _paragraphs(text: str) -> list[str]:
    """Paragraphs with the line breaks of running text taken out; indented lines are kept."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        kept = any(line.startswith((" ", "\t", "* ", "- ")) for line in lines)
        blocks.append(block if kept else " ".join(block.split()))
    return blocks


def _named(olds: Mapping[str, _Described], news: Mapping[str, _Described]) -> Iterator[Row]:
    """Parts by their names, in the order of both versions where they agree."""
    for name in _merged(list(olds), list(news)):
        yield _described_row(name, olds.get(name), news.get(name))


def _merged(olds: list[str], news: list[str]) -> list[str]:
    merged: list[str] = []
    for operation, a, b, c, d in difflib.SequenceMatcher(
        None, olds, news, autojunk=False
    ).get_opcodes():
        merged += olds[a:b] if operation == "equal" else olds[a:b] + news[c:d]
    return list(dict.fromkeys(merged))


def _parameters(parameters: Iterable[Parameter]) -> dict[str, _Described]:
    return {p.name: _Described(signature_of_parameter(p), _flat(p.description)) for p in parameters}


def _attributes(version: OperatorVersion) -> dict[str, _Described]:
    return {
        a.name: _Described(signature_of_attribute(a), _flat(a.description))
        for a in version.attributes
    }


def _types(version: OperatorVersion) -> dict[str, _Described]:
    return {
        name: _Described(types_text(constraint), _flat(constraint.description))
        for name, constraint in version.type_constraints.items()
    }


def _flat(text: str) -> str:
    return "\n\n".join(_paragraphs(text))


def signature_of_parameter(parameter: Parameter) -> str:
    """``T, optional``: the type of a parameter and how often it occurs."""
    words = [str(parameter.type)]
    if parameter.option is not Option.SINGLE:
        words.append(parameter.option.value)
    if parameter.option is Option.VARIADIC:
        words.append(f"{parameter.min_arity} or more")
        words.append("of one type" if parameter.homogeneous else "of any types")
    return ", ".join(words)


def count_text(parameters: Sequence[Parameter]) -> str:
    """Number of arguments a call gives for these parameters: ``between 2 and 3``."""
    needed = [at for at, p in enumerate(parameters, 1) if p.option is Option.SINGLE]
    minimum = max(needed, default=0)
    if parameters and parameters[-1].option is Option.VARIADIC:
        minimum = max(minimum, len(parameters) - 1 + parameters[-1].min_arity)
        return f"{minimum} or more"
    maximum = len(parameters)
    return str(maximum) if minimum == maximum else f"between {minimum} and {maximum}"


def signature_of_attribute(attribute: Attribute) -> str:
    """``STRING, default NOTSET``: the kind of an attribute and its default."""
    words = [attribute.kind.value]
    if attribute.required:
        words.append("required")
    elif attribute.default is not None:
        words.append(f"default {yaml_text(attribute.default_value)}")
    else:
        words.append("optional")
    if attribute.allowed:
        words.append("one of " + ", ".join(attribute.allowed))
    return ", ".join(words)


def types_text(constraint: TypeConstraint) -> str:
    """The types that a variable stands for, in ONNX's words."""
    return ", ".join(map(str, constraint.types))
