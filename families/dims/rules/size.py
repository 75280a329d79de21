"""The rule of Size."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(data: Tensor) -> None:
    """The number of elements, as a scalar."""
    values = [data.size]
    output(size=[])
    plan(values=values)
