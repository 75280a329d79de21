"""Sizes of a resized tensor, of its scales."""

from opmill_gen.rule_language.language import (
    floor,
    int64,
    is_int64,
    require,
    require_attribute,
)


def check_interpolated(mode: str, type: str) -> None:
    """Strings and bools have no weighted sums."""
    require_attribute(
        mode == "nearest" or type not in ("bool", "string"),
        f"mode is '{mode}', expected 'nearest' for {type}",
    )


def check_resize_mode(mode: str, linear: str, type: str) -> None:
    """The word of an interpolation, and a type that it can compute with."""
    require_attribute(
        mode == "nearest" or mode == linear, f"mode is '{mode}', expected 'nearest' or '{linear}'"
    )
    check_interpolated(mode, type)


def scaled_size(axis: int, length: float) -> int:
    """The size of an axis of a computed length, of which the fraction is dropped."""
    whole = floor(length)
    require(is_int64(whole), f"output size is {whole} on axis {axis}, expected less than 2^63")
    size = int64(whole)
    require(size >= 0, f"output size is {size} on axis {axis}, expected at least 0")
    return size
