"""Helpers of rules: positions in a sequence."""

from _shared.values import check_one

from opmill_gen.rule_language.language import Tensor, Tensors, require


def check_some(sequence: Tensors) -> None:
    """A sequence that has tensors."""
    require(len(sequence) > 0, "input_sequence has 0 tensors, expected at least 1")


def index_of(position: Tensor, count: int, last: int) -> int:
    """The position among `count` tensors, counted from the front; `last` is the highest one."""
    check_one("position", position)
    value = position.values[0]
    require(-count <= value <= last, f"position is {value}, expected {-count} to {last}")
    return value + count if value < 0 else value
