"""The rule of SplitToSequence."""

from _shared.axes import attribute_axis
from _shared.parts import check_total
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, counted, output, plan, require


def rules(input: Tensor, split: Tensor | None, *, axis: int, keepdims: int) -> None:
    """Parts of one length, or of the lengths that `split` lists."""
    along = attribute_axis("axis", axis, input.rank, True)
    check_flag("keepdims", keepdims)
    size = input.shape[along]
    part = list(input.shape)
    if split is not None and split.rank > 0:
        require(split.rank == 1, f"split has rank {split.rank}, expected 0 or 1")
        count = len(split.values)
        require(count <= 1048576, f"split has {counted(count, 'value')}, expected at most 1048576")
        total = 0
        for k in range(count):
            length = split.values[k]
            require(length >= 0, f"split[{k}] is {length}, expected at least 0")
            total += length
        check_total(total, size, along)
        for k in range(count):
            part[along] = split.values[k]
            output(output_sequence=part)
    elif split is not None:
        chunk = split.values[0]
        require(chunk >= 1, f"split is {chunk}, expected at least 1")
        count = 0 if size == 0 else (size - 1) // chunk + 1
        require(count <= 1048576, f"number of parts is {count}, expected at most 1048576")
        for k in range(count):
            part[along] = min(chunk, size - k * chunk)
            output(output_sequence=part)
    else:
        require(
            size <= 1048576,
            f"axis {along} has size {size}, expected at most 1048576 (one part each)",
        )
        alone: list[int] = []
        for i in range(input.rank):
            if i != along:
                alone.append(input.shape[i])
            elif keepdims == 1:
                alone.append(1)
        for _k in range(size):
            output(output_sequence=alone)
    plan(axis=along, drops_axis=split is None and keepdims == 0)
