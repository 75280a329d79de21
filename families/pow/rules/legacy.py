"""Broadcasting before version 7: Y alone may be smaller, where an attribute says so."""

from _shared.broadcast import legacy_first_axis

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, Y: Tensor, *, axis: int | None, broadcast: int) -> None:
    """X gives the shape. Y has it too, or is one element, or some adjacent axes of it, or 1s there.

    The plan tells at which axis of the output the axes of Y begin.
    """
    first = legacy_first_axis("X", X.shape, "Y", Y.shape, Y.size, axis, broadcast)
    output(Z=X.shape)
    plan(first=first)
