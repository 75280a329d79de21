"""What the templates of the C library's test tables need to know.

A table is data for the hand-written runner of ``templates/c/tests``; values are the spec's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.c.case_values import (
    WIDTH,
    Unsayable,
    attributes_literal,
    default_members,
    macro,
    tensor_literal,
)
from opmill_gen.emit.c.header import attribute_structs, header_name, prefix_of
from opmill_gen.emit.c.support import NO_MEMORY, type_gaps
from opmill_gen.emit.case_runs import cases_by_versions
from opmill_gen.spec.cases import Argument, ErrorClass, Example, Reject
from opmill_gen.spec.operator_version import (
    OperatorVersion,
    Option,
    Parameter,
)

_CODES = {
    ErrorClass.OP: "CALL",
    ErrorClass.TYPE: "TYPE",
    ErrorClass.SHAPE: "SHAPE",
    ErrorClass.ATTRIBUTE: "ATTRIBUTE",
}

_DEFINITION, _MENTION = 56, 14
"""The characters that a definition of a shared list needs, and each mention beside its tensors."""


def operator_cases(
    versions: Sequence[CheckedVersion], references: Collection[str]
) -> dict[str, Any]:
    """The context of ``c/tests/cases_operator.c.j2``.

    A case that is the same in several versions is written once, and so are tensors of several
    cases; each case has the first and the last version that it applies to.

    Args:
        versions: the versions of one operator, ascending.
        references: the families whose slow reference in C is among the copied files.
    """
    structs = _structs(versions)
    left_out: dict[str, list[str]] = {}
    examples = [_examples(v, structs[v.spec.label], left_out) for v in versions]
    rejects = [_rejects(v, structs[v.spec.label], left_out) for v in versions]
    numbers = [version.spec.since_version for version in versions]
    distinct = [cases_by_versions(cases, numbers) for cases in (examples, rejects)]
    names = _shared_tensors([*distinct[0], *distinct[1]])
    families = [version.instance.family for version in versions]
    given = [case["attributes"] or "" for cases in distinct for case in cases]
    return {
        "operator": versions[0].spec.operator,
        "header": header_name(versions[0]),
        "defaults": [
            (struct.prefix.removeprefix("opmill_"), _macro_body(struct.defaults))
            for struct in {struct.prefix: struct for struct in structs.values()}.values()
            if any(f"ATTRIBUTES({struct.prefix.removeprefix('opmill_')}," in text for text in given)
        ],
        "tensors": [(name, list(tensors)) for tensors, name in names.items()],
        "examples": [_written(case, names) for case in distinct[0]],
        "rejects": [_written(case, names) for case in distinct[1]],
        "left_out": [f"{', '.join(labels)}: {what}" for what, labels in left_out.items()],
        "own_references": sorted(
            {f"reference_{family.name}" for family in families if family.c_reference is not None}
        ),
        "tables": [
            _table(version, references, len(own), len(refused))
            for version, own, refused in zip(versions, examples, rejects, strict=True)
        ],
    }


@dataclass(frozen=True)
class _Struct:
    """The struct of a version's attributes: how its name begins, and its members by default."""

    prefix: str
    defaults: Mapping[str, str]


def _structs(versions: Sequence[CheckedVersion]) -> dict[str, _Struct]:
    """The struct of each version, by its label; several versions may have one."""
    owners = attribute_structs(versions)
    defaults = {prefix_of(version): default_members(version.spec) for version in versions}
    return {label: _Struct(prefix, defaults[prefix]) for label, prefix in owners.items()}


def _macro_body(members: Mapping[str, str]) -> list[str]:
    """The initializers of members, each followed by a comma, on lines of a macro."""
    parts = [f"{name} = {value}" for name, value in members.items()]
    return f"{_filled(parts)},".split("\n") if parts else []


def _shared_tensors(cases: Iterable[dict[str, Any]]) -> dict[tuple[str, ...], str]:
    """The lists of tensors that are written once for several cases, and the name of each.

    A short list is in each of its cases: that is no longer than a definition, and easier to read.
    """
    lists = [tuple(case[key]) for case in cases for key in ("inputs", "outputs") if key in case]
    uses = Counter(lists)
    shared = [
        tensors
        for tensors, count in uses.items()
        if count > 1 and (count - 1) * len(", ".join(tensors)) > _DEFINITION + count * _MENTION
    ]
    return {tensors: f"tensors_{k}" for k, tensors in enumerate(shared)}


