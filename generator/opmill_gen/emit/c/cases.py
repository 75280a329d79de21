"""What the templates of the C library's test tables need to know.

A table is data for the hand-written runner of ``templates/c/tests``; values are the spec's own.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.c.case_values import WIDTH, Unsayable, attributes_literal, tensor_literal
from opmill_gen.emit.c.header import header_name, prefix_of
from opmill_gen.emit.c.support import NO_MEMORY, type_gaps
from opmill_gen.spec.cases import Argument, ErrorClass, Example, Reject
from opmill_gen.spec.operator_version import (
    OperatorVersion,
    Option,
    Parameter,
)

_CODES = {
    ErrorClass.OP: "OPMILL_ERROR_CALL",
    ErrorClass.TYPE: "OPMILL_ERROR_TYPE",
    ErrorClass.SHAPE: "OPMILL_ERROR_SHAPE",
    ErrorClass.ATTRIBUTE: "OPMILL_ERROR_ATTRIBUTE",
}


def operator_cases(
    versions: Sequence[CheckedVersion], references: Collection[str]
) -> dict[str, Any]:
    """The context of ``c/tests/cases_operator.c.j2``.

    A case that is the same in several versions is written once, and so are tensors of several
    cases; the table of a version lists its cases.

    Args:
        versions: the versions of one operator, ascending.
        references: the families whose slow reference in C is among the copied files.
    """
    examples, rejects = _Rows("example"), _Rows("reject")
    left_out: dict[str, list[str]] = {}
    tables = [_table(version, references, examples, rejects, left_out) for version in versions]
    shared = _shared_tensors([*examples.rows.values(), *rejects.rows.values()])
    families = [version.instance.family for version in versions]
    return {
        "operator": versions[0].spec.operator,
        "header": header_name(versions[0]),
        "tensors": shared,
        "examples": examples.rows,
        "rejects": rejects.rows,
        "left_out": [f"{', '.join(labels)}: {what}" for what, labels in left_out.items()],
        "own_references": sorted(
            {f"reference_{family.name}" for family in families if family.c_reference is not None}
        ),
        "tables": tables,
    }


class _Rows:
    """Distinct cases by their names in C, in the order in which they come."""

    def __init__(self, word: str) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self._word, self._names = word, dict[str, str]()

    def named(self, row: dict[str, Any]) -> str:
        """The name of a case; that of an equal one, where there is one."""
        key = repr(row)
        if key not in self._names:
            self._names[key] = f"{self._word}_{len(self._names)}"
            self.rows[self._names[key]] = row
        return self._names[key]


def _shared_tensors(rows: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    """Lists of tensors that several cases have; ``inputs_name`` and ``outputs_name`` say which."""
    lists = [(row, key) for row in rows for key in ("inputs", "outputs") if key in row]
    uses = Counter(tuple(row[key]) for row, key in lists)
    names: dict[tuple[str, ...], str] = {}
    for row, key in lists:
        tensors = tuple(row[key])
        is_shared = tensors and uses[tensors] > 1
        row[f"{key}_name"] = (
            names.setdefault(tensors, f"tensors_{len(names)}") if is_shared else None
        )
    return {name: list(tensors) for tensors, name in names.items()}


def _table(
    version: CheckedVersion,
    references: Collection[str],
    all_examples: _Rows,
    all_rejects: _Rows,
    left_out: dict[str, list[str]],
) -> dict[str, Any]:
    """The table of a version; its cases, and what is left out, join those of other versions."""
    spec = version.spec
    prefix = prefix_of(version)
    gaps = type_gaps(version)
    examples, rejects = [], []
    for example in spec.examples:
        try:
            _check_tensors(spec, example)
            _check_gaps(gaps, example)
            examples.append(all_examples.named(_example(spec, prefix, example)))
        except Unsayable as reason:
            _leave_out(left_out, spec, example, reason)
    for reject in spec.rejects:
        try:
            _check_tensors(spec, reject)
            rejects.append(all_rejects.named(_reject(spec, prefix, reject)))
        except Unsayable as reason:
            _leave_out(left_out, spec, reject, reason)
    family = version.instance.family
    has_reference = family.name in references or family.c_reference is not None
    return {
        "table": table_name(version),
        "domain": c_string(spec.domain),
        "name": c_string(spec.operator),
        "since_version": spec.since_version,
        "examples": _addresses(examples),
        "example_count": len(examples),
        "rejects": _addresses(rejects),
        "reject_count": len(rejects),
        "reference": f"reference_{family.name}" if has_reference else "NULL",
        "parameters": [
            (
                c_string(name),
                c_string(str(value).lower() if isinstance(value, bool) else str(value)),
            )
            for name, value in version.instance.parameters
        ],
        "accuracy": [
            (f"OPMILL_{element.name}", tolerance.rtol, tolerance.atol)
            for element, tolerance in spec.accuracy.tolerances.items()
        ],
    }


def _addresses(names: list[str]) -> list[str]:
    """The addresses of cases, on lines of an indent of 8."""
    lines = textwrap.wrap(", ".join(f"&{name}" for name in names), WIDTH - 12)
    return [line.rstrip(",") for line in lines]


def _leave_out(
    left_out: dict[str, list[str]], spec: OperatorVersion, case: Example | Reject, reason: Exception
) -> None:
    left_out.setdefault(c_comment(f"{case.name}: {reason}"), []).append(spec.label)


def _check_tensors(spec: OperatorVersion, case: Example | Reject) -> None:
    """Refuse a case with anything that is no tensor."""
    if spec.holds_others(case):
        raise Unsayable(NO_MEMORY)


def _check_gaps(gaps: Mapping[str, str], example: Example) -> None:
    """Refuse an example with a type that the C kernel does not compute with."""
    for argument in (*example.inputs.values(), *example.outputs.values()):
        for tensor in argument.tensors or ():
            if tensor.type.value in gaps:
                raise Unsayable(f"{tensor.type.value}, which C lacks")


def table_name(version: CheckedVersion) -> str:
    """The name of a version's table, as ``cases_tile_13``."""
    return "cases_" + prefix_of(version).removeprefix("opmill_")


