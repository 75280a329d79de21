"""The text of a spec that begins from nothing: a gap for all that only its author can say.

Below a gap that asks for a list is its form, as comments to uncomment.
"""

from __future__ import annotations

from collections.abc import Iterator

from opmill_gen.author.spec_writer import (
    ACCURACY,
    ATTRIBUTE,
    EXAMPLES,
    INPUT,
    OUTPUT,
    REJECTS,
    SUMMARY,
    TYPES,
    changes_gap,
    gap,
)

FAMILY = "the family that computes it, an existing one or one of your own"

_FACTS = """\
support_level: common
function: false
shape_inference: true
deprecated: false
determinism: deterministic
"""
"""The facts of most operators."""

_INPUTS = f"""\
  - name: X
    type: T
    description: {INPUT}
"""
_OUTPUTS = f"""\
  - name: Y
    type: T
    description: {OUTPUT}
"""
_ATTRIBUTES = f"""\
  - name: scale
    kind: INT
    default: 1
    description: {ATTRIBUTE}
"""
_TYPE_CONSTRAINTS = f"""\
  T:
    types: [tensor(double), tensor(float)]
    description: {TYPES}
"""
_EXAMPLES = """\
  - name: doubled
    inputs: {X: {type: float, value: [1, 2]}}
    attributes: {scale: 2}
    outputs: {Y: {type: float, value: [2, 4]}}
"""
_REJECTS = """\
  - name: scale of 0
    inputs: {X: {type: float, value: [1, 2]}}
    attributes: {scale: 0}
    raises: AttributeValueError
    error: "scale is 0, expected at least 1"
"""

_LISTS = {
    "inputs": ("the inputs, in their order, or []", _INPUTS),
    "outputs": ("the outputs, in their order", _OUTPUTS),
    "attributes": ("the attributes, in alphabetical order, or []", _ATTRIBUTES),
    "type_constraints": ("the type variables, or {} where all types are fixed", _TYPE_CONSTRAINTS),
}
_CASES = {"examples": (EXAMPLES, _EXAMPLES), "rejects": (f"{REJECTS}, or []", _REJECTS)}


def skeleton_text(domain: str, operator: str, version: int, previous: int | None) -> str:
    """The text of a spec file.

    Args:
        domain: the operator's domain.
        operator: its name.
        version: its version.
        previous: the version before it, ``None`` where it is the first.
    """
    return "\n".join(_lines(domain, operator, version, previous)) + "\n"


def blank_cases() -> str:
    """The text of a file of cases."""
    return "\n".join(_sections(_CASES)).removeprefix("\n") + "\n"


def _lines(domain: str, operator: str, version: int, previous: int | None) -> Iterator[str]:
    yield from (f"operator: {operator}", f"domain: {domain}", f"since_version: {version}")
    yield from _FACTS.splitlines()
    yield f"summary: {gap(SUMMARY)}"
    yield from _sections(_LISTS)
    yield from ("", f"family: {gap(FAMILY)}", "", f"accuracy: {gap(ACCURACY)}")
    if previous is not None:
        yield from ("", f"changes: {changes_gap(f'{operator}-{previous}')}")


def _sections(sections: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Gaps, and below each the form of what is to be written there."""
    for key, (what, form) in sections.items():
        yield ""
        yield f"{key}: {gap(what)}; as below"
        yield from (f"#{line}" for line in form.splitlines())
