"""Documentation of operator versions: a file beside each module, read on demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from opmill._runtime.public import public
from opmill._runtime.versions import MODULES

if TYPE_CHECKING:
    from opmill._runtime.schema import Schema

_FILE = "documentation.json"


@public
@dataclass(frozen=True, slots=True)
class Erratum:
    """A contradiction or a gap in ONNX's text, or between the text and the runtimes.

    Args:
        name: its name in the spec; empty where no example rests on it.
        kind: ``silent`` where the text leaves the answer open, ``contradictory`` where it can be
            read in several ways, ``overruled`` where this package does not follow it, ``clear``
            where it decides, and only others differ.
        text: the contradiction or gap.
        decision: what this package does.
        evidence: what ONNX's text, its tests, its reference and the runtimes do.
    """

    name: str
    kind: str
    text: str
    decision: str
    evidence: str


@public
@dataclass(frozen=True, slots=True)
class Documentation:
    """The texts that describe an operator version, as its page in the manual has them.

    Args:
        summary: what it computes.
        inputs: the description of each input, by its name.
        outputs: the description of each output, by its name.
        attributes: the description of each attribute, by its name.
        type_constraints: the description of each type variable, by its name.
        changes: what differs from the version before.
        errata: where ONNX's text is contradictory, and what this package does.
    """

    summary: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    attributes: Mapping[str, str]
    type_constraints: Mapping[str, str]
    changes: tuple[str, ...]
    errata: tuple[Erratum, ...]


def documentation_of(schema: Schema) -> Documentation:
    """Read what describes a version.

    Raises:
        LookupError: the package has no such version.
    """
    key = schema.domain, schema.name, schema.since_version
    if key not in MODULES:
        raise LookupError(f"{schema.label} of {schema.domain} has no documentation")
    return _read(*key, schema)


@cache
def _read(domain: str, name: str, number: int, schema: Schema) -> Documentation:
    data = _data(MODULES[domain, name, number].rpartition(".")[0])

    def text(key: str) -> str:
        """The text of the newest version that is not newer than this one."""
        begins = max(int(since) for since in data["texts"][key] if int(since) <= number)
        said: str = data["texts"][key][str(begins)]
        return said

    def section(title: str, names: Iterable[str]) -> dict[str, str]:
        return {name: text(f"{title}.{name}") for name in names}

    return Documentation(
        summary=text("summary"),
        inputs=section("inputs", (one.name for one in schema.inputs)),
        outputs=section("outputs", (one.name for one in schema.outputs)),
        attributes=section("attributes", (one.name for one in schema.attributes)),
        type_constraints=section("type_constraints", schema.type_constraints),
        changes=tuple(data["changes"].get(str(number), ())),
        errata=tuple(
            Erratum(**data["errata"][index]) for index in data["errata_of"].get(str(number), ())
        ),
    )


@cache
def _data(package: str) -> Any:
    import json
    from importlib.resources import files

    return json.loads((files(package) / _FILE).read_text(encoding="utf-8"))
