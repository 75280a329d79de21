"""Parts of an operator version that are not expressible in C, and why."""

from __future__ import annotations

from opmill_gen.base.onnx_types import ConcreteType, OptionalType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.c.header import MEMBERS, element_words, in_order, is_variadic
from opmill_gen.rule_language import ir
from opmill_gen.spec.family import BackendName
from opmill_gen.spec.operator_version import OperatorVersion, Parameter


def c_gap(version: CheckedVersion) -> str | None:
    """Why C does not support a version; ``None`` where it does."""
    spec = version.spec
    for gap in version.instance.family.document.gaps:
        if gap.backend is BackendName.C and not gap.types:
            return gap.reason
    for attribute in spec.attributes:
        if attribute.kind not in MEMBERS:
            return f"attribute '{attribute.name}' is of kind {attribute.kind.value}"
    for parameter in (*spec.inputs, *spec.outputs):
        dynamic = parameter in spec.outputs and spec.runs_graphs
        if parameter in spec.outputs and not dynamic and not _has_types_of_inputs(spec, parameter):
            return f"no input determines the types of the values of the output '{parameter.name}'"
        if not element_words(spec.allowed_types(parameter)):
            return f"'{parameter.name}' is of no type that C has: {NO_MEMORY}"
    if any(map(spec.is_sequence, spec.outputs[:-1])):
        return "a sequence is not the last output"
    if any(map(spec.is_optional_value, spec.outputs)) and len(spec.inputs) != 1:
        return "an optional is an output, and there is not one input that is its contents"
    for name, extent in version.instance.program.outputs.items():
        if extent is ir.Extent.DYNAMIC and not spec.is_dynamic:
            return f"only the kernel knows the output '{name}'"
    reason = version.instance.not_in_c
    if reason is not None:
        return f"the rule is not expressible in C: {reason}"
    if version.instance.c_kernel is None:
        return f"the family '{version.instance.family.name}' has no {_kernel_file(version)}"
    return None


def _kernel_file(version: CheckedVersion) -> str:
    return f"{version.instance.c_kernel_module}.c"


def _has_types_of_inputs(spec: OperatorVersion, output: Parameter) -> bool:
    """Return whether a value of an output has one type, or that of the input at its position."""
    if output.homogeneous:
        return True
    alike = [one for one in spec.inputs if one.type == output.type]
    return len(alike) == 1 and is_variadic(spec.inputs) and alike[0] is spec.inputs[-1]


NO_MEMORY = "C computes with tensors, sequences, optionals and maps of elements alone"
"""Why C lacks other types."""
NO_OPTIONALS = "C hands graphs tensors and sequences alone"
"""Why versions that run graphs lack optionals in C."""


def c_type_gap(version: CheckedVersion, type_: ConcreteType) -> str | None:
    """Why a version that C supports lacks this type there; ``None`` where it has it."""
    parameters = (*version.spec.inputs, *version.spec.outputs)
    if not any(type_ in c_types(version.spec, parameter) for parameter in parameters):
        return NO_OPTIONALS if version.spec.runs_graphs else NO_MEMORY
    return type_gaps(version).get(element_words((type_,))[0])


def c_types(spec: OperatorVersion, parameter: Parameter) -> tuple[ConcreteType, ...]:
    """The types of a parameter in C. Graphs are handed no optionals."""
    allowed = in_order(spec.allowed_types(parameter))
    return tuple(one for one in allowed if not (spec.runs_graphs and isinstance(one, OptionalType)))


def type_gaps(version: CheckedVersion) -> dict[str, str]:
    """The element types that the C kernel of a version does not compute with, and why."""
    taken = {
        word
        for parameter in (*version.spec.inputs, *version.spec.outputs)
        for word in element_words(version.spec.allowed_types(parameter))
    }
    gaps = [g for g in version.instance.family.document.gaps if g.backend is BackendName.C]
    words = {element.value: gap.reason for gap in gaps for element in gap.types}
    return {word: reason for word, reason in words.items() if word in taken}
