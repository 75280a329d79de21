"""Reads the corpus of cases. Nothing needs to be installed; docs/start/corpus.md is the format.

    python corpus.py build/corpus Tile Conv

prints how many cases there are of each origin. ``read`` returns the cases of an operator.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^ ]+')


@dataclass
class Version:
    """A version: its tolerances (relative and absolute) by element type, and why they are so."""

    number: int
    accuracy: dict[str, tuple[float, float]] = field(default_factory=dict)
    reason: str = ""


@dataclass
class Erratum:
    """A gap in ONNX's text, the decision of the corpus, and its evidence."""

    name: str
    kind: str
    versions: list[int] = field(default_factory=list)
    text: str = ""
    decision: str = ""
    evidence: str = ""


@dataclass
class Tensor:
    """A tensor: elements are int, float, str, or ``Bits`` where the file has bit patterns."""

    type: str
    shape: list[int]
    elements: list[Any]


class Bits(int):
    """The bit pattern of an element, or of a part of a complex one."""


@dataclass
class Case:
    """A call: its inputs and outputs are pairs of a name and a value.

    A value is a tensor, a list of tensors for a sequence, or the word ``absent`` or ``empty``.
    Attributes are pairs of a kind and a value. ``raises`` is the error of an invalid call.
    """

    kind: str
    name: str
    versions: list[int] = field(default_factory=list)
    about: str = ""
    origin: str = ""
    test: str = ""
    rests_on: list[str] = field(default_factory=list)
    each: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    attributes: dict[str, tuple[str, Any]] = field(default_factory=dict)
    inputs: list[tuple[str, Any]] = field(default_factory=list)
    outputs: list[tuple[str, Any]] = field(default_factory=list)
    requested: int = 0
    by_kernel: bool = False
    raises: tuple[str, str] | None = None


@dataclass
class Operator:
    """An operator: its versions by number, its errata and its cases."""

    domain: str
    name: str
    versions: dict[int, Version] = field(default_factory=dict)
    errata: list[Erratum] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


def read(path: Path) -> Operator:
    """Return the cases of a file.

    Args:
        path: the file of an operator.

    Raises:
        ValueError: the file is not as the format says.
    """
    lines = path.read_text("utf-8").split("\n")
    if lines[0] != "corpus 3" or [line for line in lines if line][-1] != "end":
        raise ValueError(f"{path}: expected 'corpus 3' in front and 'end' behind")
    operator, version, current, open_list = Operator("", ""), Version(0), Case("", ""), []
    for number, line in enumerate(lines[1:], 2):
        kind, *words = [json.loads(w) if w[0] == '"' else w for w in _WORD.findall(line)] or [""]
        match kind:
            case "" | "end":
                pass
            case "operator":
                operator.domain, operator.name = words
            case "version":
                version = operator.versions[int(words[0])] = Version(int(words[0]))
            case "accuracy":
                version.accuracy[words[0]] = (float(words[1]), float(words[2]))
            case "reason":
                version.reason = words[0]
            case "erratum":
                current = Erratum(*words)
                operator.errata.append(current)
            case "example" | "reject":
                current = Case(kind, words[0])
                operator.cases.append(current)
            case "versions":
                current.versions = list(map(int, words))
            case "text" | "decision" | "evidence" | "about":
                setattr(current, kind, words[0])
            case "origin":
                current.origin, current.test = (*words, "")[:2]
            case "rests_on" | "each" | "repeated":
                setattr(current, kind, words)
            case "attribute":
                name, form, *rest = words
                open_list = [rest[0]] if form == "sparse" else []
                if form in ("graph", "other"):
                    value = json.loads(line.partition(f" {form} ")[2])
                elif form == "tensor":
                    value = _tensor(rest)
                else:
                    value = open_list or _attribute(form, rest)
                current.attributes[name] = (form, value)
            case "input" | "output":
                name, form, *rest = words
                open_list = []
                value = open_list if form == "sequence" else form
                value = value if form in ("sequence", "absent", "empty") else _tensor([form, *rest])
                getattr(current, f"{kind}s").append((name, value))
            case "tensor":
                open_list.append(_tensor(words))
            case "outputs":
                current.requested = int(words[0])
            case "by_kernel":
                current.by_kernel = True
            case "raises":
                current.raises = (words[0], (*words, "")[1])
            case _:
                raise ValueError(f"{path}:{number}: unknown line '{kind}'")
    return operator


def decisions(operator: Operator, case: Case, version: int) -> list[Erratum]:
    """Return the errata on which a case rests at a version.

    Args:
        operator: the operator of the case.
        case: the case.
        version: one of its versions.
    """
    return [e for e in operator.errata if e.name in case.rests_on and version in e.versions]


def _attribute(form: str, words: list[str]) -> Any:
    """The value of an attribute: a number, a text, or a list of them."""
    reader = {"i": int, "f": float, "s": str}[form[0]]
    values = list(map(reader, words))
    return values if form.endswith("s") else values[0]


def _tensor(words: list[str]) -> Tensor:
    """A tensor from its type, its dims and its elements."""
    type_, dims, *elements = words
    shape = [int(dim) for dim in dims[1:-1].split(",") if dim]
    if elements[:1] == ["bits"] and type_ != "string":
        return Tensor(type_, shape, [Bits(pattern, 16) for pattern in elements[1:]])
    if type_ != "string":
        whole = type_.lstrip("u").startswith(("int", "bool"))
        return Tensor(type_, shape, [int(one) if whole else float(one) for one in elements])
    return Tensor(type_, shape, elements)


def main() -> None:
    """Print the numbers of cases of each origin, by operator."""
    folder, *chosen = sys.argv[1:]
    total: Counter[str] = Counter()
    for line in Path(folder, "index.txt").read_text("utf-8").splitlines():
        if line.startswith("file "):
            operator = read(Path(folder, line.split(" ")[1]))
            if not chosen or operator.name in chosen:
                counts = Counter(
                    f"{one.kind} {one.origin}" for one in operator.cases for _ in one.versions
                )
                total += counts
                print(operator.domain, operator.name, dict(sorted(counts.items())))
    print(dict(sorted(total.items())))


if __name__ == "__main__":
    main()
