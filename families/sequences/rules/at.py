"""The rule of SequenceAt."""

from _shared.sequences import check_some, index_of

from opmill_gen.rule_language.language import Tensor, Tensors, output, plan


def rules(input_sequence: Tensors, position: Tensor) -> None:
    """A position inside of the sequence; the output has the shape of the tensor that is there."""
    check_some(input_sequence)
    index = index_of(position, len(input_sequence), len(input_sequence) - 1)
    output(tensor=input_sequence[index].shape)
    plan(index=index)
