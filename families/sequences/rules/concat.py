"""The rule of ConcatFromSequence."""

from _shared.axes import attribute_axis
from _shared.sequences import check_some
from _shared.values import check_flag

from opmill_gen.rule_language.language import MAX_RANK, Tensors, output, plan, require


def check_shapes(tensors: Tensors, along: int) -> None:
    """Shapes that are the same but for the axis; -1 where there is none."""
    rank = tensors[0].rank
    for k in range(1, len(tensors)):
        require(
            tensors[k].rank == rank,
            f"input_sequence[{k}] has rank {tensors[k].rank}, "
            f"expected {rank} (the rank of input_sequence[0])",
        )
        for i in range(rank):
            require(
                i == along or tensors[k].shape[i] == tensors[0].shape[i],
                f"input_sequence[{k}].shape[{i}] is {tensors[k].shape[i]}, "
                f"expected {tensors[0].shape[i]} (input_sequence[0].shape[{i}])",
            )


def rules(input_sequence: Tensors, *, axis: int, new_axis: int) -> None:
    """Shapes differ on the axis at most; along a new one, they do not differ."""
    check_some(input_sequence)
    check_flag("new_axis", new_axis)
    first = input_sequence[0].shape
    rank = input_sequence[0].rank
    result: list[int] = []
    if new_axis == 1:
        require(
            rank < MAX_RANK,
            f"input_sequence[0] has rank {rank}, expected at most {MAX_RANK - 1} (new_axis is 1)",
        )
        along = attribute_axis("axis", axis, rank + 1, True)
        check_shapes(input_sequence, -1)
        for i in range(rank + 1):
            if i == along:
                result.append(len(input_sequence))
            else:
                result.append(first[i if i < along else i - 1])
    else:
        along = attribute_axis("axis", axis, rank, True)
        check_shapes(input_sequence, along)
        for i in range(rank):
            result.append(first[i])
        for k in range(1, len(input_sequence)):
            result[along] = result[along] + input_sequence[k].shape[along]
    output(concat_result=result)
    plan(axis=along, stacks=new_axis == 1)
