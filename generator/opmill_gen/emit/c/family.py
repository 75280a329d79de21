"""What the templates of a family's rules in C need to know."""

from __future__ import annotations

from typing import Any

from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import Instance
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.header import c_call
from opmill_gen.rule_language import c_name, emit_c, ir
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter


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
        "compute_prototype": c_call(
            f"int opmill_{name}_compute", [*inputs, *outputs, plan, context]
        ),
        "measure_prototype": (
            c_call(f"int opmill_{name}_measure", [*inputs, *found, plan, context])
            if instance.program.bounded
            else None
        ),
        "workspace_prototype": (
            c_call(
                f"size_t opmill_{name}_workspace_bytes",
                [*inputs, *shapes, plan, f"const {context}"],
            )
            if instance.family.document.workspace
            else None
        ),
        "chooses_kernel": instance.family.document.chooses_kernel,
        "choice_prototype": c_call(
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
