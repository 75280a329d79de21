"""Axes that an attribute or an input names: their range, negative ones, duplicates, permutations.

Functions for attributes raise AttributeValueError, those for inputs ShapeError.
"""

from opmill_gen.rule_language.language import (
    Count,
    Ints,
    counted,
    require,
    require_attribute,
)


def attribute_axis(name: str, axis: int, rank: Count, negative: bool) -> int:
    """The axis, counted from the front; where it may be negative, -1 is the last one."""
    require_attribute(rank > 0, f"{name} is {axis}, expected an input of rank 1 or more")
    lowest = -rank if negative else 0
    require_attribute(lowest <= axis < rank, f"{name} is {axis}, expected {lowest} to {rank - 1}")
    return axis + rank if axis < 0 else axis


def input_axis(name: str, axis: int, rank: Count, negative: bool) -> int:
    """The axis, counted from the front; where it may be negative, -1 is the last one."""
    require(rank > 0, f"{name} is {axis}, expected an input of rank 1 or more")
    lowest = -rank if negative else 0
    require(lowest <= axis < rank, f"{name} is {axis}, expected {lowest} to {rank - 1}")
    return axis + rank if axis < 0 else axis


def attribute_axes(name: str, axes: Ints, rank: Count, negative: bool) -> Ints:
    """The axes in their order, each at most once, counted from the front."""
    require_attribute(
        len(axes) <= rank,
        f"{name} has {counted(len(axes), 'value')}, expected at most {rank} (the rank)",
    )
    lowest = -rank if negative else 0
    named = [0] * rank
    result: list[int] = []
    for i in range(len(axes)):
        require_attribute(
            lowest <= axes[i] < rank,
            f"{name}[{i}] is {axes[i]}, expected {lowest} to {rank - 1}",
        )
        axis = axes[i] + rank if axes[i] < 0 else axes[i]
        require_attribute(
            named[axis] == 0, f"{name}[{i}] duplicates axis {axis}, expected each axis once"
        )
        named[axis] = 1
        result.append(axis)
    return result


def input_axes(name: str, axes: Ints, rank: Count, negative: bool) -> Ints:
    """The axes in their order, each at most once, counted from the front."""
    require(
        len(axes) <= rank,
        f"{name} has {counted(len(axes), 'value')}, expected at most {rank} (the rank)",
    )
    lowest = -rank if negative else 0
    named = [0] * rank
    result: list[int] = []
    for i in range(len(axes)):
        require(
            lowest <= axes[i] < rank,
            f"{name}[{i}] is {axes[i]}, expected {lowest} to {rank - 1}",
        )
        axis = axes[i] + rank if axes[i] < 0 else axes[i]
        require(named[axis] == 0, f"{name}[{i}] duplicates axis {axis}, expected each axis once")
        named[axis] = 1
        result.append(axis)
    return result


def attribute_marks(name: str, axes: Ints, rank: Count, negative: bool) -> Ints:
    """1 for each axis of the data that is listed, once or more, else 0."""
    require_attribute(
        rank > 0 or len(axes) == 0,
        f"{name} has {counted(len(axes), 'value')}, expected 0 (data has rank 0)",
    )
    lowest = -rank if negative else 0
    marks = [0] * rank
    for i in range(len(axes)):
        require_attribute(
            lowest <= axes[i] < rank,
            f"{name}[{i}] is {axes[i]}, expected {lowest} to {rank - 1}",
        )
        marks[axes[i] + rank if axes[i] < 0 else axes[i]] = 1
    return marks


def input_marks(name: str, axes: Ints, rank: Count) -> Ints:
    """1 for each axis of the data that is listed, once or more, else 0; -1 is the last one."""
    require(
        rank > 0 or len(axes) == 0,
        f"{name} has {counted(len(axes), 'value')}, expected 0 (data has rank 0)",
    )
    marks = [0] * rank
    for i in range(len(axes)):
        require(
            -rank <= axes[i] < rank, f"{name}[{i}] is {axes[i]}, expected {-rank} to {rank - 1}"
        )
        marks[axes[i] + rank if axes[i] < 0 else axes[i]] = 1
    return marks


def marked(axes: Ints, rank: Count) -> Ints:
    """1 for each axis that is listed, else 0; the axes come from one of the functions above."""
    marks = [0] * rank
    for i in range(len(axes)):
        marks[axes[i]] = 1
    return marks


def all_axes(rank: Count) -> Ints:
    """Every axis, in their order."""
    result: list[int] = []
    for axis in range(rank):
        result.append(axis)
    return result


def permutation(name: str, given: Ints | None, rank: Count) -> Ints:
    """Each axis once, in the order that the attribute lists; reversed where it is absent."""
    result: list[int] = []
    if given is None:
        for i in range(rank):
            result.append(rank - 1 - i)
        return result
    require_attribute(
        len(given) == rank,
        f"{name} has {counted(len(given), 'value')}, expected {rank} (the rank)",
    )
    named = [0] * rank
    for i in range(rank):
        axis = given[i]
        require_attribute(0 <= axis < rank, f"{name}[{i}] is {axis}, expected 0 to {rank - 1}")
        require_attribute(
            named[axis] == 0, f"{name}[{i}] duplicates axis {axis}, expected each axis once"
        )
        named[axis] = 1
        result.append(axis)
    return result
