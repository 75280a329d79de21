"""The signature of a spec, as the rule compiler takes it to hold a rule against it."""

from __future__ import annotations

from opmill_gen.model import OperatorVersion
from opmill_gen.rule_language import FormalAttribute, FormalInput, Signature


def rule_signature(spec: OperatorVersion) -> Signature:
    """The inputs, attributes and outputs of a spec."""
    return Signature(
        spec.family.location,
        tuple(FormalInput(p.location, p.name, p.option.value) for p in spec.inputs),
        tuple(
            FormalAttribute(a.location, a.name, a.kind.value, a.required or a.default is not None)
            for a in spec.attributes
        ),
        tuple(output.name for output in spec.outputs),
    )
