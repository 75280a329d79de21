"""The rule of global poolings that take a p-norm."""

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(X: Tensor, *, p: float) -> None:
    """One window over all spatial axes."""
    require(X.rank >= 2, f"X has rank {X.rank}, expected at least 2")
    require_attribute(p >= 1.0, f"p is {p}, expected at least 1")
    require_attribute(p <= 1e300, f"p is {p}, expected a finite number")
    n = X.rank - 2
    dims = [X.shape[0], X.shape[1]]
    for i in range(n):
        length = X.shape[2 + i]
        require(length >= 1, f"X.shape[{2 + i}] is {length}, expected at least 1")
        dims.append(1)
    output(Y=dims)
    plan(
        kernel=X.shape[2:],
        strides=[1] * n,
        dilations=[1] * n,
        begin=[0] * n,
        counted=[0] * (2 * n),
        p=p,
    )
