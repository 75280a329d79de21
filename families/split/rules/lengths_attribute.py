"""The rule of Split where the lengths are an attribute."""

from _shared.axes import attribute_axis
from _shared.parts import check_lengths, equal_length

from opmill_gen.rule_language.language import Ints, OutputCount, Tensor, output, plan


def rules(input: Tensor, *, axis: int, split: Ints | None, outputs: OutputCount) -> None:
    """The lengths that the attribute lists, else equal ones."""
    along = attribute_axis("axis", axis, input.rank, True)
    size = input.shape[along]
    part = list(input.shape)
    if split is None:
        part[along] = equal_length(size, along, outputs)
        for _k in range(outputs):
            output(outputs=part)
    else:
        check_lengths(split, size, along, outputs)
        for k in range(len(split)):
            part[along] = split[k]
            output(outputs=part)
    plan(axis=along)
