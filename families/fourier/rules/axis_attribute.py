"""The rule of transforms along an axis that an attribute names."""

from _shared.transforms import (
    check_number_parts,
    check_sides,
    default_length,
    signal_axis_attribute,
)
from _shared.values import check_one

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    input: Tensor, dft_length: Tensor | None, *, axis: int, inverse: int, onesided: int
) -> None:
    """The axis becomes as long as the transform, or as one half of the spectrum."""
    at = signal_axis_attribute(axis, input.rank)
    last = input.rank - 1
    parts = input.shape[last]
    check_number_parts("input", parts, last)
    check_sides(onesided, inverse, parts)
    length = default_length(input.shape[at], inverse, onesided)
    if dft_length is not None:
        check_one("dft_length", dft_length)
        length = dft_length.values[0]
        require(length >= 1, f"dft_length is {length}, expected at least 1")
    dims = list(input.shape)
    dims[at] = length // 2 + 1 if onesided == 1 and inverse == 0 else length
    dims[last] = 1 if onesided == 1 and inverse != 0 else 2
    output(output=dims)
    plan(
        axis=at,
        frames=1,
        inverse=inverse != 0,
        length=length,
        onesided=onesided == 1,
        step=0,
    )
