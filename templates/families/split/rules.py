"""The rule of the family split."""

from _shared.axes import axis_of
from _shared.parts import check_lengths, equal_length

from opmill_gen.rule_language.language import (
    Ints,
    OutputCount,
    Tensor,
    int64,
    is_int64,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    input: Tensor,
    split: Tensor | None,
    *,
    axis: int | None,
    split_attribute: Ints | None = None,
    num_outputs: int | None = None,
    outputs: OutputCount,
) -> None:
    """The lengths that `split` or the attribute lists, else equal ones."""
    along = axis_of(0 if axis is None else axis, input.rank, negative_axis)
    size = input.shape[along]
    part = list(input.shape)
    require_attribute(
        not says_how or split is not None or num_outputs is not None,
        "either split or num_outputs must be given",
    )
    if split is not None:
        require(split.rank == 1, f"split must be 1-D, got rank {split.rank}")
        require_attribute(
            split_attribute is None, "split is given both as an input and as an attribute"
        )
        require_attribute(num_outputs is None, "split and num_outputs exclude each other")
        if floats:
            count = split.shape[0]
            require(
                count == outputs,
                f"split has {count} values but {outputs} outputs are asked for",
            )
            total = 0
            for k in range(outputs):
                value = split.numbers[k]
                require(is_int64(value), f"split[{k}] = {value} must be an integer value")
                require(int64(value) >= 0, f"split[{k}] = {value} is negative")
                total += int64(value)
            require(total == size, f"split adds up to {total} but axis {along} has {size} elements")
            for k in range(outputs):
                value = split.numbers[k]
                part[along] = int64(value) if is_int64(value) else 0
                output(outputs=part)
        else:
            check_lengths(split.values, size, along, outputs)
            for k in range(len(split.values)):
                part[along] = split.values[k]
                output(outputs=part)
    elif split_attribute is not None:
        check_lengths(split_attribute, size, along, outputs)
        for k in range(len(split_attribute)):
            part[along] = split_attribute[k]
            output(outputs=part)
    elif says_how:
        require_attribute(
            num_outputs is None or num_outputs == outputs,
            f"num_outputs is {num_outputs} but {outputs} outputs are asked for",
        )
        count = max(1, outputs)  # which it is; a divisor has to be seen to be
        length = (size + count - 1) // count
        last = size - length * (count - 1)
        require(
            last >= 0,
            f"axis {along} has {size} elements, too few for {count} parts of which all but the "
            f"last have {length}",
        )
        for k in range(outputs):
            part[along] = length if k < outputs - 1 else last
            output(outputs=part)
    else:
        part[along] = equal_length(size, along, outputs)
        for _k in range(outputs):
            output(outputs=part)
    plan(axis=along)
