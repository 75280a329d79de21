"""What the templates of the C library need to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opmill_gen.check import CheckedVersion, Instance
from opmill_gen.family import BackendName
from opmill_gen.literals import c_comment, c_string, first_sentence, paragraphs
from opmill_gen.model import Attribute, AttributeKind, OperatorVersion, Option, Parameter
from opmill_gen.onnx_types import ConcreteType, TensorType
from opmill_gen.rule_language import c_name, emit_c, ir
from opmill_gen.rule_signature import rule_name
from opmill_gen.wrapping import wrapped

_MEMBERS = {
    AttributeKind.FLOAT: "float ",
    AttributeKind.INT: "int64_t ",
    AttributeKind.STRING: "const char *",
    AttributeKind.INTS: "opmill_ints ",
}
_OPTIONAL_MEMBERS = {AttributeKind.FLOAT: "opmill_float ", AttributeKind.INT: "opmill_int "}
_LACKING = {
    ir.Kind.INT: "(opmill_int)OPMILL_INT_ABSENT",
    ir.Kind.FLOAT: "(opmill_float)OPMILL_FLOAT_ABSENT",
    ir.Kind.STR: "NULL",
    ir.Kind.INTS: "(opmill_ints)OPMILL_INTS_ABSENT",
}
"""What a rule receives for an attribute that is absent, since the version lacks it."""
ABSENT = {
    AttributeKind.FLOAT: "OPMILL_FLOAT_ABSENT",
    AttributeKind.INT: "OPMILL_INT_ABSENT",
    AttributeKind.INTS: "OPMILL_INTS_ABSENT",
    AttributeKind.STRING: "NULL",
}
"""What stands in a struct where a call gives no value and there is no default."""
_OPTIONS = {
    Option.SINGLE: "OPMILL_SINGLE",
    Option.OPTIONAL: "OPMILL_OPTIONAL",
    Option.VARIADIC: "OPMILL_VARIADIC",
}


def c_gap(version: CheckedVersion) -> str | None:
    """Why a version cannot be had in C; ``None`` where it can."""
    spec = version.spec
    for gap in version.instance.family.document.gaps:
        if gap.backend is BackendName.C and not gap.types:
            return gap.reason
    for attribute in spec.attributes:
        if attribute.kind not in _MEMBERS:
            return f"attribute '{attribute.name}' is of kind {attribute.kind.value}"
    for parameter in (*spec.inputs, *spec.outputs):
        if parameter in spec.outputs and not parameter.homogeneous:
            return f"the values of the output '{parameter.name}' may be of several types"
        if not any(isinstance(type_, TensorType) for type_ in spec.allowed_types(parameter)):
            return f"'{parameter.name}' is never a tensor"
    for name, extent in version.instance.program.outputs.items():
        if extent is ir.Extent.DYNAMIC:
            return f"only the kernel knows the output '{name}'"
    reason = version.instance.not_in_c
    if reason is not None:
        return f"the rule cannot be had in C: {reason}"
    if version.instance.family.c_template is None:
        return f"the family '{version.instance.family.name}' has no kernel.c.j2"
    return None


NO_MEMORY = "a sequence or an optional needs memory, which the library does not allocate"
"""Why C computes with tensors alone."""


def c_type_gap(version: CheckedVersion, type_: ConcreteType) -> str | None:
    """Why a version that can be had in C cannot take this type there; ``None`` where it can."""
    if not isinstance(type_, TensorType):
        return NO_MEMORY
    return type_gaps(version).get(type_.element.value)


def prefix_of(version: CheckedVersion) -> str:
    """How the C names of a version begin, as ``opmill_tile_13``."""
    package = version.names.package.rstrip("_")
    parts = ["opmill", version.below, package, str(version.spec.since_version)]
    return "_".join(filter(None, parts))


def operator_header(versions: list[CheckedVersion]) -> dict[str, Any]:
    """The context of ``c/operator.h.j2``."""
    newest = versions[-1].spec
    name = header_name(versions[-1])
    return {
        "operator": newest.operator,
        "domain": newest.domain,
        "optional_numbers": any(_has_optional_numbers(version.spec) for version in versions),
        "guard": f"OPMILL_{name.upper()}_H",
        "about": paragraphs(c_comment(first_sentence(newest.summary)), 95).splitlines(),
        "versions": [_public(version) for version in versions],
    }


def header_name(version: CheckedVersion) -> str:
    """The name of an operator's header, as ``tile``."""
    parts = [version.below, version.names.package.rstrip("_")]
    return "_".join(filter(None, parts))


