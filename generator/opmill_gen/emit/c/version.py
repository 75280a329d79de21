"""Context of the template of an operator version in C: its tables and its calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.adapters import adapters, derived_outputs, statement
from opmill_gen.emit.c.family import family_header
from opmill_gen.emit.c.header import (
    c_type,
    has_optional_outputs,
    header_name,
    is_variadic,
    list_name,
    member,
    prefix_of,
    prototypes,
)
from opmill_gen.emit.c.support import c_types, type_gaps
from opmill_gen.rule_language import c_name
from opmill_gen.spec.operator_version import (
    OperatorVersion,
    Option,
    Parameter,
)

_TABLES = {
    "inputs": "input",
    "outputs": "output",
    "attributes": "attribute",
    "type_sources": "type_source",
    "gaps": "gap",
}
"""The tables of the record, and what one row of each is."""
_OPTIONS = {
    Option.SINGLE: "OPMILL_SINGLE",
    Option.OPTIONAL: "OPMILL_OPTIONAL",
    Option.VARIADIC: "OPMILL_VARIADIC",
}


def version_source(version: CheckedVersion) -> dict[str, Any]:
    """The context of ``c/version.c.j2``."""
    spec, instance = version.spec, version.instance
    prefix = prefix_of(version)
    tables = _tables(version)
    operator = operator_name(version)
    shapes = max(len(spec.outputs), len(derived_outputs(version)))
    return {
        "label": spec.label,
        "domain": c_comment(spec.domain),
        "family": instance.family.name,
        "kernel_header": family_header(instance, instance.c_kernel_module),
        "rules_header": family_header(instance, instance.rules_module),
        "header": header_name(version),
        "macro": f"{prefix.upper()}_ATTRIBUTES",
        "operator": operator,
        "tables": tables,
        "defaults_type": f"{prefix}_attributes" if spec.attributes else None,
        "adapters": list(adapters(version)),
        "input_memory": max(1, len(spec.inputs)),
        "prepared": _prepared(version),
        "runs_graphs": spec.runs_graphs,
        "takes_limits": version.instance.family.document.takes_limits,
        "creates_strings": version.creates_strings,
        "creates_tensors": version.creates_tensors,
        "shape_count": shapes,
        "shape_memory": max(1, 2 * shapes if instance.program.bounded else shapes),
        "fields": _fields(spec, {table["name"] for table in tables}),
        "functions": list(_functions(version, operator)),
    }


def _tables(version: CheckedVersion) -> list[dict[str, Any]]:
    """The constant arrays that describe a version: the type, the name and the rows of each."""
    spec = version.spec
    variables = {name: number for number, name in enumerate(spec.type_constraints)}
    bounded = version.instance.program.bounded
    types: dict[tuple[str, ...], str] = {}
    described = [
        (
            "opmill_parameter",
            "inputs",
            [_parameter(spec, p, variables, types) for p in spec.inputs],
        ),
        (
            "opmill_parameter",
            "outputs",
            [
                _parameter(spec, p, variables, types, rule_name(spec, p) in bounded)
                for p in spec.outputs
            ],
        ),
        ("opmill_attribute", "attributes", list(_attributes(version))),
        ("opmill_type_source", "type_sources", list(_type_sources(spec, variables))),
        ("opmill_gap", "gaps", list(_gaps(version))),
    ]
    tables = [
        {"type": "int32_t", "name": name, "rows": wrapped(", ".join(words) + ",", 0)}
        for words, name in types.items()
    ]
    tables += [
        {"type": type, "name": name, "rows": [f"{{{row}}}," for row in rows]}
        for type, name, rows in described
        if rows
    ]
    return tables


def _fields(spec: OperatorVersion, tables: Collection[str]) -> list[str]:
    """The fields of the record, in order, as macros write them, but for those that are zero."""
    identity = f"{c_string(spec.domain)}, {c_string(spec.operator)}, {spec.since_version}"
    fields = [f"OPMILL_VERSION({identity})"]
    fields += [f"OPMILL_TABLE({one}, {name})" for name, one in _TABLES.items() if name in tables]
    return [*fields, "OPMILL_DEFAULTS(defaults)"] if spec.attributes else fields


def kernel_header_of(version: CheckedVersion) -> str:
    """The header that declares the kernel of a version."""
    return family_header(version.instance, version.instance.c_kernel_module)


def _prepared(version: CheckedVersion) -> dict[str, str] | None:
    """The function that packs inputs, and a bit for the position of each input that it packs."""
    instance = version.instance
    packed = [k for k, n in enumerate(instance.inputs) if n in instance.family.document.prepares]
    if not packed:
        return None
    return {
        "function": f"opmill_{instance.kernel_name}_prepare",
        "inputs": " | ".join(f"UINT64_C(1) << {position}" for position in packed),
    }


def _functions(version: CheckedVersion, operator: str) -> Iterator[dict[str, Any]]:
    """The typed functions, which pass their arguments as lists to the function of any version."""
    spec = version.spec
    named = prototypes(spec, prefix_of(version))
    inputs = _list(spec, spec.inputs, "OPMILL_INPUTS")
    outputs = _list(spec, spec.outputs, "OPMILL_OUTPUTS")
    first = [f"&{operator}", *inputs, "attributes" if spec.attributes else "NULL"]
    if is_variadic(spec.outputs):
        shapes, each = outputs, ""
    else:
        shapes, each = _list(spec, spec.outputs, "OPMILL_SHAPES")[:1], "_each"
    count = "output_count" if has_optional_outputs(spec) else outputs[1]
    functions = {
        "infer": (f"opmill_infer{each}", shapes),
        "measure": (f"opmill_measure{each}", shapes),
        "workspace": ("opmill_workspace", [count, "bytes"]),
        "run": ("opmill_run", outputs),
    }
    if not version.instance.program.bounded:
        del functions["measure"]
    for name, (function, last) in functions.items():
        arguments = [*first, *last, "context"]
        yield {
            "prototype": named[f"{name}_prototype"],
            "lines": statement(f"return {function}", arguments),
        }


def _list(spec: OperatorVersion, parameters: tuple[Parameter, ...], macro: str) -> list[str]:
    """Parameters of a typed function as one list, which a macro makes, and its length."""
    if is_variadic(parameters):
        name = list_name(spec, parameters)
        return [name, f"{name}_count"]
    names = [c_name(rule_name(spec, parameter)) for parameter in parameters]
    return [f"{macro}({', '.join(names)})" if names else "NULL", str(len(names))]


def operator_name(version: CheckedVersion) -> str:
    """The name of the constant that describes a version."""
    prefix = prefix_of(version)
    return f"opmill_operator_{prefix.removeprefix('opmill_')}"


def _attributes(version: CheckedVersion) -> Iterator[str]:
    struct = f"{prefix_of(version)}_attributes"
    for attribute in version.spec.attributes:
        one = member(version.spec, attribute)
        offset = f"offsetof({struct}, {one['member']})"
        yield ", ".join([one["name"], one["kind"], one["required"], one["optional"], offset])


def _parameter(
    spec: OperatorVersion,
    parameter: Parameter,
    variables: dict[str, int],
    lists: dict[tuple[str, ...], str],
    bounded: bool = False,
) -> str:
    variable = variables.get(str(parameter.type), -1)
    types = tuple(str(c_type(type_)) for type_ in c_types(spec, parameter))
    name = lists.setdefault(types, f"types_{len(lists)}")
    return ", ".join(
        [
            c_string(parameter.name),
            _OPTIONS[parameter.option],
            str(parameter.min_arity),
            "1" if parameter.homogeneous else "0",
            str(variable),
            name,
            str(len(types)),
            "1" if bounded else "0",
        ]
    )


def _type_sources(spec: OperatorVersion, variables: dict[str, int]) -> Iterator[str]:
    attributes = {attribute.name: number for number, attribute in enumerate(spec.attributes)}
    for number, output in enumerate(spec.outputs):
        for source in spec.type_sources(output):
            fixed = (source.fixed and c_type(source.fixed)) or "OPMILL_UNDEFINED"
            attribute = attributes.get(source.attribute or "", -1)
            variable = variables.get(source.variable or "", -1)
            yield f"{number}, {attribute}, {variable}, {fixed}"


def _gaps(version: CheckedVersion) -> Iterator[str]:
    for word, reason in type_gaps(version).items():
        yield f"OPMILL_{word.upper()}, {c_string(reason)}"
