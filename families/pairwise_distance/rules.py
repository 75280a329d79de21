"""The rule of CDist: two matrices with as many columns, and one of two distances."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(A: Tensor, B: Tensor, *, metric: str) -> None:
    """A distance for each pair of rows."""
    require_attribute(
        metric in ("euclidean", "sqeuclidean"),
        f"metric is '{metric}', expected 'euclidean' or 'sqeuclidean'",
    )
    check_rank("A", A, 2)
    check_rank("B", B, 2)
    require(
        A.shape[1] == B.shape[1],
        f"B.shape[1] is {B.shape[1]}, expected {A.shape[1]} (A.shape[1])",
    )
    output(C=[A.shape[0], B.shape[0]])
    plan(root=metric == "euclidean")
