"""Contexts of the templates of a family's plan, rules and kernels in C."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import Instance
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.header import c_call
from opmill_gen.emit.c.rule_helpers import FOLDER, SharedHelper, header_of, own_functions
from opmill_gen.rule_language import EmittedC, c_name, ir
from opmill_gen.rule_language.emit_c_text import OPTIONAL_TYPES, TYPES
from opmill_gen.rule_language.walk import nodes
from opmill_gen.spec.family import Family
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter


def plan_header(instances: Iterable[Instance]) -> dict[str, Any]:
    """The context of ``c/plan.h.j2``: the values that any rule of a family gives its kernels."""
    listed = list(instances)
    family = listed[0].family.name
    return {
        "family": family,
        "guard": _guard(family, "plan"),
        "members": plan_members(listed),
    }


def plan_members(instances: Iterable[Instance]) -> list[str]:
    """The declarations of the members of a family's plan."""
    members: dict[str, None] = {}
    for instance in instances:
        members.update(dict.fromkeys(instance.emitted_in_c(frozenset()).plan))
    return list(members)


def emitted_rule(instance: Instance, spec: OperatorVersion) -> EmittedC:
    """The rule of an instance, for the outputs of a version."""
    return instance.emitted_in_c(_variadic(spec))


def rule_helper(helper: SharedHelper) -> dict[str, Any]:
    """The context of ``c/rule_helper.h.j2``."""
    return {
        "guard": f"OPMILL_{FOLDER}_{helper.name}_H".upper(),
        "headers": [*(header_of(name) for name in helper.needs), *_runtime_headers([helper.text])],
        "text": helper.text.replace("static int ", "static inline int ", 1),
    }


def rules_sources(
    instance: Instance, spec: OperatorVersion, shared: Mapping[str, SharedHelper]
) -> dict[str, Any]:
    """The contexts of ``c/rules.h.j2`` and ``c/rules.c.j2``."""
    emitted = emitted_rule(instance, spec)
    functions, called = own_functions(emitted, shared)
    return {
        "family": instance.family.name,
        "header": family_header(instance, instance.rules_module),
        "guard": _guard(instance.family.name, instance.rules_module),
        "variadic_outputs": bool(_variadic(spec)),
        "optional_numbers": any(
            parameter.optional and parameter.kind in (ir.Kind.INT, ir.Kind.FLOAT)
            for parameter in instance.program.parameters
        ),
        "helpers": [
            *(header_of(name) for name in called),
            *_plain_headers(instance.program),
            *_runtime_headers(functions),
        ],
        "body": "\n\n".join(functions),
        "prototype": "\n".join(wrapped(emitted.prototype)),
    }


def _plain_headers(program: ir.RuleProgram) -> list[str]:
    """The headers of the plain functions that a rule calls."""
    bodies = (program.body, *(helper.body for helper in program.helpers))
    found = {node.family for node in nodes(bodies) if isinstance(node, ir.PlainCall)}
    return [f"families/{family}/functions.h" for family in sorted(found)]


def _runtime_headers(functions: Iterable[str]) -> list[str]:
    """The headers of the runtime that emitted functions need beside those of all rules."""
    asks = any("opmill_is_prepared(" in text for text in functions)
    return ["runtime/call/is_prepared.h"] if asks else []


