"""The rule of the family qlinear_concat: inputs in threes, a tensor, its scale, its zero point."""

from _shared.axes import attribute_axis
from _shared.quantized import check_single

from opmill_gen.rule_language.language import (
    Tensor,
    Tensors,
    counted,
    output,
    plan,
    require,
    require_type,
)


def rules(Y_scale: Tensor, Y_zero_point: Tensor, inputs: Tensors, *, axis: int) -> None:
    """Shapes differ on one axis at most, on which the output is as long as all parts together."""
    check_single("Y_scale.shape", Y_scale.shape)
    check_single("Y_zero_point.shape", Y_zero_point.shape)
    require(
        len(inputs) % 3 == 0,
        f"inputs has {counted(len(inputs), 'value')}, "
        "expected a multiple of 3 (tensor, scale, zero point)",
    )
    rank = inputs[0].rank
    along = attribute_axis("axis", axis, rank, True)
    result = list(inputs[0].shape)
    for k in range(len(inputs)):
        if k % 3 == 1:
            require_type(
                inputs[k].type == "float",
                f"inputs[{k}] has type {inputs[k].type}, expected float (a scale)",
            )
            require(
                inputs[k].rank == 0 or (inputs[k].rank == 1 and inputs[k].size == 1),
                f"inputs[{k}].shape is {inputs[k].shape}, expected [] or [1]",
            )
        else:
            require_type(
                inputs[k].type == Y_zero_point.type,
                f"inputs[{k}] has type {inputs[k].type}, "
                f"expected {Y_zero_point.type} (the type of Y_zero_point)",
            )
        if k % 3 == 2:
            require(
                inputs[k].rank == 0 or (inputs[k].rank == 1 and inputs[k].size == 1),
                f"inputs[{k}].shape is {inputs[k].shape}, expected [] or [1]",
            )
        if k % 3 == 0 and k > 0:
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
    output(Y=result)
    plan(axis=along)
