"""What the template of an operator version in C needs to know: its tables and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.base.onnx_types import TensorType
from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.family import family_header
from opmill_gen.emit.c.header import (
    OPTIONAL_MEMBERS,
    c_call,
    element_words,
    has_optional_outputs,
    header_name,
    is_optional,
    is_variadic,
    list_name,
    member,
    prefix_of,
    prototypes,
)
from opmill_gen.emit.c.support import type_gaps
from opmill_gen.rule_language import c_name, ir
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter

_LACKING = {
    ir.Kind.INT: "(opmill_int)OPMILL_INT_ABSENT",
    ir.Kind.FLOAT: "(opmill_float)OPMILL_FLOAT_ABSENT",
    ir.Kind.STR: "NULL",
    ir.Kind.INTS: "(opmill_ints)OPMILL_INTS_ABSENT",
}
"""What a rule receives for an attribute that is absent, since the version lacks it."""
_OPTIONS = {
    Option.SINGLE: "OPMILL_SINGLE",
    Option.OPTIONAL: "OPMILL_OPTIONAL",
    Option.VARIADIC: "OPMILL_VARIADIC",
}


def version_source(version: CheckedVersion) -> dict[str, Any]:
    """The context of ``c/version.c.j2``."""
    spec, instance = version.spec, version.instance
    program = instance.program
    prefix = prefix_of(version)
    variables = {name: number for number, name in enumerate(spec.type_constraints)}
    lists: dict[tuple[str, ...], str] = {}
    inputs = [_parameter(spec, p, variables, lists) for p in spec.inputs]
    outputs = [
        _parameter(spec, p, variables, lists, rule_name(spec, p) in program.bounded)
        for p in spec.outputs
    ]
    listed_inputs = len(inputs) - is_variadic(spec.inputs)
    listed_outputs = len(outputs) - is_variadic(spec.outputs)
    tensors = _kernel_tensors(version, listed_inputs)
    ruled = [f"inputs[{k}]" for k in range(listed_inputs)]
    if is_variadic(spec.inputs):
        ruled += ["values", "value_count"]
    rest = _rest("outputs", "output_count", listed_outputs) if is_variadic(spec.outputs) else []
    derived = [rule_name(spec, output) for output in spec.outputs]
    lacking = [name for name in program.outputs if name not in derived]
    described = [
        *tensors,
        *(_if_asked(spec, k, f"&shapes[{k}]") for k in range(listed_outputs)),
        *rest[1:],
        *("NULL" for _ in lacking),
    ]
    inferred = [*described, "&plan", "context"]
    arguments = [c_string(spec.label), *ruled]
    for parameter in program.parameters:
        if parameter.role is ir.Role.ATTRIBUTE:
            arguments.append(_attribute_argument(spec, parameter))
        elif parameter.role is ir.Role.OUTPUT_COUNT:
            arguments.append("output_count")
    derived += lacking
    for name in program.outputs:
        position = derived.index(name)
        variadic = rest and position == listed_outputs
        arguments.append("rest" if variadic else f"&shapes[{position}]")
    return {
        "label": spec.label,
        "label_text": c_string(spec.label),
        "domain": c_comment(spec.domain),
        "domain_text": c_string(spec.domain),
        "name_text": c_string(spec.operator),
        "since_version": spec.since_version,
        "family": instance.family.name,
        "rules": instance.rules_name,
        "rules_header": family_header(instance, instance.rules_module),
        "computation": instance.kernel_name,
        "kernel_header": family_header(instance, instance.kernel_module),
        "header": header_name(version),
        "prefix": prefix,
        "macro": f"{prefix.upper()}_ATTRIBUTES",
        "kernel": kernel_name(version),
        "type_lists": [(name, wrapped(", ".join(types) + ",")) for types, name in lists.items()],
        "inputs": inputs,
        "outputs": outputs,
        "attributes": [member(spec, attribute) for attribute in spec.attributes],
        "type_sources": list(_type_sources(spec, variables)),
        "gaps": list(_gaps(version)),
        "needs_workspace": instance.family.document.workspace,
        "rule_arguments": "\n".join(
            wrapped("        " + ", ".join([*arguments, "plan", "context"]))
        ).strip(),
        "workspace_arguments": ", ".join(inferred),
        "measures": bool(program.bounded),
        "refine_arguments": ", ".join([*described, "plan", "context"]),
        "chooses_kernel": instance.family.document.chooses_kernel,
        "choice_arguments": ", ".join([*inferred, "choice"]),
        "compute_arguments": ", ".join(
            [
                *tensors,
                *(_if_asked(spec, k, f"outputs[{k}]") for k in range(listed_outputs)),
                *rest,
                *("NULL" for _ in lacking),
                "&plan",
                "context",
            ]
        ),
        "optional_outputs": has_optional_outputs(spec),
        "shape_count": len(derived),
        "shape_room": "SHAPES" if lacking else "OUTPUTS",
        "own_shapes": has_optional_outputs(spec) or bool(lacking),
        "rest_argument": "&rest, " if is_variadic(spec.outputs) else "",
        "listed_outputs": listed_outputs,
        **_derivation(version),
        **_lists(spec),
        "attributes_argument": "attributes" if spec.attributes else "NULL",
        **prototypes(spec, prefix),
    }


def _kernel_tensors(version: CheckedVersion, listed: int) -> list[str]:
    """The inputs that the kernel receives, of a variadic one its values and their number."""
    given = [[f"all[{k}]"] for k in range(listed)]
    if is_variadic(version.spec.inputs):
        given.append(_rest("inputs", "input_count", listed))
    by_name = dict(zip(version.instance.inputs, given, strict=True))
    kinds = version.instance.family.input_kinds
    return [
        tensor
        for name in version.instance.kernel_inputs
        for tensor in by_name.get(name) or (["NULL", "0"] if kinds[name] == "Tensors" else ["NULL"])
    ]


def _rest(values: str, count: str, listed: int) -> list[str]:
    """The values of a variadic parameter and their number, in the list of all."""
    if listed == 0:
        return [values, count]
    more = f"{count} > {listed}"
    return [f"{more} ? {values} + {listed} : NULL", f"{more} ? {count} - {listed} : 0"]


def _derivation(version: CheckedVersion) -> dict[str, str]:
    """The function over the rule, which takes no more than there is."""
    spec, program = version.spec, version.instance.program
    parts = ["const opmill_tensor *const *inputs", "const void *attributes"]
    arguments = ["all", "given"]
    if is_variadic(spec.inputs):
        parts[1:1] = ["const opmill_tensor *const *values", "int32_t value_count"]
        arguments[1:1] = _rest("inputs", "input_count", len(spec.inputs) - 1)
        if len(spec.inputs) == 1:
            del parts[0], arguments[0]
    if program.counts_outputs:
        parts.append("int32_t output_count")
        arguments.append("output_count")
    if len(program.outputs) > is_variadic(spec.outputs):
        parts.append("opmill_shape *shapes")
        arguments.append("shapes")
    if is_variadic(spec.outputs):
        parts.append("opmill_shapes *rest")
        arguments.append("rest")
    parts += [f"opmill_{version.instance.family.name}_plan *plan", "opmill_context *context"]
    arguments += ["plan", "context"]
    return {
        "derive_prototype": c_call("static int derive", parts),
        "derive_arguments": ", ".join(arguments),
    }


def _lists(spec: OperatorVersion) -> dict[str, Any]:
    """How a typed function hands on its tensors: as a list that it makes, or was given."""
    variadic_input, variadic_output = is_variadic(spec.inputs), is_variadic(spec.outputs)
    names = ", ".join(c_name(rule_name(spec, p)) for p in spec.outputs)
    inputs = outputs = ""
    if variadic_input:
        inputs = f"{list_name(spec, spec.inputs)}, {list_name(spec, spec.inputs)}_count"
    if variadic_output:
        outputs = f"{list_name(spec, spec.outputs)}, {list_name(spec, spec.outputs)}_count"
    return {
        "variadic_input": variadic_input,
        "variadic_output": variadic_output,
        "input_names": ", ".join(c_name(rule_name(spec, p)) for p in spec.inputs),
        "output_names": names,
        "input_list": inputs or "inputs, INPUTS",
        "output_list": outputs or "outputs, OUTPUTS",
        "shape_list": outputs or f"{names}, OUTPUTS",
        "output_number": outputs.rpartition(", ")[2] or "OUTPUTS",
    }


def _if_asked(spec: OperatorVersion, position: int, text: str) -> str:
    """What stands for an output where a call asks for it; NULL where an optional one is absent."""
    if spec.outputs[position].option is not Option.OPTIONAL:
        return text
    return f"output_count > {position} ? {text} : NULL"


def kernel_name(version: CheckedVersion) -> str:
    """The name of the constant that describes a version."""
    prefix = prefix_of(version)
    return f"opmill_kernel_{prefix.removeprefix('opmill_')}"


def _attribute_argument(spec: OperatorVersion, parameter: ir.Parameter) -> str:
    """What the rule gets for an attribute: the call's, or the rule's default if it is lacking."""
    for attribute in spec.attributes:
        if rule_name(spec, attribute) != parameter.name:
            continue
        given = f"given->{c_name(parameter.name)}"
        if parameter.kind is ir.Kind.OPAQUE:
            return f"&{given}"
        if parameter.optional and not is_optional(attribute) and attribute.kind in OPTIONAL_MEMBERS:
            return f"({OPTIONAL_MEMBERS[attribute.kind].strip()}){{{given}, 1}}"
        return given
    assert parameter.default is not None
    value = parameter.default.value
    if isinstance(value, str):
        return c_string(value)
    if value is not None:
        return repr(value)
    return _LACKING[parameter.kind]


def _parameter(
    spec: OperatorVersion,
    parameter: Parameter,
    variables: dict[str, int],
    lists: dict[tuple[str, ...], str],
    bounded: bool = False,
) -> str:
    variable = variables.get(str(parameter.type), -1)
    allowed = spec.allowed_types(parameter)
    types = tuple(f"OPMILL_{word.upper()}" for word in element_words(allowed))
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
        for source in output.type_from:
            fixed = "OPMILL_UNDEFINED"
            if isinstance(source.fixed, TensorType):
                fixed = f"OPMILL_{source.fixed.element.name}"
            attribute = attributes.get(source.attribute or "", -1)
            variable = variables.get(source.variable or "", -1)
            yield f"{number}, {attribute}, {variable}, {fixed}"


def _gaps(version: CheckedVersion) -> Iterator[str]:
    for word, reason in type_gaps(version).items():
        yield f"OPMILL_{word.upper()}, {c_string(reason)}"
