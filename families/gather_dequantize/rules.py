"""The rule of GatherBlockQuantized: types decide how codes are stored and what scales may be."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def odd_part_of_block(size: int) -> int:
    """16 for a power of 2 that is at least 16, and another number for all others."""
    rest = size
    for _ in range(64):
        if rest > 16 and rest % 2 == 0:
            rest = rest // 2
    return rest


def rules(
    data: Tensor,
    indices: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    *,
    bits: int,
    block_size: int,
    gather_axis: int,
    quantize_axis: int,
) -> None:
    """The attributes first, then the shapes in the order of the inputs."""
    is_packed = data.type == "uint8"
    is_whole = data.type in ("int4", "uint4", "uint8")
    first = attribute_axis("gather_axis", gather_axis, data.rank, True)
    along = attribute_axis("quantize_axis", quantize_axis, data.rank, True)
    last = data.rank - 1
    if is_packed:
        require_attribute(
            bits == 2 or bits == 4 or bits == 8, f"bits is {bits}, expected 2, 4 or 8"
        )
        require(data.rank >= 2, "data has rank 1, expected at least 2 (it is uint8)")
        require_attribute(first == 0, f"gather_axis is {gather_axis}, expected 0 (data is uint8)")
        require_attribute(
            along == last,
            f"quantize_axis is {quantize_axis}, expected {last} (the last axis, as data is uint8)",
        )
    elif is_whole:
        require_attribute(bits == 4, f"bits is {bits}, expected 4 (data is {data.type})")
    if is_whole or block_size != 0:
        require_attribute(
            odd_part_of_block(block_size) == 16,
            f"block_size is {block_size}, expected a power of 2 that is at least 16",
        )
    dims = list(data.shape)
    if is_packed:
        for i in range(data.rank):
            if i == last:
                dims[i] = dims[i] * (8 // max(1, bits))
    length = dims[along]
    block = max(1, length)
    if block_size != 0:
        block = max(1, min(block_size, length))
    blocks = (length - 1) // block + 1
    require(
        scales.rank == data.rank,
        f"scales has rank {scales.rank}, expected {data.rank} (the rank of data)",
    )
    for i in range(data.rank):
        if i == along:
            require(
                scales.shape[i] == blocks,
                f"scales.shape[{i}] is {scales.shape[i]}, "
                f"expected {blocks} (the blocks of axis {i})",
            )
        elif is_whole or scales.shape[i] != 1:
            require(
                scales.shape[i] == dims[i],
                f"scales.shape[{i}] is {scales.shape[i]}, "
                f"expected {dims[i]} (the size of axis {i})",
            )
    if zero_points is not None:
        require(
            is_whole,
            f"input 'zero_points' is given, expected none (data is {data.type})",
        )
        wanted = list(scales.shape)
        if is_packed:
            for i in range(scales.rank):
                if i == last:
                    wanted[i] = (wanted[i] * max(1, bits) - 1) // 8 + 1
        require(
            zero_points.shape == wanted,
            f"zero_points.shape is {zero_points.shape}, expected {wanted} (for scales of "
            f"{scales.shape})",
        )
    rank = data.rank - 1 + indices.rank
    require(rank <= MAX_RANK, f"output has rank {rank}, expected at most {MAX_RANK}")
    result = []
    for i in range(rank):
        if i < first:
            result.append(dims[i])
        elif i < first + indices.rank:
            result.append(indices.shape[i - first])
        else:
            result.append(dims[i - indices.rank + 1])
    output(output=result)
    width = 8
    if is_packed:
        width = bits
    elif is_whole or data.type == "float4e2m1":
        width = 4
    zero = 0
    if is_packed:
        zero = 128 if bits == 8 else 8 if bits == 4 else 2
    plan(along=along, bits=width, block=block, first=first, packed=is_packed, zero=zero)
