"""The operator versions of the package, each with its oracle, its tolerances and its cases."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from operator_versions import VERSIONS
from opmill_checks.case import Example, Reject
from opmill_checks.compare import Accuracy
from opmill_checks.corpus import read
from opmill_checks.interface import Operator, option
from opmill_checks.parameters import with_parameters
from opmill_checks.table import Version

Key = tuple[str, str, int]
"""Domain, operator and version."""

TESTS = Path(__file__).resolve().parents[1]
FOLDERS = (TESTS / "corpus", TESTS.parents[1] / "build" / "corpus")
"""Where the corpus is: in a package of one's own, and where 'make corpus' writes it."""


@dataclass(frozen=True)
class Table:
    """An operator: its versions by number, and the cases of all of them."""

    versions: Mapping[int, Version]
    examples: Sequence[Example]
    rejects: Sequence[Reject]


def corpus_folder() -> Path:
    """The folder of the corpus.

    Raises:
        FileNotFoundError: there is none.
    """
    for folder in FOLDERS:
        if (folder / "index.txt").is_file():
            return folder
    raise FileNotFoundError(
        f"the corpus of cases is missing, expected in {' or '.join(map(str, FOLDERS))}; "
        "'make corpus' writes it in a clone of opmill"
    )


def operator_of(key: Key) -> Any:
    """What computes a version."""
    return importlib.import_module(VERSIONS[key].module).OPERATOR


def accuracy_of(key: Key) -> Accuracy:
    """The tolerance of each element type; a type that is not in it is exact."""
    return VERSIONS[key].accuracy


def oracle_of(key: Key) -> Callable[..., Mapping[str, Any]] | None:
    """The slow computation of a version's family with what it takes of the version."""
    stated = VERSIONS[key]
    if stated.oracle is None:
        return None
    family, function = stated.oracle.split(".")
    schema = operator_of(key).schema
    known = {
        **stated.parameters,
        "defaults": _defaults(schema),
        "output_names": tuple(output.name for output in schema.outputs),
    }
    return with_parameters(getattr(importlib.import_module(f"oracles.{family}"), function), known)


@cache
def table_of(domain: str, operator: str, corpus: Path | None = None) -> Table:
    """Return an operator's versions and cases.

    Args:
        domain: the domain of the operator.
        operator: its name.
        corpus: the folder of the corpus; by default the first of ``FOLDERS`` that has one.
    """
    keys = [key for key in VERSIONS if key[:2] == (domain, operator)]
    schemas = {number: operator_of((domain, operator, number)).schema for _, _, number in keys}
    cases = read((corpus or corpus_folder()) / domain / f"{operator}.txt", schemas)
    versions = {key[2]: _version(key, cases.examples) for key in keys}
    return Table(versions, cases.examples, cases.rejects)


def _version(key: Key, examples: Sequence[Example]) -> Version:
    operator = operator_of(key)
    schema = operator.schema
    own = [one for one in examples if one.versions is None or key[2] in one.versions]
    witness = _witness(operator, own)
    types = {name: _elements(types) for name, types in schema.type_constraints.items()}
    held = {name: _sequence_elements(types) for name, types in schema.type_constraints.items()}
    first = [
        one for one in schema.inputs if _is_first(schema, one) and not _is_sequence(schema, one)
    ]
    later = [
        one
        for one in schema.inputs
        if one.type in schema.type_constraints and not _is_first(schema, one)
    ]
    return Version(
        operator,
        witness=witness.name if witness else "",
        oracle=oracle_of(key),
        accuracy=accuracy_of(key),
        types={**types, **{f"seq({name})": words for name, words in held.items() if words}},
        accepted={one.name: _types_of(schema, one) for one in first} if witness else {},
        mixed={
            one.name: _types_of(schema, one)
            for one in later
            if witness
            and len(schema.type_constraints[one.type]) > 1
            and _is_given(witness.inputs.get(one.name))
        },
        defaults=_defaults(schema),
    )


def _witness(operator: Operator, examples: Sequence[Example]) -> Example | None:
    """The example that the type tests vary: one that gives as many inputs as any, all tensors.

    Where every call has a sequence, it is one of those.
    """
    schema = operator.schema
    always = any(
        option(one) == "single" and _is_sequence(schema, one)
        for one in (*schema.inputs, *schema.outputs)
    )
    fit = [
        one for one in reversed(examples) if one.type is None and (always or not one.holds_others)
    ]
    return max(
        fit,
        key=lambda one: (one.each_type is not None, sum(map(_is_given, one.inputs.values()))),
        default=None,
    )


def _is_given(value: Any) -> bool:
    return value is not None and value != []


def _is_sequence(schema: Any, parameter: Any) -> bool:
    types = schema.type_constraints.get(parameter.type, (parameter.type,))
    return all(type.startswith("seq(") for type in types)


def _is_first(schema: Any, parameter: Any) -> bool:
    """Return whether this is the input that binds its type variable, or has a fixed type."""
    if parameter.type not in schema.type_constraints:
        return True
    return next(one for one in schema.inputs if one.type == parameter.type) is parameter


def _types_of(schema: Any, parameter: Any) -> str | tuple[str, ...]:
    """The element types of an input: its type variable, or those that its fixed type has."""
    if parameter.type in schema.type_constraints:
        return str(parameter.type)
    return _elements((parameter.type,))


def _elements(types: Sequence[str]) -> tuple[str, ...]:
    """The element types of tensors; of optionals where there are no others."""
    tensors = [type for type in types if type.startswith("tensor(")]
    optionals = [type for type in types if type.startswith("optional(tensor(")]
    return tuple(re.sub(r".*tensor\((\w+)\)+", r"\1", type) for type in tensors or optionals)


def _sequence_elements(types: Sequence[str]) -> tuple[str, ...]:
    """The element types of the sequences among these types."""
    return _elements([type[4:-1] for type in types if type.startswith("seq(")])


def _defaults(schema: Any) -> dict[str, Any]:
    return {one.name: one.default for one in schema.attributes if one.default is not None}