def kernel_header(instance: Instance, spec: OperatorVersion) -> dict[str, Any]:
    """The context of ``c/kernel.h.j2``."""
    name, family, document = instance.kernel_name, instance.family, instance.family.document
    inputs = [
        declared
        for given in instance.kernel_inputs
        for declared in _input(given, family.input_kinds.get(given, ""))
    ]
    if spec.runs_graphs:
        inputs += _attributes(instance.program)
    plan = f"const opmill_{instance.family.name}_plan *plan"
    outputs = _outputs(spec, family, "opmill_tensor *", "opmill_tensor *const *")
    found = _outputs(spec, family, "opmill_shape *", None)
    shapes = _outputs(spec, family, "const opmill_shape *", None)
    if spec.runs_graphs:
        outputs, shapes = ["const opmill_call *call"], []
    context = "opmill_context *context"

    def prototype(returned: str, function: str, *parameters: str) -> str:
        return c_call(f"{returned} opmill_{name}_{function}", [*inputs, *parameters])

    return {
        "family": instance.family.name,
        "guard": _guard(instance.family.name, instance.c_kernel_module),
        "runs_graphs": spec.runs_graphs,
        "compute": prototype("int", "compute", *outputs, plan, context),
        "arrange": (
            prototype(
                "int", "arrange", *shapes, plan, "opmill_packing *packing", "void *to", context
            )
            if document.prepares_attributes
            else None
        ),
        "prepare": (
            c_call(
                f"void opmill_{name}_prepare",
                ["opmill_packing *packing", "void *to", f"const {context}"],
            )
            if document.prepares
            else None
        ),
        "shapes": (
            prototype("int", "shapes", *found, plan, context)
            if spec.is_dynamic and not spec.runs_graphs
            else None
        ),
        "measure": (
            prototype("int", "measure", *found, plan, context) if instance.program.bounded else None
        ),
        "workspace": (
            prototype("size_t", "workspace_bytes", *shapes, plan, f"const {context}")
            if document.workspace
            else None
        ),
        "choice": (
            prototype("void", "choose", *shapes, plan, f"const {context}", "opmill_choice *choice")
            if document.chooses_kernel
            else None
        ),
    }


def family_header(instance: Instance, module: str) -> str:
    """Path by which sources include a generated header of a family."""
    return f"families/{instance.family.name}/{module}.h"


def _guard(family: str, module: str) -> str:
    return f"OPMILL_FAMILIES_{family}_{module}_H".upper()


def _variadic(spec: OperatorVersion) -> frozenset[str]:
    """The outputs of which a rule gives any number of shapes."""
    return frozenset(
        rule_name(spec, p)
        for p in spec.outputs
        if p.option is Option.VARIADIC or lists_items(spec, p)
    )


def lists_items(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Return whether rules and kernels receive the items of a parameter and their number: those of
    a sequence of tensors."""
    return spec.is_sequence(parameter) and not spec.has_maps


def _attributes(program: ir.RuleProgram) -> list[str]:
    """The attributes, which a kernel that runs graphs receives."""
    declared = []
    for parameter in program.parameters:
        if parameter.role is ir.Role.ATTRIBUTE:
            kind, name = parameter.kind, c_name(parameter.name)
            optional = OPTIONAL_TYPES.get(kind) if parameter.optional else None
            is_graph = kind is ir.Kind.OPAQUE
            declared.append(
                f"{'const opmill_graph *' if is_graph else optional or TYPES[kind]}{name}"
            )
    return declared


def _input(name: str, kind: str) -> list[str]:
    """An input of a kernel; of a variadic one its values and their number."""
    name = c_name(name)
    if kind == "Tensors":
        return [f"const opmill_tensor *const *{name}", f"int32_t {name}_count"]
    return [f"const opmill_tensor *{name}"]


def _outputs(spec: OperatorVersion, family: Family, one: str, several: str | None) -> list[str]:
    """The outputs of a kernel; of a variadic one its values, where there are any, and number; of a
    sequence its elements, and number."""
    values: list[str] = []
    for parameter in spec.outputs:
        name = c_name(family.in_kernel(rule_name(spec, parameter)))
        if lists_items(spec, parameter):
            if several is not None:
                values.append(f"const opmill_tensor **{name}")
            values.append(f"int32_t {name}_count")
            continue
        if parameter.option is not Option.VARIADIC:
            values.append(f"{one}{name}")
            continue
        if several is not None:
            values.append(f"{several}{name}")
        values.append(f"int32_t {name}_count")
    return values
