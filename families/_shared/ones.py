"""Dims of 1 that are removed from a shape, or inserted into one."""

from _shared.axes import marked

from opmill_gen.rule_language.language import Dims, Ints, require


def marked_ones(dims: Dims) -> Ints:
    """1 for each dim that is 1, else 0."""
    marks: list[int] = []
    for i in range(len(dims)):
        marks.append(1 if dims[i] == 1 else 0)
    return marks


def without_ones(dims: Dims, marks: Ints) -> Ints:
    """The dims without those that are marked, each of which must be 1."""
    result: list[int] = []
    for i in range(len(dims)):
        if marks[i] == 1:
            require(dims[i] == 1, f"data.shape[{i}] is {dims[i]}, expected 1 (listed in axes)")
        else:
            result.append(dims[i])
    return result


def with_ones(dims: Dims, axes: Ints, ones: Dims) -> Ints:
    """As many ones, but for the dims, in their order, at the axes that are not listed."""
    marks = marked(axes, len(ones))
    result = list(ones)
    next = 0
    for i in range(len(ones)):
        if marks[i] == 0:
            result[i] = dims[next]
            next += 1
    return result
