"""The rule of Pad since version 11: pads and the value are inputs."""

from _shared.padding import check_mode, check_value, padded_size
from _shared.values import check_length, check_rank

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(data: Tensor, pads: Tensor, constant_value: Tensor | None, *, mode: str) -> None:
    """As many values as twice the rank: those before each axis, then those after each one."""
    rank = data.rank
    check_mode(mode, wrap_mode)
    check_rank("pads", pads, 1)
    check_value(constant_value)
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
