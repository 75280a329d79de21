"""The rule of Shape with `start` and `end`."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(data: Tensor, *, start: int, end: int | None = None) -> None:
    """The dims from one axis to another, both clamped to the rank."""
    rank = data.rank
    first = start + rank if start < 0 else start
    first = min(max(first, 0), rank)
    last = rank
    if end is not None:
        last = end + rank if end < 0 else end
        last = min(max(last, 0), rank)
    values: list[int] = []
    for i in range(rank):
        if first <= i < last:
            values.append(data.shape[i])
    output(shape=[len(values)])
    plan(values=values)
