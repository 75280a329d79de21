"""The functions of a version in C that pass the parts of a call to its rule and to its kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from opmill_gen.base.literals import c_string
from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.family import lists_items
from opmill_gen.emit.c.header import (
    LISTS,
    OPTIONAL_MEMBERS,
    is_optional,
    is_variadic,
    prefix_of,
)
from opmill_gen.rule_language import c_name, ir, is_widened, typed_tensors
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)

_LACKING = {
    ir.Kind.INT: "(opmill_int)OPMILL_INT_ABSENT",
    ir.Kind.FLOAT: "(opmill_float)OPMILL_FLOAT_ABSENT",
    ir.Kind.STR: "NULL",
    ir.Kind.INTS: "(opmill_ints)OPMILL_INTS_ABSENT",
    ir.Kind.FLOATS: "(opmill_floats)OPMILL_FLOATS_ABSENT",
    ir.Kind.STRS: "(opmill_strings)OPMILL_STRINGS_ABSENT",
    ir.Kind.TENSOR: "NULL",
    ir.Kind.SPARSE: "NULL",
}
"""Argument of a rule for an attribute that the version lacks."""


def derived_outputs(version: CheckedVersion) -> list[str]:
    """The outputs whose shapes the rule derives: the version's, then those that it lacks."""
    own = [rule_name(version.spec, output) for output in version.spec.outputs]
    return [*own, *(name for name in version.instance.program.outputs if name not in own)]


def adapters(version: CheckedVersion) -> Iterator[dict[str, Any]]:
    """The functions that pass the parts of a call to the rule and to the kernel."""
    spec, family = version.spec, version.instance.family.document
    listed = len(spec.outputs) - is_variadic(spec.outputs)
    if spec.runs_graphs:
        yield from _graph_adapters(version)
        return
    absent = ["NULL"] * (len(derived_outputs(version)) - len(spec.outputs))
    inputs = _kernel_inputs(version)
    outputs = [text for k in range(listed) for text in _output(spec, k)]
    shapes = [text for k in range(listed) for text in _shape(spec, k)]
    if is_variadic(spec.outputs):
        outputs += ["call->rest->offered", "call->rest->count"]
        shapes += ["call->rest->count"]
    described = [*inputs, *shapes, *absent, "call->plan", "call->context"]
    computed = [*inputs, *outputs, *absent, "call->plan", "call->context"]
    name = f"opmill_{version.instance.kernel_name}"
    rules = f"opmill_{version.instance.rules_name}_rules"
    given = f"const {prefix_of(version)}_attributes *given = call->attributes;"
    before = [given] if spec.attributes and _reads_attributes(version) else []
    before += _needed_contents(version)
    yield _adapter("int derive", f"return {rules}", _rule_arguments(version), before)
    yield _adapter("int compute", f"return {name}_compute", computed)
    if spec.is_dynamic:
        yield _adapter("int shape", f"return {name}_shapes", described)
    if family.workspace:
        yield _adapter("size_t workspace", f"return {name}_workspace_bytes", described)
    if family.prepares_attributes:
        arguments = [*described[:-1], "packing", "to", described[-1]]
        yield _adapter("int arrange", f"return {name}_arrange", arguments)
    if family.chooses_kernel:
        yield _adapter("void choose", f"{name}_choose", [*described, "choice"])
    if version.instance.program.bounded:
        yield _adapter("int measure", f"return {name}_measure", described)


def _graph_adapters(version: CheckedVersion) -> Iterator[dict[str, Any]]:
    """The functions of a version that runs graphs, whose kernel receives the attributes."""
    name = f"opmill_{version.instance.kernel_name}"
    given = [f"const {prefix_of(version)}_attributes *given = call->attributes;"]
    parameters = [*_kernel_inputs(version), *_kernel_attributes(version)]
    described = [*parameters, "call->plan", "call->context"]
    rules = f"return opmill_{version.instance.rules_name}_rules"
    before = given if _reads_attributes(version) else []
    yield _adapter("int derive", rules, _rule_arguments(version), before)
    computed = [*parameters, "call", *described[-2:]]
    yield _adapter("int compute", f"return {name}_compute", computed, given)
    if version.instance.family.document.workspace:
        sized = f"return {name}_workspace_bytes"
        yield _adapter("size_t workspace", sized, described, given)