def _public(version: CheckedVersion) -> dict[str, Any]:
    spec = version.spec
    prefix = prefix_of(version)
    types = [
        f"{name}: {', '.join(_words(constraint.types))}."
        for name, constraint in spec.type_constraints.items()
        if not constraint.unused
    ]
    lines = "\n".join(paragraphs(line, 92) for line in types).splitlines()
    return {
        "label": spec.label,
        "types": lines,
        "prefix": prefix,
        "macro": f"{prefix.upper()}_ATTRIBUTES",
        "attributes": [_member(spec, attribute) for attribute in spec.attributes],
        "initializer": [
            f"{line} \\" for line in wrapped("    " + ", ".join(map(_initial, spec.attributes)))
        ],
        "optional_outputs": _has_optional_outputs(spec),
        "notes": _notes(spec),
        "bounded": ", ".join(_bounded(version)),
        **_prototypes(spec, prefix),
    }


def _notes(spec: OperatorVersion) -> list[str]:
    """What a caller may leave out."""
    notes = ["NULL for the attributes means the defaults."] if spec.attributes else []
    optional = [o.name for o in spec.outputs if o.option is Option.OPTIONAL]
    if optional:
        notes.append(f"{' and '.join(optional)} may be NULL, here and above, and is then not made.")
    return notes


def _bounded(version: CheckedVersion) -> list[str]:
    """The outputs of whose shapes the rule tells a bound, as C names them."""
    bounded = version.instance.program.bounded
    names = (rule_name(version.spec, output) for output in version.spec.outputs)
    return [c_name(name) for name in names if name in bounded]


def _words(types: tuple[Any, ...]) -> list[str]:
    return [t.element.value for t in types if isinstance(t, TensorType)]


def _member(spec: OperatorVersion, attribute: Attribute) -> dict[str, str]:
    member = c_name(rule_name(spec, attribute))
    comment = " ".join(attribute.allowed)
    if attribute.required:
        comment = f"required {comment}".strip()
    elif is_optional(attribute):
        comment = f"absent: {ABSENT[attribute.kind]} {comment}".strip()
    return {
        "name": c_string(attribute.name),
        "member": member,
        "declaration": f"{_type(attribute)}{member}",
        "comment": comment,
        "initial": _initial(attribute),
        "kind": f"OPMILL_KIND_{attribute.kind.value}",
        "required": "1" if attribute.required else "0",
        "optional": "1" if is_optional(attribute) else "0",
    }


def is_optional(attribute: Attribute) -> bool:
    """Whether a call may lack an attribute that has no default."""
    return attribute.default is None and not attribute.required


def _type(attribute: Attribute) -> str:
    members = _OPTIONAL_MEMBERS if is_optional(attribute) else _MEMBERS
    return members.get(attribute.kind, _MEMBERS[attribute.kind])


def _has_optional_numbers(spec: OperatorVersion) -> bool:
    return any(is_optional(a) and a.kind in _OPTIONAL_MEMBERS for a in spec.attributes)


def _initial(attribute: Attribute) -> str:
    value = attribute.default_value
    if value is None or attribute.kind is AttributeKind.INTS:
        is_number = attribute.required and attribute.kind in _OPTIONAL_MEMBERS
        return "0" if is_number else ABSENT[attribute.kind]
    if isinstance(value, str):
        return c_string(value)
    return f"{value!r}f" if attribute.kind is AttributeKind.FLOAT else str(value)


