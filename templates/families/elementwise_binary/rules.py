"""The rule of the family elementwise_binary."""

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
    axis: int | None = None,
    broadcast: int = 0,
    consumed_inputs: Ints | None = None,
) -> None:
    """NumPy's broadcasting; or, one way, A gives the shape and B may be smaller.

    The plan tells at which axis of the output the axes of B begin.
    """
    first = 0
    if one_way:
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
                    require_attribute(
                        0 <= first <= room, f"axis must be in [0, {room}], got {first}"
                    )
                for i in range(B.rank):
                    require(
                        A.shape[first + i] == B.shape[i],
                        f"B {B.shape} does not match the dims of A {A.shape} from axis {first} on",
                    )
        output(C=A.shape)
    else:
        r = max(A.rank, B.rank)
        first = r - B.rank
        result = []
        for i in range(r):
            p = i - (r - A.rank)
            q = i - (r - B.rank)
            a = A.shape[p] if p >= 0 else 1
            b = B.shape[q] if q >= 0 else 1
            require(
                a == b or a == 1 or b == 1,
                f"cannot broadcast dim {a} of A with dim {b} of B at output axis {i}; "
                f"A {A.shape}, B {B.shape}",
            )
            result.append(b if a == 1 else a)
        output(C=result)
    plan(first=first)
