"""The rule of ReverseSequence: one of the first two axes is the batch, the other one is time."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(input: Tensor, sequence_lens: Tensor, *, batch_axis: int, time_axis: int) -> None:
    """A length for each sequence of the batch."""
    require(input.rank >= 2, f"input has rank {input.rank}, expected at least 2")
    require_attribute(
        batch_axis == 0 or batch_axis == 1, f"batch_axis is {batch_axis}, expected 0 or 1"
    )
    require_attribute(
        time_axis == 1 - batch_axis,
        f"time_axis is {time_axis}, expected {1 - batch_axis} (batch_axis is {batch_axis})",
    )
    check_rank("sequence_lens", sequence_lens, 1)
    batch = input.shape[0] if batch_axis == 0 else input.shape[1]
    require(
        sequence_lens.size == batch,
        f"sequence_lens.shape[0] is {sequence_lens.size}, "
        f"expected {batch} (input.shape[{batch_axis}])",
    )
    output(Y=input.shape)
    plan(batch_first=batch_axis == 0)