def _prototypes(spec: OperatorVersion, prefix: str) -> dict[str, str]:
    inputs = _arguments(spec, spec.inputs, "const opmill_tensor *", "const opmill_tensor *const *")
    if spec.attributes:
        inputs.append(f"const {prefix}_attributes *attributes")
    shapes = _arguments(spec, spec.outputs, "opmill_shape *", "opmill_shape *")
    outputs = _arguments(spec, spec.outputs, "opmill_tensor *", "opmill_tensor *const *")
    context = ["opmill_context *context"]
    asked = ["int32_t output_count"] if _has_optional_outputs(spec) else []
    if _is_variadic(spec.outputs):
        asked = outputs[-1:]
    return {
        "infer_prototype": _call(f"int {prefix}_infer", inputs + shapes + context),
        "measure_prototype": _call(f"int {prefix}_measure", inputs + shapes + context),
        "workspace_prototype": _call(
            f"int {prefix}_workspace", [*inputs, *asked, "size_t *bytes", *context]
        ),
        "run_prototype": _call(f"int {prefix}", inputs + outputs + context),
    }


def _arguments(
    spec: OperatorVersion, parameters: tuple[Parameter, ...], one: str, several: str
) -> list[str]:
    """The parameters of a typed function; ``one`` and ``several`` are types.

    Where one is variadic, all are one list: no list could be made of the others and its values
    without memory.
    """
    if not _is_variadic(parameters):
        return [f"{one}{c_name(rule_name(spec, p))}" for p in parameters]
    name = _list_name(spec, parameters)
    return [f"{several}{name}", f"int32_t {name}_count"]


def _is_variadic(parameters: tuple[Parameter, ...]) -> bool:
    return bool(parameters) and parameters[-1].option is Option.VARIADIC


def _list_name(spec: OperatorVersion, parameters: tuple[Parameter, ...]) -> str:
    """What a typed function calls the list of parameters of which the last is variadic."""
    if len(parameters) == 1:
        return c_name(rule_name(spec, parameters[0]))
    return "all_inputs" if parameters == spec.inputs else "all_outputs"


def _has_optional_outputs(spec: OperatorVersion) -> bool:
    return any(output.option is Option.OPTIONAL for output in spec.outputs)


def version_prototypes(version: CheckedVersion) -> str:
    """What a version's header declares, without comments: the attributes and the functions."""
    prefix = prefix_of(version)
    lines = [f"#include <opmill/{header_name(version)}.h>", ""]
    if version.spec.attributes:
        lines.append(f"typedef struct {prefix}_attributes {{")
        for member in (_member(version.spec, attribute) for attribute in version.spec.attributes):
            comment = f" /* {member['comment']} */" if member["comment"] else ""
            lines.append(f"    {member['declaration']};{comment}")
        lines += [f"}} {prefix}_attributes; /* {prefix.upper()}_ATTRIBUTES_INIT */", ""]
    prototypes = _prototypes(version.spec, prefix)
    if not _bounded(version):
        del prototypes["measure_prototype"]
    lines += [f"{prototype};" for prototype in prototypes.values()]
    return "\n".join(lines)


def _call(head: str, arguments: list[str]) -> str:
    return "\n".join(wrapped(f"{head}({', '.join(arguments)})"))


