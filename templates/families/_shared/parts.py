"""Helpers of rules: a tensor that is cut into parts along an axis."""

from opmill_gen.rule_language.language import Ints, require


def check_lengths(lengths: Ints, size: int, axis: int, parts: int) -> None:
    """One length for each part; together they are the whole axis."""
    require(
        len(lengths) == parts, f"split has {len(lengths)} values but {parts} outputs are asked for"
    )
    total = 0
    for k in range(len(lengths)):
        require(lengths[k] >= 0, f"split[{k}] = {lengths[k]} is negative")
        total += lengths[k]
    require(total == size, f"split adds up to {total} but axis {axis} has {size} elements")


def equal_length(size: int, axis: int, parts: int) -> int:
    """The length of each of several equal parts."""
    count = max(1, parts)  # which it is; a divisor has to be seen to be
    require(
        size % count == 0, f"axis {axis} has {size} elements, which {count} equal parts do not make"
    )
    return size // count
