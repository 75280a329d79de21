"""The rule of SequenceInsert."""

from _shared.sequences import index_of

from opmill_gen.rule_language.language import Tensor, Tensors, output, plan, require_type


def rules(input_sequence: Tensors, tensor: Tensor, position: Tensor | None) -> None:
    """A tensor of the sequence's type, and a position inside of the result."""
    require_type(
        input_sequence.type == "" or input_sequence.type == tensor.type,
        f"tensor has type {tensor.type}, expected {input_sequence.type} "
        "(the type of input_sequence)",
    )
    count = len(input_sequence)
    index = count if position is None else index_of(position, count, count)
    for k in range(count):
        if k == index:
            output(output_sequence=tensor.shape)
        output(output_sequence=input_sequence[k].shape)
    if index == count:
        output(output_sequence=tensor.shape)
    plan(index=index)