def version_source(version: CheckedVersion, instance: str) -> dict[str, Any]:
    """The context of ``c/version.c.j2``."""
    spec, program = version.spec, version.instance.program
    prefix = prefix_of(version)
    variables = {name: number for number, name in enumerate(spec.type_constraints)}
    lists: dict[tuple[str, ...], str] = {}
    inputs = [_parameter(spec, p, variables, lists) for p in spec.inputs]
    outputs = [
        _parameter(spec, p, variables, lists, rule_name(spec, p) in program.bounded)
        for p in spec.outputs
    ]
    listed_inputs = len(inputs) - _is_variadic(spec.inputs)
    listed_outputs = len(outputs) - _is_variadic(spec.outputs)
    tensors = [f"all[{k}]" for k in range(listed_inputs)]
    ruled = [f"inputs[{k}]" for k in range(listed_inputs)]
    if _is_variadic(spec.inputs):
        tensors += _rest("inputs", "input_count", listed_inputs)
        ruled += ["values", "value_count"]
    rest = _rest("outputs", "output_count", listed_outputs) if _is_variadic(spec.outputs) else []
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
        "family": version.instance.family.name,
        "instance": instance,
        "header": header_name(version),
        "prefix": prefix,
        "macro": f"{prefix.upper()}_ATTRIBUTES",
        "kernel": kernel_name(version),
        "type_lists": [(name, wrapped(", ".join(types) + ",")) for types, name in lists.items()],
        "inputs": inputs,
        "outputs": outputs,
        "attributes": [_member(spec, attribute) for attribute in spec.attributes],
        "type_sources": list(_type_sources(spec, variables)),
        "gaps": list(_gaps(version)),
        "needs_workspace": version.instance.family.document.workspace,
        "rule_arguments": "\n".join(
            wrapped("        " + ", ".join([*arguments, "plan", "context"]))
        ).strip(),
        "workspace_arguments": ", ".join(inferred),
        "measures": bool(program.bounded),
        "refine_arguments": ", ".join([*described, "plan", "context"]),
        "chooses_kernel": version.instance.family.document.chooses_kernel,
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
        "optional_outputs": _has_optional_outputs(spec),
        "shape_count": len(derived),
        "listed_outputs": listed_outputs,
        **_derivation(version, instance),
        **_lists(spec),
        "attributes_argument": "attributes" if spec.attributes else "NULL",
        **_prototypes(spec, prefix),
    }


def _rest(values: str, count: str, listed: int) -> list[str]:
    """The values of a variadic parameter and their number, in the list of all."""
    if listed == 0:
        return [values, count]
    more = f"{count} > {listed}"
    return [f"{more} ? {values} + {listed} : NULL", f"{more} ? {count} - {listed} : 0"]


def _derivation(version: CheckedVersion, instance: str) -> dict[str, str]:
    """The function over the rule, which takes no more than there is."""
    spec, program = version.spec, version.instance.program
    parts = ["const opmill_tensor *const *inputs", "const void *attributes"]
    arguments = ["all", "given"]
    if _is_variadic(spec.inputs):
        parts[1:1] = ["const opmill_tensor *const *values", "int32_t value_count"]
        arguments[1:1] = _rest("inputs", "input_count", len(spec.inputs) - 1)
        if len(spec.inputs) == 1:
            del parts[0], arguments[0]
    if program.counts_outputs:
        parts.append("int32_t output_count")
        arguments.append("output_count")
    if len(program.outputs) > _is_variadic(spec.outputs):
        parts.append("opmill_shape *shapes")
        arguments.append("shapes")
    if _is_variadic(spec.outputs):
        parts.append("opmill_shapes *rest")
        arguments.append("rest")
    parts += [f"opmill_{instance}_plan *plan", "opmill_context *context"]
    arguments += ["plan", "context"]
    return {
        "derive_prototype": _call("static int derive", parts),
        "derive_arguments": ", ".join(arguments),
    }


