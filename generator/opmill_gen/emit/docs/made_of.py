"""Digest of what decides how an operator version computes, which records of test runs carry.

It covers the facts of the version's signature, its rule and the kernels of its family: an edit
of any of them makes what was run before a result of other code. Prose, cases and the oracle are no
part of it, nor is the runtime, which all versions share.
"""

from __future__ import annotations

from opmill_gen.base.cache import Figures, digest_of_value
from opmill_gen.check.result import CheckedVersion
from opmill_gen.rule_language.emit_python import emit_python
from opmill_gen.spec.operator_version import OperatorVersion, Parameter

_DIGITS = 16


def made_of(version: CheckedVersion, figures: Figures) -> str:
    """The digest of a version, 16 hexadecimal digits.

    Args:
        version: the operator version.
        figures: what is known of costly figures.
    """
    instance = version.instance
    rule = figures.of(
        digest_of_value(["text of the rule", instance.digest]),
        lambda: digest_of_value(emit_python(instance.program).body),
    )
    parameters = instance.kernel_parameters
    rows = {name: instance.family.rows.get(str(value)) for name, value in parameters.items()}
    kernel = [instance.family.name, instance.family.kernel_digest, repr(parameters), repr(rows)]
    return digest_of_value([_signature(version.spec), rule, kernel])[:_DIGITS]


def _signature(spec: OperatorVersion) -> str:
    return repr(
        (
            (spec.domain, spec.operator, spec.since_version),
            [_parameter(one) for one in (*spec.inputs, *spec.outputs)],
            [(a.name, a.kind, a.required, a.default_value, a.allowed) for a in spec.attributes],
            [(name, constraint.types) for name, constraint in spec.type_constraints.items()],
        )
    )


def _parameter(one: Parameter) -> tuple[object, ...]:
    sources = [(source.attribute, source.variable, source.fixed) for source in one.type_from]
    return (one.name, one.type, one.option, one.homogeneous, one.min_arity, sources)
