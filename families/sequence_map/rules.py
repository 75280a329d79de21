"""The rule of the family sequence_map."""

from opmill_gen.rule_language.language import Opaque, Tensors, dynamic, plan


def rules(input_sequence: Tensors, additional_inputs: Tensors, *, body: Opaque) -> None:
    """Any sequence; the kernel compares the lengths of others with it."""
    plan(length=len(input_sequence))
    dynamic("out_sequence")
