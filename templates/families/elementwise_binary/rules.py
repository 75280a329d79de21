"""The rule of the family elementwise_binary."""

from _shared.broadcasting import dim_at

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def fits(A: Ints, B: Ints, first: int) -> None:
    """B's dims are those of A from an axis on."""
    for i in range(len(B)):
        require(
            A[first + i] == B[i],
            f"B {B} does not match the dims of A {A} from axis {first} on",
        )


def rules(
    A: Tensor,
    B: Tensor,
    *,
    axis: int | None = None,
    broadcast: int | None = None,
    consumed_inputs: Ints | None = None,
) -> None:
    """Early versions have `broadcast`: B may be smaller than A then, and A gives the shape.

    The plan tells at which axis of the output the axes of B begin.
    """
    if broadcast is None:
        r = max(A.rank, B.rank)
        result = []
        for i in range(r):
            a = dim_at(A.shape, i - (r - A.rank))
            b = dim_at(B.shape, i - (r - B.rank))
            require(
                a == b or a == 1 or b == 1,
                f"cannot broadcast dim {a} of A with dim {b} of B at output axis {i}; "
                f"A {A.shape}, B {B.shape}",
            )
            result.append(b if a == 1 else a)
        output(C=result)
        plan(first=r - B.rank)
    else:
        smaller = broadcast
        require_attribute(
            smaller == 0 or smaller == 1, f"broadcast must be 0 or 1, got {smaller}"
        )
        if smaller == 0:
            require(
                A.shape == B.shape,
                f"A {A.shape} and B {B.shape} must have the same shape where broadcast is 0",
            )
            plan(first=0)
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
                    require_attribute(
                        0 <= first <= room, f"axis must be in [0, {room}], got {first}"
                    )
                fits(A.shape, B.shape, first)
            plan(first=first)
        output(C=A.shape)
