"""The rule of windows: their length, their period and the factors of the cosines."""

from _shared.values import check_one

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan, require


def rules(size: Tensor, *, output_datatype: Opaque, periodic: int) -> None:
    """As many points as the size says; a symmetric window ends with a period of one point less."""
    check_one("size", size)
    count = size.values[0]
    require(count >= 0, f"size is {count}, expected at least 0")
    output(output=[count])
    middle = 0.5
    first = 0.5
    second = 0.0
    if window == "blackman":
        middle = 0.42
        second = 0.08
    elif window == "hamming":
        middle = 25.0 / 46.0
        first = 21.0 / 46.0
    plan(period=count if periodic != 0 else count - 1, middle=middle, first=first, second=second)
