"""Holds a rule against the signature of a spec that uses it."""

from __future__ import annotations

from dataclasses import dataclass

from opmill_gen.base.diagnostics import Diagnostic, Location, suggestion
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind, Role

_ATTRIBUTE_KINDS = {
    "INT": Kind.INT,
    "FLOAT": Kind.FLOAT,
    "STRING": Kind.STR,
    "INTS": Kind.INTS,
    "FLOATS": Kind.FLOATS,
    "STRINGS": Kind.STRS,
    "TENSOR": Kind.TENSOR,
    "SPARSE_TENSOR": Kind.SPARSE,
}
AS_TENSORS = frozenset(("INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS"))
"""The kinds that a rule may take as a tensor: of rank 0, or of rank 1 where it is a list."""


def is_widened(parameter: ir.Parameter, kind: str) -> bool:
    """Return whether a rule takes an integer attribute as a float, the nearest one."""
    return parameter.kind is Kind.FLOAT and not parameter.optional and kind == "INT"


@dataclass(frozen=True)
class FormalInput:
    """An input as a spec states it; ``option`` is single, optional or variadic."""

    location: Location
    name: str
    option: str


@dataclass(frozen=True)
class FormalAttribute:
    """An attribute as a spec states it; ``certain`` where a call always has a value for it."""

    location: Location
    name: str
    kind: str
    certain: bool


@dataclass(frozen=True)
class Signature:
    """Signature of a call in a spec: inputs and outputs in order, attributes by name."""

    location: Location
    inputs: tuple[FormalInput, ...]
    attributes: tuple[FormalAttribute, ...]
    outputs: tuple[str, ...]
    variadic_outputs: frozenset[str]


def check_signature(program: ir.RuleProgram, signature: Signature) -> list[Diagnostic]:
    """Find the parts of a spec that do not fit the rule of its family.

    A rule may allow for the absence of what a version always has, since it serves others too.
    """
    faults: list[Diagnostic] = []
    inputs = [p for p in program.parameters if p.role is Role.INPUT]
    names = [formal.name for formal in signature.inputs]
    if [p.name for p in inputs] != names:
        wanted = ", ".join(p.name for p in inputs)
        got = ", ".join(names)
        faults.append(
            Diagnostic(
                signature.location,
                f"the rule in {program.path} takes the inputs ({wanted}), this version has ({got})",
            )
        )
    else:
        for parameter, formal in zip(inputs, signature.inputs, strict=True):
            faults += _check_input(program, parameter, formal)
    attributes = {p.name: p for p in program.parameters if p.role is Role.ATTRIBUTE}
    stated = {formal.name for formal in signature.attributes}
    for attribute in signature.attributes:
        if attribute.name not in attributes:
            faults.append(
                Diagnostic(
                    attribute.location,
                    f"the rule in {program.path} has no keyword '{attribute.name}'"
                    f"{suggestion(attribute.name, attributes)}",
                )
            )
        else:
            faults += _check_attribute(program, attributes[attribute.name], attribute)
    for name, parameter in attributes.items():
        if name not in stated and parameter.default is None:
            faults.append(
                Diagnostic(
                    signature.location,
                    f"the rule in {program.path} takes the attribute '{name}', which this version "
                    "lacks",
                )
            )
    if not _gives(program, signature):
        wanted = ", ".join(sorted(program.outputs))
        got = ", ".join(sorted(signature.outputs))
        faults.append(
            Diagnostic(
                signature.location,
                f"the rule in {program.path} gives the outputs ({wanted}), "
                f"this version has ({got})",
            )
        )
    for name in signature.outputs:
        if name not in signature.variadic_outputs and _times_given(program.body, name) > 1:
            faults.append(
                Diagnostic(
                    signature.location,
                    f"the rule in {program.path} may give the output '{name}' more than once, and "
                    "here it is not variadic; give it once on every path",
                )
            )
    return faults


def _gives(program: ir.RuleProgram, signature: Signature) -> bool:
    """True if a rule gives the outputs of a version, which may lack the last ones of several."""
    given = list(program.outputs)
    count = len(signature.outputs)
    lacks_some = 0 < count < len(given) and not signature.variadic_outputs
    return sorted(given[:count] if lacks_some else given) == sorted(signature.outputs)


def _times_given(body: tuple[ir.Statement, ...], name: str) -> int:
    """Maximum number of assignments to an output; a loop may give it any number of times."""
    times = 0
    for statement in body:
        if isinstance(statement, ir.Output):
            times += statement.name == name
        elif isinstance(statement, ir.If):
            sides = (statement.then, statement.otherwise)
            times += max(_times_given(side, name) for side in sides)
        elif isinstance(statement, ir.For):
            times += 2 * _times_given(statement.body, name)
    return times


def _check_input(
    program: ir.RuleProgram, parameter: ir.Parameter, formal: FormalInput
) -> list[Diagnostic]:
    stated = formal.option
    if parameter.kind is Kind.TENSORS:
        taken = "variadic"
    else:
        taken = "optional" if parameter.optional else "single"
    if stated == taken or (stated, taken) == ("single", "optional"):
        return []
    return [
        Diagnostic(
            formal.location,
            f"'{formal.name}' is {stated} here and {taken} in the rule in {program.path}",
        )
    ]


def _check_attribute(
    program: ir.RuleProgram, parameter: ir.Parameter, formal: FormalAttribute
) -> list[Diagnostic]:
    kind = _ATTRIBUTE_KINDS.get(formal.kind, Kind.OPAQUE)
    faults: list[Diagnostic] = []
    as_tensor = parameter.kind is Kind.TENSOR and formal.kind in AS_TENSORS
    fits = parameter.kind in (kind, Kind.OPAQUE) or is_widened(parameter, formal.kind)
    if not fits and not as_tensor:
        faults.append(
            Diagnostic(
                formal.location,
                f"'{formal.name}' is {formal.kind}; annotate it as {kind.value} in the rule in "
                f"{program.path}, not as {parameter.kind.value}",
            )
        )
    if not formal.certain and not parameter.optional:
        problem = f"'{formal.name}' may be absent; annotate it with '| None'"
        faults.append(Diagnostic(formal.location, f"{problem} in the rule in {program.path}"))
    return faults
