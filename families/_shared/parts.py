"""Helpers of rules: a tensor that is cut into parts along an axis."""

from _shared.values import check_length

from opmill_gen.rule_language.language import Ints, Positive, require


def check_total(total: int, size: int, axis: int) -> None:
    """The lengths together are the whole axis."""
    require(total == size, f"split adds up to {total}, expected {size} (the size of axis {axis})")


def check_lengths(lengths: Ints, size: int, axis: int, parts: int) -> None:
    """One length for each part; together they are the whole axis."""
    check_length("split", len(lengths), parts, "the number of outputs")
    total = 0
    for k in range(len(lengths)):
        require(lengths[k] >= 0, f"split[{k}] is {lengths[k]}, expected at least 0")
        total += lengths[k]
    check_total(total, size, axis)


def equal_length(size: int, axis: int, parts: Positive) -> int:
    """The length of each of several equal parts."""
    require(
        size % parts == 0,
        f"axis {axis} has size {size}, expected a multiple of {parts} (the number of outputs)",
    )
    return size // parts
