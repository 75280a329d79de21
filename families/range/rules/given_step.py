"""The rule of Range: a number for each step, whose distance is an input."""

from _shared.ranges import count_of

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(start: Tensor, limit: Tensor, delta: Tensor, *, stash_type: int = 1) -> None:
    """One number for each step that begins before the limit is reached."""
    require_attribute(
        stash_type == 1 or stash_type == 11,
        f"stash_type is {stash_type}, expected 1 (float) or 11 (double)",
    )
    output(output=[count_of(start, limit, delta)])
    plan(in_double=stash_type == 11)
