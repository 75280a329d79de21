"""Checks of single values: flags, ranks, lengths."""

from opmill_gen.rule_language.language import (
    Count,
    Dims,
    Tensor,
    counted,
    require,
    require_attribute,
)


def check_flag(name: str, value: int) -> None:
    """An attribute that is 0 or 1."""
    require_attribute(value == 0 or value == 1, f"{name} is {value}, expected 0 or 1")


def check_rank(name: str, tensor: Tensor, rank: Count) -> None:
    """An input of one rank."""
    require(tensor.rank == rank, f"{name} has rank {tensor.rank}, expected {rank}")


def check_length(name: str, length: int, expected: int, what: str) -> None:
    """A list of as many values as something else has, of which messages tell."""
    require(
        length == expected, f"{name} has {counted(length, 'value')}, expected {expected} ({what})"
    )


def check_one(name: str, tensor: Tensor) -> None:
    """An input of one element, of rank 0 or 1."""
    require(
        tensor.rank <= 1 and tensor.size == 1,
        f"{name}.shape is {tensor.shape}, expected [] or [1] (one element)",
    )


def check_one_element(name: str, tensor: Tensor) -> None:
    """An input of one element, of any rank."""
    require(tensor.size == 1, f"{name} has {counted(tensor.size, 'element')}, expected 1")


def check_bias(name: str, bias: Tensor, of: Dims) -> None:
    """A vector with a value for each column of the factor on the right."""
    columns = of[len(of) - 1] if len(of) >= 2 else 1
    require(
        bias.rank == 1,
        f"{name} has rank {bias.rank}, expected 1",
    )
    require(
        bias.shape[0] == columns,
        f"{name}.shape[0] is {bias.shape[0]}, expected {columns} (the columns of B)",
    )
