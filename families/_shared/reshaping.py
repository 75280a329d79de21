"""The shape of Reshape's output: sizes, of which 0 copies a dim and one -1 takes what is left."""

from opmill_gen.rule_language.language import MAX_RANK, Ints, Tensor, counted, require


def reshaped_dims(data: Tensor, shape: Ints, allowzero: int) -> Ints:
    """The dims that `shape` lists, with as many elements as the data."""
    require(
        len(shape) <= MAX_RANK,
        f"shape has {counted(len(shape), 'value')}, expected at most {MAX_RANK}",
    )
    result: list[int] = []
    known = 1
    open = -1
    zero = -1
    for i in range(len(shape)):
        size = shape[i]
        require(size >= -1, f"shape[{i}] is {size}, expected at least -1")
        if size == -1:
            require(
                open == -1, f"shape[{i}] is -1, expected at least 0 (shape[{open}] is -1 already)"
            )
            open = i
            size = 1
        elif size == 0 and allowzero != 1:
            require(
                i < data.rank,
                f"shape[{i}] is 0, expected -1 or at least 1 (data has no axis {i})",
            )
            size = data.shape[i]
        elif size == 0:
            zero = i
        known *= size
        result.append(size)
    if open == -1:
        require(
            known == data.size,
            f"shape has {counted(known, 'element')}, expected {data.size} (the size of data)",
        )
        return result
    require(
        zero == -1,
        f"shape[{open}] is -1, expected at least 0 (shape[{zero}] is 0 and allowzero is 1)",
    )
    require(known > 0, f"shape[{open}] is -1, expected at least 0 (the other sizes multiply to 0)")
    require(
        data.size % known == 0,
        f"data has {counted(data.size, 'element')}, "
        f"expected a multiple of {known} (the sizes that shape states)",
    )
    result[open] = data.size // known
    return result
