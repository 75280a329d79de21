"""The rule of the family tile_along_axis."""

from opmill_gen.rule_language.language import Tensor, int64, is_int64, output, plan, require


def whole(name: str, t: Tensor) -> int:
    """The one value of a tensor of floats, as an integer."""
    require(t.size == 1, f"{name} must hold one value, got shape {t.shape}")
    value = t.numbers[0]
    require(is_int64(value), f"{name} must be an integer value, got {value}")
    return int64(value)


def rules(input: Tensor, tiles: Tensor, axis: Tensor) -> None:
    """One count and one axis; a negative axis counts from the end."""
    count = whole("tiles", tiles)
    require(count >= 0, f"tiles = {count} is negative")
    along = whole("axis", axis)
    r = input.rank
    require(r > 0, f"axis = {along} is out of range for rank 0, which has no axes")
    require(
        -r <= along < r, f"axis = {along} is out of range for rank {r}, expected {-r} to {r - 1}"
    )
    along = along + r if along < 0 else along
    result = list(input.shape)
    result[along] = input.shape[along] * count
    output(output=result)
    plan(along=along, count=count)