def _lists(spec: OperatorVersion) -> dict[str, Any]:
    """How a typed function hands on its tensors: as a list that it makes, or was given."""
    variadic_input, variadic_output = _is_variadic(spec.inputs), _is_variadic(spec.outputs)
    names = ", ".join(c_name(rule_name(spec, p)) for p in spec.outputs)
    inputs = outputs = ""
    if variadic_input:
        inputs = f"{_list_name(spec, spec.inputs)}, {_list_name(spec, spec.inputs)}_count"
    if variadic_output:
        outputs = f"{_list_name(spec, spec.outputs)}, {_list_name(spec, spec.outputs)}_count"
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
        if (
            parameter.optional
            and not is_optional(attribute)
            and attribute.kind in _OPTIONAL_MEMBERS
        ):
            return f"({_OPTIONAL_MEMBERS[attribute.kind].strip()}){{{given}, 1}}"
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
    types = tuple(f"OPMILL_{word.upper()}" for word in _words(allowed))
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


def type_gaps(version: CheckedVersion) -> dict[str, str]:
    """The element types that the C kernel of a version does not compute with, and why."""
    taken = {
        word
        for parameter in (*version.spec.inputs, *version.spec.outputs)
        for word in _words(version.spec.allowed_types(parameter))
    }
    gaps = [g for g in version.instance.family.document.gaps if g.backend is BackendName.C]
    words = {element.value: gap.reason for gap in gaps for element in gap.types}
    return {word: reason for word, reason in words.items() if word in taken}


def _gaps(version: CheckedVersion) -> Iterator[str]:
    for word, reason in type_gaps(version).items():
        yield f"OPMILL_{word.upper()}, {c_string(reason)}"


def family_sources(instance: Instance, name: str, spec: OperatorVersion) -> dict[str, Any]:
    """The contexts of ``c/rules.h.j2`` and ``c/rules.c.j2``."""
    variadic = frozenset(rule_name(spec, p) for p in spec.outputs if p.option is Option.VARIADIC)
    emitted = emit_c(instance.program, name, variadic)
    inputs = _values(spec, spec.inputs, "const opmill_tensor *", "const opmill_tensor *const *")
    plan = f"const opmill_{name}_plan *plan"
    outputs = _values(spec, spec.outputs, "opmill_tensor *", "opmill_tensor *const *")
    found = _values(spec, spec.outputs, "opmill_shape *", None)
    shapes = _values(spec, spec.outputs, "const opmill_shape *", None)
    context = "opmill_context *context"
    return {
        "family": instance.family.name,
        "instance": name,
        "guard": f"OPMILL_FAMILIES_{name.upper()}_RULES_H",
        "plan": emitted.plan,
        "variadic_outputs": bool(variadic),
        "optional_numbers": any(
            parameter.optional and parameter.kind in (ir.Kind.INT, ir.Kind.FLOAT)
            for parameter in instance.program.parameters
        ),
        "body": emitted.body,
        "rules_prototype": "\n".join(wrapped(emitted.prototype)),
        "compute_prototype": _call(
            f"int opmill_{name}_compute", [*inputs, *outputs, plan, context]
        ),
        "measure_prototype": (
            _call(f"int opmill_{name}_measure", [*inputs, *found, plan, context])
            if instance.program.bounded
            else None
        ),
        "workspace_prototype": (
            _call(
                f"size_t opmill_{name}_workspace_bytes",
                [*inputs, *shapes, plan, f"const {context}"],
            )
            if instance.family.document.workspace
            else None
        ),
        "chooses_kernel": instance.family.document.chooses_kernel,
        "choice_prototype": _call(
            f"void opmill_{name}_choose",
            [*inputs, *shapes, plan, f"const {context}", "opmill_choice *choice"],
        ),
    }


def _values(
    spec: OperatorVersion, parameters: tuple[Parameter, ...], one: str, several: str | None
) -> list[str]:
    """The parameters of a family's function: of a variadic one its values, if any, and number."""
    values: list[str] = []
    for parameter in parameters:
        name = c_name(rule_name(spec, parameter))
        if parameter.option is not Option.VARIADIC:
            values.append(f"{one}{name}")
            continue
        if several is not None:
            values.append(f"{several}{name}")
        values.append(f"int32_t {name}_count")
    return values
