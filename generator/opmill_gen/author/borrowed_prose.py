"""Prose of another operator in a spec that ``import`` begins: of the parts with the same names.

The summary and the family stay gaps: they are what tells the operators apart.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

from opmill_gen.author.spec_writer import FAMILY, SUMMARY, gap, yaml_scalar
from opmill_gen.spec.operator_version import OperatorVersion

_SECTION = re.compile(r"(\w+):")
_PART = re.compile(r"  - name: (.+)|  (\w+):\Z")
_DESCRIPTION = "    description: TODO "
_WIDTH = 110
_INDENT = " " * 6


def with_prose_of(text: str, other: OperatorVersion) -> str:
    """The text of an imported spec with the descriptions and the accuracy of another operator."""
    return "\n".join(_lines(text, other)) + "\n"


def _lines(text: str, other: OperatorVersion) -> Iterator[str]:
    descriptions = _descriptions(other)
    section = name = ""
    for line in text.splitlines():
        if (top := _SECTION.match(line)) is not None:
            section = top[1]
        if (part := _PART.match(line)) is not None:
            name = (part[1] or part[2]).strip('"')
        description = descriptions.get((section, name), "").strip()
        if line.startswith("summary: TODO "):
            yield f"summary: {gap(f'{SUMMARY}; see {other.label}')}"
        elif line.startswith("family: TODO "):
            yield f"family: {gap(f'{FAMILY}; {other.label} has {other.family.name}')}"
        elif line.startswith("accuracy: TODO "):
            yield f"accuracy: {_accuracy(other)}"
        elif line.startswith(_DESCRIPTION) and description:
            yield from _described(description)
        else:
            yield line


def _descriptions(other: OperatorVersion) -> Mapping[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for section, parameters in (("inputs", other.inputs), ("outputs", other.outputs)):
        found |= {(section, part.name): part.description for part in parameters}
    found |= {("attributes", part.name): part.description for part in other.attributes}
    constraints = other.type_constraints.items()
    return found | {("type_constraints", name): c.description for name, c in constraints}


def _accuracy(other: OperatorVersion) -> str:
    stated = [
        f"{element.value}: {{rtol: {tolerance.rtol}, atol: {tolerance.atol}}}"
        for element, tolerance in other.accuracy.tolerances.items()
    ]
    return f"{{{', '.join(stated)}}}" if stated else "exact"


def _described(text: str) -> Iterator[str]:
    if "\n" in text:
        yield "    description: |"
        yield from (f"{_INDENT}{line}".rstrip() for line in text.splitlines())
    elif len(text) + len("    description: ") <= _WIDTH:
        yield f"    description: {yaml_scalar(text)}"
    else:
        yield "    description: >-"
        yield from textwrap.wrap(
            text,
            _WIDTH,
            initial_indent="      ",
            subsequent_indent="      ",
            break_long_words=False,
        )
