"""The length of a range, for the rules of Range."""

from _shared.values import check_one

from opmill_gen.rule_language.language import (
    Positive,
    Tensor,
    ceil,
    int64,
    is_int64,
    require,
)


def quotient(below: int, above: int, step: Positive) -> int:
    """(above - below) // step, also where the difference does not fit int64."""
    less = 1 if above % step < below % step else 0
    return above // step - below // step - less


def count_up(start: int, limit: int, delta: int) -> int:
    """The number of integers in a range; no product and no difference overflows int64."""
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


def count_of(start: Tensor, limit: Tensor, delta: Tensor | None) -> int:
    """The number of steps, of 1 where no other distance is given, before the limit is reached."""
    check_one("start", start)
    check_one("limit", limit)
    if delta is not None:
        check_one("delta", delta)
    if start.type in ("int16", "int32", "int64"):
        step = delta.values[0] if delta is not None else 1
        require(step != 0, "delta is 0, expected a number other than 0")
        return count_up(start.values[0], limit.values[0], step)
    distance = delta.numbers[0] if delta is not None else 1.0
    require(distance != 0.0, "delta is 0, expected a number other than 0")
    steps = ceil((limit.numbers[0] - start.numbers[0]) / distance)
    require(steps - steps == 0.0, "number of elements is infinite or NaN, expected a finite number")
    require(steps < 9223372036854775808.0, "output size overflows, expected at most 2^63-1")
    if steps > 0.0:
        require(is_int64(steps), "output size overflows, expected at most 2^63-1")
        return int64(steps)
    return 0
