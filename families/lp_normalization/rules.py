"""The rule of LpNormalization."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(input: Tensor, *, axis: int, p: int) -> None:
    """One axis, and the first or the second norm."""
    first = attribute_axis("axis", axis, input.rank, True)
    require_attribute(p == 1 or p == 2, f"p is {p}, expected 1 or 2")
    plan(axis=first, p=p)
    output(output=input.shape)