def _example(spec: OperatorVersion, prefix: str, example: Example) -> dict[str, Any]:
    return {
        "name": c_string(example.name),
        "inputs": _tensors(spec.inputs, example.inputs),
        "outputs": _tensors(spec.outputs, example.outputs),
        "attributes": attributes_literal(spec, prefix, example.attributes),
        "each_type": (
            -1
            if example.each_type is None
            else list(spec.type_constraints).index(example.each_type)
        ),
    }


def _reject(spec: OperatorVersion, prefix: str, reject: Reject) -> dict[str, Any]:
    if reject.inputs.named is not None:
        inputs = _tensors(spec.inputs, reject.inputs.named)
    else:
        inputs = [
            tensor_literal(a.tensors[0] if a.tensors else None) for a in reject.inputs.positional
        ]
    return {
        "name": c_string(reject.name),
        "inputs": inputs,
        "attributes": attributes_literal(spec, prefix, reject.attributes),
        "asked": _least(spec) if reject.outputs is None else reject.outputs,
        "code": _CODES[reject.raises],
        "by_kernel": reject.by_kernel,
        "message": c_string(reject.error),
    }


def _least(spec: OperatorVersion) -> int:
    """How many outputs a call gets that does not say how many: one where all are optional."""
    needed = (k for k, output in enumerate(spec.outputs, 1) if output.option is Option.SINGLE)
    first_is_optional = bool(spec.outputs) and spec.outputs[0].option is Option.OPTIONAL
    return max(needed, default=1 if first_is_optional else 0)


def _tensors(parameters: tuple[Parameter, ...], given: Mapping[str, Argument]) -> list[str]:
    """One tensor for each parameter up to the last that is given, all those of a variadic one."""
    last = max((k for k, p in enumerate(parameters) if p.name in given), default=-1)
    tensors = []
    for parameter in parameters[: last + 1]:
        argument = given.get(parameter.name)
        values = () if argument is None or argument.tensors is None else argument.tensors
        if parameter.option is Option.VARIADIC:
            tensors += [tensor_literal(value) for value in values]
        else:
            tensors.append(tensor_literal(values[0] if values else None))
    return tensors