def _written(case: dict[str, Any], names: Mapping[tuple[str, ...], str]) -> str:
    """A case as an initializer, below an indent of 4."""
    parts = [case["name"]]
    parts += [f".{key} = {case[key]}" for key in ("since", "until") if case[key] is not None]
    for key in ("inputs", "attributes", "outputs"):
        given = case.get(key)
        if key == "attributes" and given:
            parts.append(given)
        elif given and tuple(given) in names:
            parts.append(f"{key.upper()}_OF({names[tuple(given)]})")
        elif given:
            parts.append(macro(key.upper(), given))
    return _filled([*parts, *case["last"]], "    ")


def _filled(parts: Sequence[str], indent: str = "") -> str:
    """The parts of an initializer on as few lines as hold them; a long part begins a line."""
    lines = [parts[0]]
    for part in parts[1:]:
        first, *more = part.split("\n")
        if more or len(lines[-1]) + len(first) + 8 > WIDTH:
            lines[-1] += ","
            lines += [indent + line for line in (first, *more)]
        else:
            lines[-1] += f", {first}"
    return "\n".join(lines)


def _examples(
    version: CheckedVersion, struct: _Struct, left_out: dict[str, list[str]]
) -> list[dict[str, Any]]:
    """The examples of a version that C can state; the others join what is left out."""
    spec, gaps = version.spec, type_gaps(version)
    examples = []
    for example in spec.examples:
        try:
            _check_tensors(spec, example)
            _check_gaps(gaps, example)
            examples.append(_example(spec, struct, example))
        except Unsayable as reason:
            _leave_out(left_out, spec, example, reason)
    return examples


def _rejects(
    version: CheckedVersion, struct: _Struct, left_out: dict[str, list[str]]
) -> list[dict[str, Any]]:
    """The same of the calls that a version refuses."""
    rejects = []
    for reject in version.spec.rejects:
        try:
            _check_tensors(version.spec, reject)
            rejects.append(_reject(version.spec, struct, reject))
        except Unsayable as reason:
            _leave_out(left_out, version.spec, reject, reason)
    return rejects


def _table(
    version: CheckedVersion, references: Collection[str], examples: int, rejects: int
) -> dict[str, Any]:
    """The table of a version, which has so many of the examples and rejects."""
    spec, family = version.spec, version.instance.family
    has_reference = family.name in references or family.c_reference is not None
    parts = [c_string(spec.domain), c_string(spec.operator), str(spec.since_version)]
    parts += [f"EXAMPLES({examples})"] if examples else []
    parts += [f"REJECTS({rejects})"] if rejects else []
    accuracies = [
        f"{{OPMILL_{element.name}, {tolerance.rtol}, {tolerance.atol}}}"
        for element, tolerance in spec.accuracy.tolerances.items()
    ]
    parts += [macro("ACCURACIES", accuracies)] if accuracies else []
    parts += [f".reference = reference_{family.name}"] if has_reference else []
    parameters = [
        f"{{{c_string(name)}, {c_string(_parameter(value))}}}"
        for name, value in version.instance.parameters
    ]
    parts += [macro("PARAMETERS", parameters)] if parameters else []
    return {"table": table_name(version), "value": _filled(parts)}


def _parameter(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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


def _example(spec: OperatorVersion, struct: _Struct, example: Example) -> dict[str, Any]:
    return {
        "name": c_string(example.name),
        "inputs": _tensors(spec.inputs, example.inputs),
        "outputs": _tensors(spec.outputs, example.outputs),
        "attributes": attributes_literal(spec, struct.prefix, struct.defaults, example.attributes),
        "last": (
            []
            if example.each_type is None
            else [f".each_type = {1 + list(spec.type_constraints).index(example.each_type)}"]
        ),
    }


def _reject(spec: OperatorVersion, struct: _Struct, reject: Reject) -> dict[str, Any]:
    if reject.inputs.named is not None:
        inputs = _tensors(spec.inputs, reject.inputs.named)
    else:
        inputs = [
            tensor_literal(a.tensors[0] if a.tensors else None) for a in reject.inputs.positional
        ]
    asked = _least(spec) if reject.outputs is None else reject.outputs
    code = _CODES[reject.raises]
    refused = f"REFUSED({code}" if asked == 1 else f"REFUSED_WITH({asked}, {code}"
    return {
        "name": c_string(reject.name),
        "inputs": inputs,
        "attributes": attributes_literal(spec, struct.prefix, struct.defaults, reject.attributes),
        "last": [
            *([".by_kernel = true"] if reject.by_kernel else []),
            f"{refused}, {c_string(reject.error)})",
        ],
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
