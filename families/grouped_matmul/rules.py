"""The rule of the family grouped_matmul."""

from opmill_gen.rule_language.language import Tensor, output, require


def rules(input: Tensor, weights: Tensor, group_indices: Tensor, bias: Tensor | None) -> None:
    """Ranks, the axes that inputs share, and a matrix to select where there is an index."""
    require(input.rank == 2, f"input has rank {input.rank}, expected 2")
    require(weights.rank == 3, f"weights has rank {weights.rank}, expected 3")
    require(group_indices.rank == 2, f"group_indices has rank {group_indices.rank}, expected 2")
    require(
        weights.shape[1] == input.shape[1],
        f"weights.shape[1] is {weights.shape[1]}, expected {input.shape[1]} (input.shape[1])",
    )
    require(
        group_indices.shape[0] == input.shape[0],
        f"group_indices.shape[0] is {group_indices.shape[0]}, expected {input.shape[0]} "
        "(input.shape[0])",
    )
    if bias is not None:
        require(bias.rank == 2, f"bias has rank {bias.rank}, expected 2")
        require(
            bias.shape[0] == weights.shape[0],
            f"bias.shape[0] is {bias.shape[0]}, expected {weights.shape[0]} (weights.shape[0])",
        )
        require(
            bias.shape[1] == weights.shape[2],
            f"bias.shape[1] is {bias.shape[1]}, expected {weights.shape[2]} (weights.shape[2])",
        )
    require(
        weights.shape[0] >= 1 or group_indices.size == 0,
        "weights.shape[0] is 0, expected at least 1 (group_indices has values)",
    )
    output(output=[input.shape[0], group_indices.shape[1], weights.shape[2]])
