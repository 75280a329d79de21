"""The rule of com.microsoft's Pad: pads may be a matrix of one row."""

from _shared.padding import check_mode, padded_size
from _shared.values import check_length

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(data: Tensor, pads: Tensor, value: Tensor | None, *, mode: str) -> None:
    """As many values as twice the rank: those before each axis, then those after each one."""
    rank = data.rank
    check_mode(mode, wrap_mode)
    require(
        pads.rank == 1 or pads.rank == 2,
        f"pads has rank {pads.rank}, expected 1 or 2",
    )
    if pads.rank == 2:
        require(pads.shape[0] == 1, f"pads has shape {pads.shape}, expected one row")
    if value is not None:
        require(value.size == 1, f"value has shape {value.shape}, expected one element")
    check_length("pads", pads.size, 2 * rank, "2 for each axis of data")
    sizes: list[int] = []
    begin: list[int] = []
    for axis in range(rank):
        before = pads.values[axis]
        after = pads.values[axis + rank]
        begin.append(before)
        sizes.append(padded_size("pads", data.shape[axis], before, after, axis, mode))
    output(output=sizes)
    plan(mode=mode, begin=begin, value=0.0)
