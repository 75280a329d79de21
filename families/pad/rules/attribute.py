"""The rule of Pad before version 11: pads and value are attributes."""

from _shared.padding import check_mode, padded_size

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require_attribute,
    rounded,
)


def checked(name: str, given: Ints | None, rank: int) -> Ints:
    """Two values for each axis; the attribute of another version is absent."""
    if given is None:
        return []
    require_attribute(
        len(given) == 2 * rank,
        f"{name} has {counted(len(given), 'value')}, expected {2 * rank} (2 for each axis of data)",
    )
    for i in range(len(given)):
        require_attribute(
            negative_pads or given[i] >= 0, f"{name}[{i}] is {given[i]}, expected at least 0"
        )
    return given


def rules(
    data: Tensor,
    *,
    mode: str,
    paddings: Ints | None = None,
    pads: Ints | None = None,
    value: float,
) -> None:
    """As many values as twice the rank: those before each axis, then those after each one."""
    rank = data.rank
    check_mode(mode, wrap_mode)
    first = checked("paddings", paddings, rank)
    second = checked("pads", pads, rank)
    sizes: list[int] = []
    begin: list[int] = []
    for axis in range(rank):
        size = data.shape[axis]
        if axis + rank < len(first):
            begin.append(first[axis])
            sizes.append(padded_size("paddings", size, first[axis], first[axis + rank], axis, mode))
        elif axis + rank < len(second):
            begin.append(second[axis])
            sizes.append(padded_size("pads", size, second[axis], second[axis + rank], axis, mode))
    output(output=sizes)
    plan(mode=mode, begin=begin, value=rounded(value, data.type))
