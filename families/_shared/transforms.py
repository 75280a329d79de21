"""Checks of discrete Fourier transforms: their axis, their length, the parts of a number."""

from opmill_gen.rule_language.language import Count, require, require_attribute


def check_number_parts(name: str, size: int, last: int) -> None:
    """The last axis holds real numbers, or their real and imaginary parts."""
    require(
        1 <= size <= 2,
        f"{name}.shape[{last}] is {size}, expected 1 (real) or 2 (real and imaginary part)",
    )


def check_halved_frames(onesided: int, parts: int) -> None:
    """One half of a spectrum is the result of real frames."""
    require_attribute(onesided == 0 or onesided == 1, f"onesided is {onesided}, expected 0 or 1")
    require_attribute(
        onesided == 0 or parts == 1, "onesided is 1, expected 0 (the signal is complex)"
    )


def check_sides(onesided: int, inverse: int, parts: int) -> None:
    """One half of a spectrum is the result of a real signal, or an inverse's complex input."""
    require_attribute(onesided == 0 or onesided == 1, f"onesided is {onesided}, expected 0 or 1")
    if onesided == 1:
        require_attribute(
            inverse != 0 or parts == 1,
            "onesided is 1, expected 0 (the signal is complex)",
        )
        require_attribute(
            inverse == 0 or parts == 2,
            "onesided is 1, expected 0 (the input of the inverse is real)",
        )


def signal_axis(axis: int, rank: Count) -> int:
    """The axis of the input, counted from the front; the last one holds the parts of numbers."""
    require(rank >= 2, f"input has rank {rank}, expected at least 2")
    require(
        -rank <= axis <= -2 or 0 <= axis <= rank - 2,
        f"axis is {axis}, expected {-rank} to -2 or 0 to {rank - 2}",
    )
    return axis + rank if axis < 0 else axis


def signal_axis_attribute(axis: int, rank: Count) -> int:
    """The same, of an attribute."""
    require(rank >= 2, f"input has rank {rank}, expected at least 2")
    require_attribute(
        -rank <= axis <= -2 or 0 <= axis <= rank - 2,
        f"axis is {axis}, expected {-rank} to -2 or 0 to {rank - 2}",
    )
    return axis + rank if axis < 0 else axis


def default_length(size: int, inverse: int, onesided: int) -> int:
    """The length of a transform that is not given: of half a spectrum, an even number."""
    if inverse != 0 and onesided == 1:
        return 2 * max(size - 1, 0)
    return size
