"""Plans the arena of a compiled network: an offset for each buffer, reused when it is free again.

The planner of segments (``native/segment_memory.h``) assigns offsets in the order of the nodes,
since it works during a run. This one has time to compare several orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

ALIGNMENT = 64
"""Of every buffer, in bytes: what kernels with vectors of any size want."""


@dataclass(slots=True, eq=False)
class Buffer:
    """Memory that is in use from one call to another.

    Args:
        bytes: its size.
        first: the position of the first call that uses it.
        last: the position of the last one.
        offset: where it begins in the arena.
    """

    bytes: int
    first: int
    last: int
    offset: int = 0

    @property
    def size(self) -> int:
        """The bytes, rounded up to the alignment."""
        return -(-self.bytes // ALIGNMENT) * ALIGNMENT

    def meets(self, other: Buffer) -> bool:
        """Return whether two buffers are in use at the same time."""
        return self.first <= other.last and other.first <= self.last


_ORDERS: tuple[Callable[[Buffer], tuple[int, ...]], ...] = (
    lambda one: (one.first, -one.size),
    lambda one: (-one.size, one.first),
    lambda one: (-one.size * (one.last - one.first + 1), one.first),
)
"""By first use; the largest first; the largest product of size and duration first."""


_MAX_ROUNDS = 50
"""The number of times that an order is changed, in search of a smaller arena."""


def plan_arena(buffers: Sequence[Buffer]) -> int:
    """Set the offset of each buffer; return the size of the arena in bytes.

    Where an order needs more than the lower bound, the buffers at the end of the arena are assigned
    first in the next round.
    """
    calls = max((one.last for one in buffers), default=-1) + 1
    bound = lower_bound(buffers, calls)
    best, total = [0] * len(buffers), -1
    for order in _ORDERS:
        ordered = sorted(buffers, key=order)
        for _ in range(_MAX_ROUNDS):
            size = _assign(ordered)
            if total < 0 or size < total:
                best, total = [one.offset for one in buffers], size
            if total <= bound:
                break
            last = [one for one in ordered if one.offset + one.size == size]
            moved = [*last, *(one for one in ordered if one not in last)]
            if moved == ordered:
                break
            ordered = moved
        if total <= bound:
            break
    for one, offset in zip(buffers, best, strict=True):
        one.offset = offset
    return max(total, 0)


def lower_bound(buffers: Sequence[Buffer], calls: int) -> int:
    """The largest sum of the buffers that one call finds in use: no arena is smaller."""
    sums = (
        sum(one.size for one in buffers if one.first <= call <= one.last) for call in range(calls)
    )
    return max(sums, default=0)


def _assign(buffers: Sequence[Buffer]) -> int:
    """Assign each buffer, in order, to the smallest gap between those that it meets."""
    assigned: list[Buffer] = []
    total = 0
    for one in buffers:
        end, best, gap = 0, -1, 0
        for other in sorted((o for o in assigned if o.meets(one)), key=lambda o: o.offset):
            free = other.offset - end
            if free >= one.size and (best < 0 or free < gap):
                best, gap = end, free
            end = max(end, other.offset + other.size)
        one.offset = best if best >= 0 else end
        assigned.append(one)
        total = max(total, one.offset + one.size)
    return total
