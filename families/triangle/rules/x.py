"""The rule of com.microsoft's Trilu, whose tensors have other names."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(X: Tensor, k: Tensor | None, *, upper: int) -> None:
    """A diagonal beyond the matrix is moved to its nearest corner."""
    rank = X.rank
    require(rank >= 2, f"X has rank {rank}, expected at least 2")
    diagonal = 0
    if k is not None:
        require(k.size == 1, f"k has shape {k.shape}, expected one element")
        diagonal = k.values[0]
    rows = X.shape[rank - 2]
    columns = X.shape[rank - 1]
    output(Y=X.shape)
    plan(diagonal=min(max(diagonal, -rows), columns), upper=upper != 0)
