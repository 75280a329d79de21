"""The rule of com.microsoft's Range, whose distance is 1 where none is given."""

from _shared.ranges import count_of

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(start: Tensor, limit: Tensor, delta: Tensor | None) -> None:
    """One number for each step that begins before the limit is reached."""
    output(Y=[count_of(start, limit, delta)])
    plan(in_double=True)
