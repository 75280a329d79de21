"""The rule of the family concat."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Tensors, output, plan, require


def rules(inputs: Tensors, *, axis: int | None) -> None:
    """Shapes differ on one axis at most, on which the output is as long as all inputs together."""
    rank = inputs[0].rank
    along = attribute_axis("axis", 1 if axis is None else axis, rank, True)
    result = list(inputs[0].shape)
    for k in range(1, len(inputs)):
        require(
            inputs[k].rank == rank,
            f"inputs[{k}] has rank {inputs[k].rank}, expected {rank} (the rank of inputs[0])",
        )
        for i in range(rank):
            require(
                i == along or inputs[k].shape[i] == inputs[0].shape[i],
                f"inputs[{k}].shape[{i}] is {inputs[k].shape[i]}, "
                f"expected {inputs[0].shape[i]} (inputs[0].shape[{i}])",
            )
        result[along] = result[along] + inputs[k].shape[along]
    output(concat_result=result)
    plan(axis=along)
