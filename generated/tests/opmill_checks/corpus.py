"""Reads the examples and rejects of an operator from the corpus of cases.

``docs/start/corpus.md`` specifies the format. Drawn cases are left to the readers in other
languages: tests and fuzzers of this one draw more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from opmill_checks.case import Example, Reject
from opmill_checks.graphs import Graph, graph, node
from opmill_checks.interface import option
from opmill_checks.value import TYPES, Held, Sparse, Value, array_of_bits, dtype_of, items_of

HEAD = "corpus 3"
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^ ]+')
_DRAWN = "\norigin drawn\n"
_ATTRIBUTES = {"int": int, "float": float, "string": str}


@dataclass
class Cases:
    """The cases of an operator, of every version."""

    examples: list[Example] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)


def read(path: Path, schemas: Mapping[int, Any]) -> Cases:
    """Return the cases of a file that are not drawn.

    Args:
        path: the file of an operator.
        schemas: of the operator's versions by number.

    Raises:
        ValueError: the file is no corpus, or one of another format.
    """
    blocks = path.read_text("utf-8").split("\n\n")
    if not blocks[0].startswith(f"{HEAD}\n") or blocks[-1].strip() != "end":
        raise ValueError(f"{path} is no corpus, expected '{HEAD}' in front and 'end' behind")
    cases = Cases()
    for block in blocks:
        if block.startswith(("example ", "reject ")) and _DRAWN not in block:
            one = _case(block, schemas)
            if isinstance(one, Example):
                cases.examples.append(one)
            else:
                cases.rejects.append(one)
    return cases


@dataclass
class _Lines:
    """What the lines of a case say."""

    words: dict[str, list[str]] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: list[tuple[str, Any]] = field(default_factory=list)
    outputs: list[tuple[str, Any]] = field(default_factory=list)


def _case(block: str, schemas: Mapping[int, Any]) -> Example | Reject:
    lines = _Lines()
    found = iter(block.split("\n"))
    for line in found:
        kind, *words = _split(line)
        if kind == "attribute":
            name, form, *rest = words
            if form == "sparse":
                values, indices = (_tensor(_split(next(found))[1:]) for _ in range(2))
                lines.attributes[name] = Sparse(values, indices, _dims(rest[0]))
            else:
                lines.attributes[name] = _attribute(form, rest, line)
        elif kind in ("input", "output"):
            name, form, *rest = words
            if form == "sequence":
                parts = tuple(_tensor(_split(next(found))[1:]) for _ in range(int(rest[1])))
                value: Any = Held(parts, None if rest[0] == "-" else rest[0])
            elif form == "empty":
                value = Held(None)
            else:
                value = None if form == "absent" else _tensor([form, *rest])
            (lines.inputs if kind == "input" else lines.outputs).append((name, value))
        else:
            lines.words[kind] = words
    return _example(lines, schemas) if "example" in lines.words else _reject(lines, schemas)


def _example(lines: _Lines, schemas: Mapping[int, Any]) -> Example:
    words = lines.words
    versions = frozenset(map(int, words["versions"]))
    schema = schemas[max(versions)]
    repeated = words.get("repeated")
    return Example(
        name=words["example"][0],
        inputs=_named(schema.inputs, lines.inputs),
        outputs=_named(schema.outputs, lines.outputs),
        attributes=lines.attributes,
        each_type=words["each"][0] if "each" in words else None,
        type=repeated[1] if repeated else None,
        origin=words["origin"][0],
        rests_on=tuple(words.get("rests_on", ())),
        versions=versions,
    )


def _reject(lines: _Lines, schemas: Mapping[int, Any]) -> Reject:
    words = lines.words
    versions = frozenset(map(int, words["versions"]))
    schema = schemas[max(versions)]
    positional = not lines.inputs or lines.inputs[0][0] == "*"
    values = [value for _, value in lines.inputs]
    asked = int(words["outputs"][0]) if "outputs" in words else None
    return Reject(
        name=words["reject"][0],
        inputs=values if positional else _named(schema.inputs, lines.inputs),
        raises=words["raises"][0],
        error=words["raises"][1],
        attributes=lines.attributes,
        outputs=None if asked == _required(schema.outputs) else asked,
        by_kernel="by_kernel" in words,
        rests_on=tuple(words.get("rests_on", ())),
        versions=versions,
    )


def _required(parameters: Any) -> int | None:
    """The number of outputs that a call has which says nothing of it; ``None`` for any number."""
    options = [option(one) for one in parameters]
    required = max((k for k, one in enumerate(options, 1) if one == "single"), default=0)
    return 1 if required == 0 and options[:1] == ["optional"] else required or None


def _named(parameters: Any, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """The values by name, those of a variadic parameter as a list."""
    variadic = {one.name for one in parameters if option(one) == "variadic"}
    found: dict[str, Any] = {}
    for name, value in given:
        if name in variadic:
            found.setdefault(name, []).append(value)
        else:
            found[name] = value
    return found


def _split(line: str) -> list[str]:
    """The words of a line, quoted ones as their text."""
    if '"' not in line:
        return line.split(" ")
    return [json.loads(word) if word[0] == '"' else word for word in _WORD.findall(line)]


def _attribute(form: str, words: list[str], line: str) -> Any:
    if form == "tensor":
        return _tensor(words)
    if form in ("graph", "other"):
        value = json.loads(line.partition(f" {form} ")[2])
        return _graph(value) if form == "graph" else value
    if form.endswith("s"):
        return list(map(_ATTRIBUTES[form[:-1]], words))
    return _ATTRIBUTES[form](words[0])


def _graph(value: Mapping[str, Any]) -> Graph:
    nodes = [
        node(one["op"], one["inputs"], one["outputs"], **_of_node(one["attributes"]))
        for one in value["nodes"]
    ]
    types = {name: (one["type"], one["shape"]) for name, one in value["types"].items()}
    return graph(value["inputs"], nodes, value["outputs"], **types)


def _of_node(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _tensor(_split(one["tensor"])) if isinstance(one, Mapping) else one
        for name, one in attributes.items()
    }


def _dims(word: str) -> tuple[int, ...]:
    return tuple(int(dim) for dim in word[1:-1].split(",") if dim)


def _tensor(words: list[str]) -> Value:
    """A tensor from its type, its dims and its elements."""
    type, dims, *elements = words
    shape = _dims(dims)
    kind = TYPES[type].kind
    if kind == "string":
        return Value(type, shape, tuple(elements))
    if elements[:1] == ["bits"]:
        return _of_bits(type, shape, [int(word, 16) for word in elements[1:]])
    if kind == "integer":
        return Value(type, shape, tuple(map(int, elements)))
    if kind == "bool":
        return Value(type, shape, tuple(word == "1" for word in elements))
    numbers = np.array(list(map(float, elements)))
    if kind == "complex":
        part = np.float32 if type == "complex64" else np.float64
        return Value(type, shape, items_of(numbers.astype(part).view(dtype_of(type))))
    with np.errstate(over="ignore"):
        return Value(type, shape, items_of(numbers.astype(dtype_of(type))))


def _of_bits(type: str, shape: tuple[int, ...], patterns: list[int]) -> Value:
    if TYPES[type].kind == "complex":
        half = TYPES[type].width // 2
        pairs = zip(patterns[::2], patterns[1::2], strict=True)
        patterns = [real | imag << half for real, imag in pairs]
    return Value.from_array(array_of_bits(type, patterns).reshape(shape))
