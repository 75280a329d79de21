"""The shapes that the losses of classifications share."""

from opmill_gen.rule_language.language import Ints, Tensor, require, require_attribute


def check_loss_reduction(reduction: str) -> None:
    """One of the three ways to sum up losses."""
    require_attribute(
        reduction in ("none", "mean", "sum"),
        f"reduction is '{reduction}', expected 'none', 'mean' or 'sum'",
    )


def check_classes(name: str, data: Tensor, target_name: str, target: Tensor) -> None:
    """Data of the shape (N, C, d1, ...) and a target of the shape (N, d1, ...)."""
    require(data.rank >= 2, f"{name} has rank {data.rank}, expected at least 2")
    require(
        target.rank == data.rank - 1,
        f"{target_name} has rank {target.rank}, expected {data.rank - 1} "
        f"(the rank of {name} less 1)",
    )
    for i in range(target.rank):
        axis = i if i == 0 else i + 1
        require(
            target.shape[i] == data.shape[axis],
            f"{target_name}.shape[{i}] is {target.shape[i]}, expected {data.shape[axis]} "
            f"({name}.shape[{axis}])",
        )


def check_weights(name: str, weights: Tensor, data_name: str, data: Tensor) -> None:
    """One weight for each class, once the data has been checked."""
    require(weights.rank == 1, f"{name} has rank {weights.rank}, expected 1")
    if data.rank >= 2:
        require(
            weights.size == data.shape[1],
            f"{name}.shape[0] is {weights.shape[0]}, expected {data.shape[1]} "
            f"({data_name}.shape[1])",
        )


def loss_dims(target: Tensor, reduction: str) -> Ints:
    """The shape of the loss: a scalar unless every sample has a loss of its own."""
    dims: list[int] = []
    if reduction == "none":
        for i in range(target.rank):
            dims.append(target.shape[i])
    return dims
