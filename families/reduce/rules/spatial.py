"""The rule of global poolings: one window over all spatial axes."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(X: Tensor) -> None:
    """Reduce every axis after batch and channels to a dim of 1."""
    require(X.rank >= 2, f"X has rank {X.rank}, expected at least 2")
    marks = [0, 0]
    dims = [X.shape[0], X.shape[1]]
    for i in range(2, X.rank):
        require(X.shape[i] >= 1, f"X.shape[{i}] is {X.shape[i]}, expected at least 1")
        marks.append(1)
        dims.append(1)
    plan(reduces=marks)
    output(Y=dims)
