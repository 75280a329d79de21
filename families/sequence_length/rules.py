"""The rule of the family sequence_length."""

from opmill_gen.rule_language.language import Tensors, output, plan


def rules(input_sequence: Tensors) -> None:
    """A scalar, which the rule knows."""
    output(length=[])
    plan(count=len(input_sequence))
