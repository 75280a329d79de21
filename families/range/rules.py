"""The rule of Range: how many numbers there are."""

from _shared.values import check_one

from opmill_gen.rule_language.language import (
    Positive,
    Tensor,
    ceil,
    int64,
    is_int64,
    output,
    plan,
    require,
    require_attribute,
)


def quotient(below: int, above: int, step: Positive) -> int:
    """(above - below) // step, also where the difference does not fit int64."""
    less = 1 if above % step < below % step else 0
    return above // step - below // step - less


def count_up(start: int, limit: int, delta: int) -> int:
    """How many whole numbers there are; no product and no difference leaves int64."""
    if delta > 0:
        return quotient(start, limit - 1, delta) + 1 if start < limit else 0
    if start <= limit:
        return 0
    if delta >= -9223372036854775807:
        back = -delta
        if back >= 1:
            return quotient(limit + 1, start, back) + 1
    # The least int64, which has no opposite: only from 0 or more there is a second number.
    return 2 if start >= 0 and start - 9223372036854775807 - 1 > limit else 1


def rules(start: Tensor, limit: Tensor, delta: Tensor, *, stash_type: int = 1) -> None:
    """One number for each step that begins before the limit is reached."""
    require_attribute(
        stash_type == 1 or stash_type == 11,
        f"stash_type is {stash_type}, expected 1 (float) or 11 (double)",
    )
    check_one("start", start)
    check_one("limit", limit)
    check_one("delta", delta)
    count = 0
    if start.type in ("int16", "int32", "int64"):
        require(delta.values[0] != 0, "delta is 0, expected a number other than 0")
        count = count_up(start.values[0], limit.values[0], delta.values[0])
    else:
        require(delta.numbers[0] != 0.0, "delta is 0, expected a number other than 0")
        steps = ceil((limit.numbers[0] - start.numbers[0]) / delta.numbers[0])
        require(
            steps - steps == 0.0, "number of elements is infinite or NaN, expected a finite number"
        )
        require(steps < 9223372036854775808.0, "output size overflows, expected at most 2^63-1")
        if steps > 0.0:
            require(is_int64(steps), "output size overflows, expected at most 2^63-1")
            count = int64(steps)
    output(output=[count])
    plan(in_double=stash_type == 11)
