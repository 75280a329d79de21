"""The rule of LRN: the channels before and after one that count as its neighbours."""

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(X: Tensor, *, alpha: float, beta: float, bias: float, size: int) -> None:
    """Neighbours are at most all channels, of an even size one more after than before."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    require_attribute(size >= 1, f"size is {size}, expected at least 1")
    plan(
        before=min((size - 1) // 2, X.shape[1]),
        after=min(size // 2, X.shape[1]),
        factor=alpha / float(size),
        beta=beta,
        bias=bias,
    )
    output(Y=X.shape)
