"""The rule of Split where the lengths are an input, or only their number is given."""

from _shared.axes import attribute_axis
from _shared.parts import check_lengths, check_total, equal_length
from _shared.values import check_length, check_rank

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
    along = attribute_axis("axis", 0 if axis is None else axis, input.rank, True)
    size = input.shape[along]
    part = list(input.shape)
    require_attribute(
        not says_how or split is not None or num_outputs is not None,
        "split and num_outputs are both absent, expected one of them",
    )
    if split is not None:
        check_rank("split", split, 1)
        require_attribute(
            split_attribute is None, "split is an input and an attribute, expected one of them"
        )
        require_attribute(
            num_outputs is None, "split and num_outputs are both given, expected one of them"
        )
        if floats:
            check_length("split", split.size, outputs, "the number of outputs")
            total = 0
            for k in range(outputs):
                value = split.numbers[k]
                require(is_int64(value), f"split[{k}] is {value}, expected an integer")
                require(int64(value) >= 0, f"split[{k}] is {value}, expected at least 0")
                total += int64(value)
            check_total(total, size, along)
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
            f"num_outputs is {num_outputs}, expected {outputs} (the number of outputs)",
        )
        length = (size + outputs - 1) // outputs
        last = size - length * (outputs - 1)
        require(
            last >= 0,
            f"axis {along} has size {size}, expected at least {length * (outputs - 1)} "
            f"(all of {outputs} parts but the last have {length})",
        )
        for k in range(outputs):
            part[along] = length if k < outputs - 1 else last
            output(outputs=part)
    else:
        part[along] = equal_length(size, along, outputs)
        for _k in range(outputs):
            output(outputs=part)
    plan(axis=along)