def _kernel_attributes(version: CheckedVersion) -> Iterator[str]:
    """The attributes as a kernel that runs graphs receives them."""
    for parameter in version.instance.program.parameters:
        if parameter.role is ir.Role.ATTRIBUTE:
            argument = _attribute_argument(version.spec, parameter)
            yield argument.removeprefix("&") if parameter.kind is ir.Kind.OPAQUE else argument


def kernel_call(version: CheckedVersion) -> list[str | int | None]:
    """The arguments of a version's kernel in front of the plan and the context.

    ``i0`` is the first input and ``o0`` the first output. A number is the parameter whose values
    follow each other, as a list and their count: the inputs from that one on, or the outputs where
    it is negative (-1 for the first one). ``None`` is an argument that the version lacks.
    """
    spec = version.spec
    listed = {f"call->inputs[{k}]": f"i{k}" for k in range(len(spec.inputs))}
    listed |= {f"opmill_call_contents({text})": name for text, name in listed.items()}
    arguments: list[str | int | None] = []
    for text in _kernel_inputs(version):
        if text == "call->values":
            arguments.append(len(spec.inputs) - 1)
        elif text == "0":
            arguments.append("0")
        elif text != "call->value_count":
            arguments.append(listed.get(text))
    count = len(spec.outputs) - is_variadic(spec.outputs)
    arguments += [f"o{k}" for k in range(count)]
    if is_variadic(spec.outputs):
        arguments.append(-1 - count)
    return arguments + [None] * (len(derived_outputs(version)) - len(spec.outputs))


def _adapter(
    head: str, function: str, arguments: list[str], before: Iterable[str] = ()
) -> dict[str, Any]:
    name = head.rpartition(" ")[2]
    parameters = ["const opmill_call *call"]
    if "choice" in arguments:
        parameters.append("opmill_choice *choice")
    if "packing" in arguments:
        parameters += ["opmill_packing *packing", "void *to"]
    return {
        "name": name,
        "head": f"{head}({', '.join(parameters)})",
        "lines": [*before, *statement(function, arguments)],
    }


def _inputs(spec: OperatorVersion) -> list[list[str]]:
    """Each input as it is passed on: a tensor, or the values of a variadic one and their number."""
    listed = [
        _input(spec, f"call->inputs[{k}]", parameter)
        for k, parameter in enumerate(spec.inputs[: len(spec.inputs) - is_variadic(spec.inputs)])
    ]
    return [*listed, ["call->values", "call->value_count"]] if is_variadic(spec.inputs) else listed


def _input(spec: OperatorVersion, given: str, parameter: Parameter) -> list[str]:
    """A listed input as it is passed on; of a sequence its tensors and their number."""
    if _reads_contents(spec, parameter):
        return [f"opmill_call_contents({given})"]
    if not lists_items(spec, parameter):
        return [given]
    return [f"opmill_call_items_of({given})", f"opmill_call_item_count({given})"]


