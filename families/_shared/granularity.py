"""Granularity of scales: for all elements, an index of an axis, or blocks of an axis.

``x`` and ``scale`` and their names are the shapes and what messages call the tensors.
"""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Dims, require, require_attribute


def scale_axis(
    x_name: str, x: Dims, scale_name: str, scale: Dims, axis: int | None, block_size: int
) -> int:
    """The axis along which scales differ, or -1 where there is one scale for all elements."""
    require_attribute(block_size >= 0, f"block_size is {block_size}, expected at least 0")
    if len(scale) == 0:
        return -1
    if len(scale) == 1 and scale[0] == 1:
        return -1
    if axis is None:
        require(
            len(scale) == 0,
            f"{scale_name}.shape is {scale}, expected [] or [1] (one scale for all elements)",
        )
        return -1
    along = attribute_axis("axis", axis, len(x), True)
    if block_size < 1:
        require(
            len(scale) == 1,
            f"{scale_name} has rank {len(scale)}, expected 0 or 1 (block_size is 0)",
        )
        require(
            scale[0] == x[along],
            f"{scale_name}.shape[0] is {scale[0]}, expected {x[along]} ({x_name}.shape[{along}])",
        )
        return along
    require(
        len(scale) == len(x),
        f"{scale_name} has rank {len(scale)}, expected {len(x)} (the rank of {x_name})",
    )
    for i in range(len(x)):
        blocks = x[i] // block_size + (1 if x[i] % block_size != 0 else 0)
        wanted = blocks if i == along else x[i]
        require(
            scale[i] == wanted,
            f"{scale_name}.shape[{i}] is {scale[i]}, expected {wanted}",
        )
    return along


def is_one(shape: Dims) -> bool:
    """Return whether a shape is [] or [1], one value for all elements."""
    if len(shape) == 0:
        return True
    return len(shape) == 1 and shape[0] == 1


def check_zero_point(name: str, zero: Dims, scale_name: str, scale: Dims) -> None:
    """A zero point for each scale: of its shape, or one for one."""
    if not is_one(zero) or not is_one(scale):
        require(
            zero == scale,
            f"{name}.shape is {zero}, expected {scale} ({scale_name}.shape)",
        )
