"""The rule of SequenceConstruct."""

from opmill_gen.rule_language.language import Tensors, output


def rules(inputs: Tensors) -> None:
    """Any tensors of one type."""
    for k in range(len(inputs)):
        output(output_sequence=inputs[k].shape)
