"""Broadcasting as NumPy does it: dims of 1 of either input give way, axes are lacking in front."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(A: Tensor, B: Tensor) -> None:
    """Both shapes, aligned at their ends, give that of the output.

    The plan tells at which axis of the output the axes of B begin.
    """
    r = max(A.rank, B.rank)
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
    plan(first=r - B.rank)
