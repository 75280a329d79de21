"""The known wrong answers of other runtimes, as the files of tests/operators list them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isfinite, prod
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import yaml

from differential import signature
from differential.versions import Version
from opmill.conformance._drawn import Drawn
from opmill_checks.case import bits, full, tensor
from opmill_checks.interface import parameter_at
from opmill_checks.value import TYPES, SparseArrays, Value, type_of

FILE = "known_differences.yaml"
OPERATORS = Path(__file__).resolve().parents[1] / "operators"
KEYS = {"name", "runtime", "versions", "when", "example", "answers", "because", "source"}
OPTIONAL = {"call", "where"}
UNWRITTEN = "unwritten memory"
PROCESSOR = "what the processor has a kernel for"
OPEN = (UNWRITTEN, PROCESSOR)
"""Results that differ between runs or machines, and may be right by chance."""
RANDOM = "other random numbers"


@dataclass(frozen=True)
class Difference:
    """An entry of the file.

    Args:
        runtime: whose answer it is.
        versions: the operator versions that it is about.
        legal: whether it is about legal calls.
        when: the condition, compiled.
        where: of which elements of the output it speaks, compiled: a condition on ``x``, the
            element at the same place of the first input. The other elements are compared. None
            where the whole call is answered otherwise.
        example: inputs and attributes of a call for which the condition holds, and how many
            outputs it asks for.
        answers: what the runtime answers the example: ``refuses`` with a piece of its message, or
            ``computes`` with the outputs, with one of ``OPEN``, which are not compared, or with
            ``other random numbers``, of which types and shapes are compared; or ``ends`` the
            process.
    """

    name: str
    runtime: str
    versions: tuple[str, ...]
    legal: bool
    when: CodeType
    where: CodeType | None
    example: Mapping[str, Any]
    answers: Mapping[str, Any]

    @property
    def is_random(self) -> bool:
        """True if only the values are answered otherwise, by another generator."""
        return self.answers != "ends" and bool(self.answers.get("computes") == RANDOM)

    def applies(self, version: Version, drawn: Drawn, wanted: Sequence[Value] | None) -> bool:
        """Return whether a call is one of those that the runtime is known to answer otherwise.

        A condition speaks of inputs and attributes as the schema has them; none is asked about a
        call that lacks some, or has others, but those that name ``unknown`` attributes.
        """
        if self.legal is (wanted is None) or version.key not in self.versions:
            return False
        attributes = drawn.attributes
        if "unknown" in self.when.co_names:
            names = {attribute.name for attribute in version.schema.attributes}
            attributes = {name: value for name, value in attributes.items() if name in names}
        if signature.fault(version.schema, drawn.inputs, attributes) is not None:
            return False
        return bool(eval(self.when, words(facts(version, drawn, wanted))))

    def positions(self, version: Version, drawn: Drawn, wanted: Sequence[Value] | None) -> set[int]:
        """The elements of a call to which it applies that are answered otherwise."""
        known = facts(version, drawn, wanted)
        first = next((array for array in drawn.inputs if array is not None), None)
        items = [] if first is None else first.reshape(-1).tolist()
        if self.where is None:
            return set(range(len(items)))
        return {k for k, x in enumerate(items) if eval(self.where, words({**known, "x": x}))}

    def drawn(self, version: Version) -> Drawn:
        """The example as a call."""
        drawn = as_drawn(version, self.example["inputs"], self.example.get("attributes", {}))
        drawn.outputs = self.example.get("outputs")
        return drawn

    def computed(self, version: Version) -> list[Value] | None:
        """The outputs that the runtime computes of the example; None where nobody can tell."""
        outputs = self.answers.get("computes")
        if outputs in (*OPEN, RANDOM):
            return None
        values = []
        for one in dict.fromkeys(self.drawn(version).asked(version.schema)):
            given = outputs[one.name] if outputs else []
            values += [as_value(value) for value in (given if isinstance(given, list) else [given])]
        return values if outputs else None


def single(x: float) -> float:
    """A number rounded to float."""
    with np.errstate(all="ignore"):
        return float(np.float32(x))


def fits(x: float, type: str) -> bool:
    """Return whether an integer type holds a number without its fraction."""
    bits = TYPES[type].width
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if type[0] == "i" else (0, 2**bits)
    return isfinite(x) and low <= int(x) < high


WORDS = {
    word.__name__: word
    for word in (
        *(abs, all, any, float, Fraction, int, isfinite, isinstance, len, list, max, min, prod),
        *(range, sorted, str, sum, zip, fits, single),
    )
}
"""What a condition may use besides the facts."""


def words(known: Mapping[str, Any]) -> dict[str, Any]:
    """The names that a condition is evaluated with."""
    return {"__builtins__": dict(WORDS), **known}


def facts(version: Version, drawn: Drawn, wanted: Sequence[Value] | None) -> dict[str, Any]:
    """The facts that a condition may use.

    ``type`` is the element type of the first input, ``result`` that of the first output, where one
    is wanted; ``shapes``, ``types`` and ``values`` are by the names of the inputs, as ``inputs[0]``
    of a variadic one, the last with the elements of each; ``attributes`` are those that are given,
    ``unknown`` the names of those that the schema lacks,
    ``outputs`` the shapes that are wanted, ``asked`` how many outputs are asked for, ``written``
    how many inputs are, with those that are absent by an empty name.
    """
    present = {}
    for place, array in enumerate(drawn.inputs):
        parameter = parameter_at(version.schema.inputs, place)
        number = place - len(version.schema.inputs) + 1
        if array is not None:
            several = parameter.option == "variadic"
            present[f"{parameter.name}[{number}]" if several else parameter.name] = array
    return {
        "type": next((type_of(array.dtype) for array in present.values()), None),
        "result": wanted[0].type if wanted else None,
        "types": {name: type_of(array.dtype) for name, array in present.items()},
        "shapes": {name: array.shape for name, array in present.items()},
        "values": {name: array.reshape(-1).tolist() for name, array in present.items()},
        "attributes": drawn.attributes,
        "unknown": drawn.attributes.keys() - {one.name for one in version.schema.attributes},
        "outputs": None if wanted is None else [value.shape for value in wanted],
        "asked": drawn.outputs,
        "written": len(drawn.inputs),
    }


def as_drawn(version: Version, inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> Drawn:
    """A call of the file."""
    arrays: list[Any] = []
    for parameter in version.schema.inputs:
        given = inputs.get(parameter.name)
        for one in given if parameter.option == "variadic" else [given]:
            arrays.append(None if one is None else as_value(one).to_array())
    for parameter in reversed(version.schema.inputs):
        if parameter.name in inputs:  # even if it is null, which is an empty name
            break
        arrays.pop()
    return Drawn(
        arrays,
        {
            name: as_attribute(one) if isinstance(one, Mapping) else one
            for name, one in attributes.items()
        },
    )


def as_attribute(given: Mapping[str, Any]) -> Any:
    """An attribute of the file that is a tensor, sparse or not."""
    if "values" not in given:
        return as_value(given).to_array()
    parts = as_value(given["values"]).to_array(), as_value(given["indices"]).to_array()
    return SparseArrays(*parts, given["dims"])


def as_value(given: Mapping[str, Any]) -> Value:
    """A tensor of the file."""
    if "fill" in given:
        return full(given["type"], given["shape"], given["fill"])
    if "bits" in given:
        return bits(given["type"], given["bits"])
    return tensor(given["type"], given["value"], given.get("shape"))


class Known:
    """All entries, and which of them a call falls under."""

    def __init__(self, entries: Sequence[Difference]) -> None:
        self.entries = entries
        self._by_version: dict[tuple[str, str], list[Difference]] = {}
        for entry in entries:
            for label in entry.versions:
                self._by_version.setdefault((entry.runtime, label), []).append(entry)

    def find(
        self, runtime: str, version: Version, drawn: Drawn, wanted: Sequence[Value] | None
    ) -> list[Difference]:
        """The entries that a call falls under: one of whole calls alone, or those of elements."""
        found = []
        for entry in self._by_version.get((runtime, version.key), ()):
            if entry.applies(version, drawn, wanted):
                if entry.where is None:
                    return [entry]
                found.append(entry)
        return found


def compiled(entry: Mapping[str, Any], key: str) -> CodeType:
    """A condition of the file."""
    return compile(str(entry[key]).strip(), f"{FILE}: {entry['name']}", "eval")


@cache
def known() -> tuple[Mapping[str, str], Known]:
    """The releases of the runtimes that the files speak of, and their entries."""
    releases: Mapping[str, str] = _read(OPERATORS / "releases.yaml")
    entries = []
    for operator, entry in _entries():
        if set(entry) - KEYS - OPTIONAL or KEYS - set(entry):
            raise ValueError(
                f"{operator}: {FILE}: '{entry.get('name')}' has the keys {sorted(entry)}"
            )
        if {operator_of(version) for version in entry["versions"]} != {operator}:
            raise ValueError(f"{operator}: {FILE}: '{entry['name']}' is of another operator")
        entries.append(
            Difference(
                name=entry["name"],
                runtime=entry["runtime"],
                versions=tuple(entry["versions"]),
                legal={"legal": True, "illegal": False}[entry.get("call", "legal")],
                when=compiled(entry, "when"),
                where=compiled(entry, "where") if "where" in entry else None,
                example=entry["example"],
                answers=entry["answers"],
            )
        )
    return releases, Known(entries)


def operator_of(key: str) -> str:
    """Name of the operator of a version, as Pad of Pad-1 and of com.microsoft.Pad-1."""
    return key.rpartition("-")[0].rpartition(".")[2]


def _entries() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The entries of all operators, each with the operator's name."""
    for path in sorted(OPERATORS.glob(f"*/{FILE}")):
        for entry in _read(path):
            yield path.parent.name, entry


def _read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