def _reads_contents(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Return whether an input may be an optional, and no output is one of the same type."""
    types = {output.type for output in spec.outputs}
    return spec.allows_optionals(parameter) and parameter.type not in types


def _needed_contents(version: CheckedVersion) -> list[str]:
    """Statements that refuse optionals without contents, where the rule needs the contents."""
    spec = version.spec
    given = {p.name for p in version.instance.program.parameters if not p.optional}
    needed = [
        position
        for position, parameter in enumerate(spec.inputs)
        if _reads_contents(spec, parameter) and rule_name(spec, parameter) in given
    ]
    return [
        line
        for number, position in enumerate(needed)
        for line in (
            f"{'int ' if number == 0 else ''}code = opmill_call_need_contents(call, {position});",
            "if (code != OPMILL_OK) {",
            "    return code;",
            "}",
        )
    ]


def _input_type(spec: OperatorVersion, position: int) -> str:
    """The element type of an input of several tensors."""
    if lists_items(spec, spec.inputs[position]):
        return f"opmill_call_item_type(call->inputs[{position}])"
    return "opmill_call_value_type(call)"


def _kernel_inputs(version: CheckedVersion) -> list[str]:
    """The inputs that the kernel receives; NULL for those that the version lacks."""
    by_name = dict(zip(version.instance.inputs, _inputs(version.spec), strict=True))
    kinds = version.instance.family.input_kinds
    return [
        tensor
        for name in version.instance.kernel_inputs
        for tensor in by_name.get(name) or (["NULL", "0"] if kinds[name] == "Tensors" else ["NULL"])
    ]


def _rule_arguments(version: CheckedVersion) -> list[str]:
    """Arguments of the rule: the label, inputs, attributes, the number of outputs, shapes."""
    spec, program = version.spec, version.instance.program
    arguments = [c_string(spec.label)]
    typed = typed_tensors(program)
    for position, (own, given) in enumerate(zip(spec.inputs, _inputs(spec), strict=True)):
        arguments += given
        if rule_name(spec, own) in typed:
            arguments.append(_input_type(spec, position))
    for parameter in program.parameters:
        if parameter.role is ir.Role.ATTRIBUTE:
            arguments.append(_attribute_argument(spec, parameter))
        elif parameter.role is ir.Role.OUTPUT_COUNT:
            arguments.append("call->output_count")
    derived = derived_outputs(version)
    for name, extent in program.outputs.items():
        if extent is ir.Extent.DYNAMIC:
            continue
        position = derived.index(name)
        output = spec.outputs[position] if position < len(spec.outputs) else None
        several = output is not None and (
            output.option is Option.VARIADIC or lists_items(spec, output)
        )
        arguments.append("call->rest" if several else f"&call->shapes[{position}]")
    return [*arguments, "call->plan", "call->context"]


def _reads_attributes(version: CheckedVersion) -> bool:
    """Return whether the rule receives an attribute that the version has."""
    names = {rule_name(version.spec, attribute) for attribute in version.spec.attributes}
    return any(p.name in names for p in version.instance.program.parameters)


def _output(spec: OperatorVersion, position: int) -> list[str]:
    """A listed output as a kernel receives it; of a sequence its elements and their number."""
    if lists_items(spec, spec.outputs[position]):
        return [f"call->outputs[{position}]->data", "call->rest->given"]
    return [_if_asked(spec, position, "output", f"call->outputs[{position}]")]


def _shape(spec: OperatorVersion, position: int) -> list[str]:
    if lists_items(spec, spec.outputs[position]):
        return ["call->rest->given"]
    return [_if_asked(spec, position, "shape", f"&call->shapes[{position}]")]


def _if_asked(spec: OperatorVersion, position: int, part: str, text: str) -> str:
    """An output or its shape, as a kernel receives it: NULL where an optional one is absent."""
    optional = spec.outputs[position].option is Option.OPTIONAL
    return f"opmill_call_{part}(call, {position})" if optional else text


def _attribute_argument(spec: OperatorVersion, parameter: ir.Parameter) -> str:
    """Argument of the rule for an attribute: the call's, or the rule's default if it is lacking."""
    for attribute in spec.attributes:
        if rule_name(spec, attribute) != parameter.name:
            continue
        given = f"given->{c_name(parameter.name)}"
        if attribute.kind is AttributeKind.TYPE_PROTO:
            return f"{given} != OPMILL_UNDEFINED ? &{given} : NULL"
        if parameter.kind is ir.Kind.OPAQUE:
            return f"&{given}"
        if parameter.kind is ir.Kind.TENSOR and attribute.kind is not AttributeKind.TENSOR:
            return _as_tensor(attribute, given)
        if is_widened(parameter, attribute.kind.value):
            return f"(double){given}"
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


def _as_tensor(attribute: Attribute, given: str) -> str:
    """An attribute of another kind as a tensor: NULL where it is absent, else one of the block."""
    element = {"INT": "INT64", "FLOAT": "FLOAT", "STRING": "STRING"}[
        attribute.kind.value.removesuffix("S")
    ]
    if attribute.kind in LISTS:
        data, dims, rank, present = f"{given}.values", f"&{given}.count", 1, f"{given}.count >= 0"
    elif attribute.kind is AttributeKind.STRING:
        data, dims, rank, present = f"&{given}", "NULL", 0, f"{given} != NULL"
    elif is_optional(attribute):
        data, dims, rank, present = f"&{given}.value", "NULL", 0, f"{given}.present != 0"
    else:
        data, dims, rank, present = f"&{given}", "NULL", 0, "true"
    literal = f"&(const opmill_tensor){{(void *){data}, {dims}, {rank}, OPMILL_{element}}}"
    return f"{present} ? {literal} : NULL"


def statement(function: str, arguments: list[str]) -> list[str]:
    """A statement that calls a function, in lines that fit behind an indent."""
    lines = wrapped(f"    {function}({', '.join(arguments)});")
    return [line.removeprefix("    ") for line in lines]
