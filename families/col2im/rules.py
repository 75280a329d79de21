"""The rule of Col2Im: as many blocks as windows fit the padded image."""

from _shared.values import check_rank
from _shared.windows import per_axis

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_type,
)


def rules(
    input: Tensor,
    image_shape: Tensor,
    block_shape: Tensor,
    *,
    dilations: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """The channels hold the elements of a block, the last axis has the blocks."""
    require_type(input.type != "string", "input has type string, expected a type with sums")
    check_rank("input", input, 3)
    check_rank("image_shape", image_shape, 1)
    check_rank("block_shape", block_shape, 1)
    n = image_shape.size
    require(1 <= n <= 62, f"image_shape has {counted(n, 'value')}, expected 1 to 62")
    require(
        block_shape.size == n,
        f"block_shape has {counted(block_shape.size, 'value')}, expected {n} (as image_shape)",
    )
    sizes = image_shape.values
    lengths = block_shape.values
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    padding = per_axis("pads", pads, 2 * n, 0, 0)
    elements = 1
    count = 1
    image: list[int] = []
    block: list[int] = []
    blocks: list[int] = []
    for i in range(n):
        require(
            sizes[i] >= 0,
            f"image_shape[{i}] is {sizes[i]}, expected at least 0",
        )
        require(
            lengths[i] >= 1,
            f"block_shape[{i}] is {lengths[i]}, expected at least 1",
        )
        size = sizes[i] + padding[i] + padding[n + i]
        reach = (lengths[i] - 1) * spread[i] + 1
        require(
            reach <= size,
            f"block size is {reach} on axis {i}, "
            f"expected at most {size} (image_shape[{i}] with its pads)",
        )
        stride = max(1, step[i])  # already at least 1; max() proves it to the compiler
        blocks.append((size - reach) // stride + 1)
        image.append(sizes[i])
        block.append(lengths[i])
        elements = elements * max(1, lengths[i])
        count = count * blocks[i]
    channels = input.shape[1] // max(1, elements)
    require(
        input.shape[1] == channels * elements,
        f"input.shape[1] is {input.shape[1]}, "
        f"expected a multiple of {elements} (the elements of a block)",
    )
    require(
        input.shape[2] == count,
        f"input.shape[2] is {input.shape[2]}, expected {count} (the number of blocks)",
    )
    output(output=[input.shape[0], channels] + image)
    plan(
        block=block,
        blocks=blocks,
        strides=step,
        dilations=spread,
        begin=padding[:n],
    )
