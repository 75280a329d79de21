"""The rule of the family one_hot."""

from _shared.axes import attribute_axis
from _shared.values import check_length, check_one, check_rank

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensor,
    ceil,
    floor,
    int64,
    is_int64,
    output,
    plan,
    require,
)


def whole(depth: Tensor) -> int:
    """The one value of `depth`, without its fraction."""
    if depth.type in ("double", "float", "float16"):
        given = depth.numbers[0]
        value = floor(given) if given >= 0.0 else ceil(given)
        require(is_int64(value), f"depth is {given}, expected a number that int64 holds")
        return int64(value)
    return depth.values[0]


def rules(indices: Tensor, depth: Tensor, values: Tensor, *, axis: int) -> None:
    """The axes of the indices, with one of size `depth` among them."""
    rank = indices.rank + 1
    require(rank <= MAX_RANK, f"output has rank {rank}, expected at most {MAX_RANK}")
    check_one("depth", depth)
    check_rank("values", values, 1)
    check_length("values", values.size, 2, "one off and one on")
    along = attribute_axis("axis", axis, rank, True)
    size = whole(depth)
    require(size >= 0, f"depth is {size}, expected at least 0")
    dims: list[int] = []
    for i in range(rank):
        if i < along:
            dims.append(indices.shape[i])
        elif i == along:
            dims.append(size)
        else:
            dims.append(indices.shape[i - 1])
    output(output=dims)
    plan(axis=along, depth=size)
