"""The rule of Shape without attributes."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(data: Tensor) -> None:
    """All dims."""
    values: list[int] = []
    for i in range(data.rank):
        values.append(data.shape[i])
    output(shape=[len(values)])
    plan(values=values)
