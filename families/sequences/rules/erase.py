"""The rule of SequenceErase."""

from _shared.sequences import check_some, index_of

from opmill_gen.rule_language.language import Tensor, Tensors, output, plan


def rules(input_sequence: Tensors, position: Tensor | None) -> None:
    """A position inside of the sequence."""
    check_some(input_sequence)
    last = len(input_sequence) - 1
    index = last if position is None else index_of(position, len(input_sequence), last)
    for k in range(last):
        output(output_sequence=input_sequence[k if k < index else k + 1].shape)
    plan(index=index)
