"""The rule language: rules are written once, checked here, and emitted for each backend.

``program``      reads a rule file: imports, helpers, the rule
``statements``   assignments, flow and calls; on ``verbs``: requirements, outputs, the plan
``expressions``  types expressions and finds what is known of their values; on ``reader``,
                 with ``conditions`` and ``calls``
``plain_functions``  signatures of families' functions in plain Python and C
``changes``      what statements change or require, found before they are read
``scope``        what names stand for at a point, and what is known of them
``ranges``       intervals, the arithmetic of what is known
``relations``    linear relations: which index is below which length, which lengths are equal
``ir``           the typed trees that come out, with ``ir_expressions`` and ``ir_kinds``; ``walk``
                 through them
``signature``    a rule against a spec that uses it
``emit_python``  the trees as Python
``emit_c``       the trees as C, lowered into steps; on ``emit_c_expressions``, ``emit_c_text``
``language``     the words of the language, for editors
"""

from opmill_gen.rule_language.emit_c import EmittedC, emit_c
from opmill_gen.rule_language.emit_c_names import c_name
from opmill_gen.rule_language.emit_c_text import NotInCError
from opmill_gen.rule_language.emit_python import EmittedPython, emit_python
from opmill_gen.rule_language.ir import RuleProgram
from opmill_gen.rule_language.program import parse_rules
from opmill_gen.rule_language.signature import (
    FormalAttribute,
    FormalInput,
    Signature,
    check_signature,
    is_widened,
)
from opmill_gen.rule_language.walk import typed_tensors

__all__ = [
    "EmittedC",
    "EmittedPython",
    "FormalAttribute",
    "FormalInput",
    "NotInCError",
    "RuleProgram",
    "Signature",
    "c_name",
    "check_signature",
    "emit_c",
    "emit_python",
    "is_widened",
    "parse_rules",
    "typed_tensors",
]
