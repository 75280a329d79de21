"""The rule of SequenceLength."""

from opmill_gen.rule_language.language import Tensors, output


def rules(input_sequence: Tensors) -> None:
    """A scalar."""
    output(length=[])
