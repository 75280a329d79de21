"""The signature of a spec, as the rule compiler takes it to hold a rule against it."""

from __future__ import annotations

from opmill_gen.base.names import is_onnx_name
from opmill_gen.rule_language import FormalAttribute, FormalInput, Signature
from opmill_gen.spec.operator_version import Attribute, OperatorVersion, Option, Parameter


def rule_name(spec: OperatorVersion, part: Parameter | Attribute) -> str:
    """The name of a parameter or attribute in rules and kernels.

    It is ONNX's own, but for two cases, which take the python_name: a name that is no identifier,
    and an attribute or an output that has the name of an input.
    """
    is_input = any(part is p for p in spec.inputs)
    taken = not is_input and part.name in {p.name for p in spec.inputs}
    if part.python_name and (taken or not is_onnx_name(part.name)):
        return part.python_name
    return part.name


def rule_signature(spec: OperatorVersion) -> Signature:
    """The inputs, attributes and outputs of a spec."""
    return Signature(
        spec.family.location,
        tuple(FormalInput(p.location, rule_name(spec, p), _option(spec, p)) for p in spec.inputs),
        tuple(
            FormalAttribute(
                a.location,
                rule_name(spec, a),
                a.kind.value,
                a.required or a.default is not None,
            )
            for a in spec.attributes
        ),
        tuple(rule_name(spec, output) for output in spec.outputs),
        frozenset(
            rule_name(spec, output)
            for output in spec.outputs
            if output.option is Option.VARIADIC or spec.is_sequence(output)
        ),
    )


def _option(spec: OperatorVersion, parameter: Parameter) -> str:
    """Kind of a parameter in a rule: a sequence is a list of tensors, as a variadic input."""
    return Option.VARIADIC.value if spec.is_sequence(parameter) else parameter.option.value
