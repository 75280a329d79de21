"""Helpers of rules that add elements to an axis or remove some."""

from opmill_gen.rule_language.language import Tensor, require, require_attribute


def check_mode(mode: str, wraps: bool) -> None:
    """One of the words that the version has."""
    if wraps:
        require_attribute(
            mode in ("constant", "reflect", "edge", "wrap"),
            f"mode is '{mode}', expected 'constant', 'reflect', 'edge' or 'wrap'",
        )
    else:
        require_attribute(
            mode in ("constant", "reflect", "edge"),
            f"mode is '{mode}', expected 'constant', 'reflect' or 'edge'",
        )


def check_value(constant_value: Tensor | None) -> None:
    """One value, of any rank."""
    if constant_value is not None:
        require(
            constant_value.size == 1,
            f"constant_value has shape {constant_value.shape}, expected one element",
        )


def padded_size(name: str, size: int, begin: int, end: int, axis: int, mode: str) -> int:
    """The size of an axis with its pads; negative ones are taken off first."""
    result = size + begin + end
    require(result >= 0, f"size of axis {axis} with {name} is {result}, expected at least 0")
    if mode != "constant":
        remaining = size + min(begin, 0) + min(end, 0)
        require(
            remaining > 0 or max(begin, end) <= 0,
            f"size of axis {axis} without removed elements is {max(remaining, 0)}, "
            f"expected at least 1 (mode is {mode})",
        )
    return result
