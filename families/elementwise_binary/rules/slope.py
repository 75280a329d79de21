"""A slope that broadcasts to X, which keeps its shape; in early versions one for each channel."""

from _shared.broadcast import check_broadcasts_to

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(X: Tensor, slope: Tensor, *, consumed_inputs: Ints | None = None) -> None:
    """X gives the shape. One dim of slope is, per channel, that of axis 1 before any other.

    The plan tells at which axis of the output the axes of slope begin.
    """
    first = X.rank - slope.rank
    channels = 0
    if per_channel and slope.rank == 1 and X.rank >= 2 and X.shape[1] == slope.size:
        channels = 1
        first = 1
    if channels == 0:
        check_broadcasts_to("slope.shape", slope.shape, "X.shape", X.shape)
    output(Y=X.shape)
    plan(first=first)
