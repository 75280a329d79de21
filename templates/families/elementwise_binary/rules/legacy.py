"""Broadcasting before version 7: B alone may be smaller, where an attribute says so."""

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    A: Tensor,
    B: Tensor,
    *,
    axis: int | None,
    broadcast: int,
    consumed_inputs: Ints | None = None,
) -> None:
    """A gives the shape. B has it too, or is one element, or some adjacent axes of it.

    The plan tells at which axis of the output the axes of B begin.
    """
    first = 0
    require_attribute(0 <= broadcast <= 1, f"broadcast must be 0 or 1, got {broadcast}")
    if broadcast == 0:
        require(
            A.shape == B.shape,
            f"A {A.shape} and B {B.shape} must have the same shape where broadcast is 0",
        )
    else:
        require(
            B.rank <= A.rank,
            f"B has rank {B.rank}, above the rank {A.rank} of A, which gives the shape",
        )
        room = A.rank - B.rank
        first = room
        if B.size != 1:
            if axis is not None:
                first = axis
                require_attribute(0 <= first <= room, f"axis must be in [0, {room}], got {first}")
            for i in range(B.rank):
                require(
                    A.shape[first + i] == B.shape[i],
                    f"B {B.shape} does not match the dims of A {A.shape} from axis {first} on",
                )
    output(C=A.shape)
    plan(first=first)
