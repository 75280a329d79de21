"""The rule of Tile-1: one axis, and a count for it."""

from _shared.axes import input_axis

from opmill_gen.rule_language.language import Tensor, int64, is_int64, output, plan, require


def whole(name: str, t: Tensor) -> int:
    """The one value of a tensor of floats, as an integer."""
    require(t.size == 1, f"{name} has shape {t.shape}, expected one value")
    value = t.numbers[0]
    require(is_int64(value), f"{name} is {value}, expected an integer")
    return int64(value)


def rules(input: Tensor, tiles: Tensor, axis: Tensor) -> None:
    """One count and one axis; a negative axis counts from the end."""
    count = whole("tiles", tiles)
    require(count >= 0, f"tiles is {count}, expected at least 0")
    along = input_axis("axis", whole("axis", axis), input.rank, True)
    result = list(input.shape)
    result[along] = input.shape[along] * count
    output(output=result)
    repeats = [1] * input.rank
    repeats[along] = count
    plan(repeats=repeats)
