"""Checks of scales, biases and statistics in rules of normalisations."""

from opmill_gen.rule_language.language import Ints, Tensor, require


def check_broadcast(name: str, tensor: Tensor, X: Tensor) -> None:
    """A tensor that broadcasts to X, whose shape stays."""
    require(
        tensor.rank <= X.rank,
        f"{name} has rank {tensor.rank}, expected at most {X.rank} (the rank of X)",
    )
    for i in range(tensor.rank):
        dim = X.shape[X.rank - tensor.rank + i]
        require(
            tensor.shape[i] == dim or tensor.shape[i] == 1,
            f"{name}.shape is {tensor.shape}, expected to broadcast to {X.shape} (the shape of X)",
        )


def check_vector(name: str, tensor: Tensor, length: int, what: str) -> None:
    """A tensor of rank 1 with as many elements as something else has, of which messages tell."""
    require(
        tensor.rank == 1 and tensor.size == length,
        f"{name}.shape is {tensor.shape}, expected [{length}] ({what})",
    )


def statistics_shape(X: Tensor, spatial: int, vector: bool) -> Ints:
    """The shape of what a channel has one of: [C], or [C, D1, ..., Dn] where each place is one."""
    min_rank = 1 if vector else 2
    require(X.rank >= min_rank, f"X has rank {X.rank}, expected at least {min_rank}")
    dims: list[int] = []
    if spatial == 0:
        for i in range(X.rank):
            if i > 0:
                dims.append(X.shape[i])
    elif X.rank == 1:
        dims.append(1)
    else:
        dims.append(X.shape[1])
    return dims


def check_statistics(name: str, tensor: Tensor, dims: Ints) -> None:
    """A tensor with an element for each channel."""
    require(
        tensor.shape == dims,
        f"{name}.shape is {tensor.shape}, expected {dims} (one element for each channel of X)",
    )


def one_for_each_row(X: Tensor, first: int) -> Ints:
    """The shape of what a row has one of: that of X with 1 for the axes from the first of a row."""
    dims = list(X.shape)
    for i in range(X.rank):
        if i >= first:
            dims[i] = 1
    return dims
