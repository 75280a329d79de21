"""Shapes that are broadcast to each other, as NumPy does it, or one way.

``name`` and its kin are what messages call a list of dims: ``A.shape``, or ``shape`` for the values
of an input.
"""

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Dims,
    Ints,
    Tensors,
    require,
    require_attribute,
)


def broadcast_two(a_name: str, a: Dims, b_name: str, b: Dims) -> Ints:
    """The shape of both together: aligned at the last axis, a dim of 1 takes the other's."""
    rank = max(len(a), len(b))
    result: list[int] = []
    for i in range(rank):
        p = i - (rank - len(a))
        q = i - (rank - len(b))
        left = a[p] if p >= 0 else 1
        right = b[q] if q >= 0 else 1
        require(
            left == right or left == 1 or right == 1,
            f"{b_name}[{q}] is {right}, expected 1 or {left} ({a_name}[{p}])",
        )
        result.append(right if left == 1 else left)
    return result


def broadcast_three(a_name: str, a: Dims, b_name: str, b: Dims, c_name: str, c: Dims) -> Ints:
    """The shape of three together; the third has to fit what the first two give."""
    both = broadcast_two(a_name, a, b_name, b)
    rank = max(len(both), len(c))
    result: list[int] = []
    for i in range(rank):
        p = i - (rank - len(both))
        q = i - (rank - len(c))
        left = both[p] if p >= 0 else 1
        right = c[q] if q >= 0 else 1
        require(
            left == right or left == 1 or right == 1,
            f"{c_name}[{q}] is {right}, expected 1 or {left} "
            f"(axis {p} of {a_name} and {b_name} together)",
        )
        result.append(right if left == 1 else left)
    return result


def broadcast_all(name: str, inputs: Tensors) -> Ints:
    """The shape of all inputs together; each has to fit what those before it give."""
    rank = 0
    for k in range(len(inputs)):
        rank = max(rank, inputs[k].rank)
    require(rank <= MAX_RANK, f"{name} has rank {rank}, expected at most {MAX_RANK}")
    result: list[int] = []
    for i in range(rank):
        dim = 1
        for k in range(len(inputs)):
            p = i - (rank - inputs[k].rank)
            own = inputs[k].shape[p] if p >= 0 else 1
            require(
                own == dim or own == 1 or dim == 1,
                f"{name}[{k}].shape[{p}] is {own}, expected 1 or {dim} (as in the inputs before)",
            )
            dim = own if dim == 1 else dim
        result.append(dim)
    return result


def common_shape(name: str, inputs: Tensors, together: bool) -> Ints:
    """The shape of all inputs together, which is that of each where they are not broadcast."""
    if not together:
        for k in range(1, len(inputs)):
            require(
                inputs[k].shape == inputs[0].shape,
                f"{name}[{k}].shape is {inputs[k].shape}, "
                f"expected {inputs[0].shape} ({name}[0].shape)",
            )
    return broadcast_all(name, inputs)


def check_broadcasts_to(name: str, given: Dims, target_name: str, target: Dims) -> None:
    """One way: the target keeps its shape, of which the given dims are the last ones, or 1."""
    skipped = len(target) - len(given)
    require(
        skipped >= 0,
        f"{name} has {len(given)} dims, expected at most {len(target)} (those of {target_name})",
    )
    for i in range(len(given)):
        dim = target[skipped + i]
        require(
            given[i] == 1 or given[i] == dim or dim == 1,
            f"{name}[{i}] is {given[i]}, expected 1 or {dim} ({target_name}[{skipped + i}])",
        )
        require(
            given[i] == 1 or dim != 1,
            f"{name}[{i}] is {given[i]}, expected 1 ({target_name}[{skipped + i}])",
        )


def legacy_first_axis(
    a_name: str, a: Dims, b_name: str, b: Dims, b_size: int, axis: int | None, broadcast: int
) -> int:
    """The axis of A at which the axes of B begin, by the attributes axis and broadcast.

    Operators before version 7 have them: B is one value, or a stretch of A's dims, the last ones
    where axis is absent. Dims of 1 of B take A's, never the other way round.
    """
    require_attribute(0 <= broadcast <= 1, f"broadcast is {broadcast}, expected 0 or 1")
    if broadcast == 0:
        require(
            a == b, f"{b_name}.shape is {b}, expected {a} ({a_name}.shape, where broadcast is 0)"
        )
        return 0
    last = len(a) - len(b)
    require(
        last >= 0,
        f"{b_name} has rank {len(b)}, expected at most {len(a)} (the rank of {a_name})",
    )
    if b_size == 1 or axis is None:
        first = last
    else:
        require_attribute(0 <= axis <= last, f"axis is {axis}, expected 0 to {last}")
        first = axis
    if b_size != 1:
        for i in range(len(b)):
            dim = a[first + i]
            require(
                b[i] == 1 or b[i] == dim or dim == 1,
                f"{b_name}.shape[{i}] is {b[i]}, expected 1 or {dim} ({a_name}.shape[{first + i}])",
            )
            require(
                b[i] == 1 or dim != 1,
                f"{b_name}.shape[{i}] is {b[i]}, expected 1 ({a_name}.shape[{first + i}])",
            )
    return first
