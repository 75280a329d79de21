"""Broadcasting before version 7: B alone may be smaller, where an attribute says so."""

from _shared.broadcast import legacy_first_axis

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(
    A: Tensor,
    B: Tensor,
    *,
    axis: int | None,
    broadcast: int,
    consumed_inputs: Ints | None = None,
) -> None:
    """A gives the shape. B has it too, or is one element, or some adjacent axes of it, or 1s there.

    The plan tells at which axis of the output the axes of B begin.
    """
    first = legacy_first_axis("A", A.shape, "B", B.shape, B.size, axis, broadcast)
    output(C=A.shape)
    plan(first=first)
