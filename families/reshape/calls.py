"""Calls of Flatten, Reshape, Squeeze and Unsqueeze: shapes that fit, and some that do not."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    permutation,
    rank,
    several,
    vector,
)


def legal(draw: Draw, *, rule: str, attributes: frozenset[str], negative_axes: bool) -> Call:
    """Of each operator, any call."""
    if rule == "flatten":
        shape = dims(draw, rank(draw))
        min_axis = -len(shape) if negative_axes else 0
        return Call({"input": shape}, {"axis": integer(draw, min_axis, len(shape))})
    if rule == "expand_dims":
        return expand_dims(draw)
    if rule.startswith("squeeze"):
        return squeeze(draw, rule, negative_axes)
    if rule.startswith("unsqueeze"):
        return unsqueeze(draw, rule, negative_axes)
    return reshape(draw, rule, allowzero="allowzero" in attributes and happens(draw, 40))


def illegal(draw: Draw, *, rule: str, attributes: frozenset[str], negative_axes: bool) -> Illegal:
    """An axis that there is not, or a shape that does not fit."""
    if rule == "flatten":
        shape = dims(draw, rank(draw))
        r = len(shape)
        wrong = (r + 1, -r - 1 if negative_axes else -1, 2**63 - 1, -(2**63))
        return Illegal(Call({"input": shape}, {"axis": choice(draw, wrong)}), "AttributeValueError")
    if rule == "expand_dims":
        return wrong_expand_dims(draw)
    if rule.startswith("squeeze"):
        return wrong_squeeze(draw, rule, negative_axes)
    if rule.startswith("unsqueeze"):
        return wrong_unsqueeze(draw, rule, negative_axes)
    return wrong_reshape(draw, rule, "allowzero" in attributes)


def with_list(rule: str, shape: Dims, name: str, items: Sequence[int] | None) -> Call:
    """A call whose list is an input or an attribute."""
    if rule.endswith("_attribute"):
        return Call({"data": shape}, {} if items is None else {name: list(items)})
    return Call({"data": shape, name: None if items is None else vector(items)})


def axis_error(rule: str) -> str:
    return "AttributeValueError" if rule.endswith("_attribute") else "ShapeError"


def from_either_end(draw: Draw, axes: Sequence[int], rank: int, negative: bool) -> list[int]:
    """The axes in any order, some of them counted from the end."""
    mixed = permutation(draw, list(axes))
    return [axis - rank if negative and happens(draw, 30) else axis for axis in mixed]


def squeeze(draw: Draw, rule: str, negative: bool) -> Call:
    """Some dims of 1 that are listed, some that are not."""
    shape = list(dims(draw, rank(draw)))
    axes = []
    for axis in range(len(shape)):
        if happens(draw, 40):
            shape[axis] = 1
            axes.append(axis)
    if happens(draw, 20):
        return with_list(rule, tuple(shape), "axes", None)
    if axes and happens(draw, 20):
        axes += [choice(draw, axes)] * integer(draw, 1, 3)
    listed = from_either_end(draw, axes, len(shape), negative)
    return with_list(rule, tuple(shape), "axes", listed)


def wrong_squeeze(draw: Draw, rule: str, negative: bool) -> Illegal:
    shape = list(dims(draw, choice(draw, (1, 2, 3, 5))))
    r = len(shape)
    wrong = choice(draw, ("size", "range", "scalar", "matrix"))
    if wrong == "size":
        axis = integer(draw, 0, r - 1)
        shape[axis] = choice(draw, (2, 0, 3))
        return Illegal(with_list(rule, tuple(shape), "axes", [axis]), "ShapeError")
    if wrong == "scalar":
        return Illegal(with_list(rule, (), "axes", [choice(draw, (0, -1))]), axis_error(rule))
    if wrong == "matrix" and not rule.endswith("_attribute"):
        shape[0] = 1
        axes = Contents(choice(draw, ((1, 1), ())), (0,))
        return Illegal(Call({"data": tuple(shape), "axes": axes}), "ShapeError")
    axes = [choice(draw, (r, -r - 1 if negative else -1, 2**63 - 1, -(2**63)))]
    return Illegal(with_list(rule, tuple(shape), "axes", axes), axis_error(rule))


def unsqueeze(draw: Draw, rule: str, negative: bool) -> Call:
    """Some axes of the output, all of them between 0 and 64."""
    shape = dims(draw, rank(draw))
    count = min(64 - len(shape), choice(draw, (1, 2, 0, 3, 59)))
    r = len(shape) + count
    axes = permutation(draw, range(r))[:count]
    return with_list(rule, shape, "axes", from_either_end(draw, axes, r, negative))


def wrong_unsqueeze(draw: Draw, rule: str, negative: bool) -> Illegal:
    shape = dims(draw, choice(draw, (1, 2, 0, 3)))
    r = len(shape) + 2
    wrong = choice(draw, ("range", "twice", "ends", "rank", "cube"))
    if wrong == "rank":
        call = with_list(rule, (1,) * 64, "axes", [choice(draw, (0, 64))])
        return Illegal(call, "ShapeError")
    if wrong == "cube" and not rule.endswith("_attribute"):
        return Illegal(Call({"data": shape, "axes": Contents((1, 1), (0,))}), "ShapeError")
    axis = integer(draw, 0, r - 1)
    if wrong == "twice":
        axes = [axis, axis]
    elif wrong == "ends" and negative:
        axes = [axis, axis - r]
    else:
        outside = choice(draw, (r, -r - 1 if negative else -1, 2**63 - 1, -(2**63)))
        axes = [outside, 1 if outside == 0 else 0]
    return Illegal(with_list(rule, shape, "axes", axes), axis_error(rule))


def expand_dims(draw: Draw) -> Call:
    """One axis of the output, from either end."""
    shape = dims(draw, min(rank(draw), 63))
    axis = integer(draw, -len(shape) - 1, len(shape))
    return Call({"X": shape, "axis": Contents((1,) if happens(draw, 40) else (), (axis,))})


def wrong_expand_dims(draw: Draw) -> Illegal:
    """An axis outside of the output, several of them, or too many axes."""
    shape = dims(draw, choice(draw, (1, 2, 0, 3)))
    outside = choice(draw, (len(shape) + 1, -len(shape) - 2, 2**31 - 1, -(2**31)))
    axis = choice(draw, (Contents((), (outside,)), Contents((2,), (0, 0)), Contents((1, 1), (0,))))
    if happens(draw, 20):
        shape, axis = (1,) * 64, Contents((), (0,))
    return Illegal(Call({"X": shape, "axis": axis}), "ShapeError")


def factors(draw: Draw, size: int) -> list[int]:
    """Dims that multiply to a size that is not 0."""
    result = []
    while size > 1 and len(result) < 6:
        factor = choice(draw, [n for n in range(1, min(size, 60) + 1) if size % n == 0])
        result.append(factor)
        size //= factor
    return permutation(draw, [*result, *([size] if size > 1 else [])])


def reshape(draw: Draw, rule: str, *, allowzero: bool) -> Call:
    """The elements, cut into other dims; then some are replaced by 0 or -1."""
    data = dims(draw, rank(draw))
    size = prod(data)
    if size:
        target = factors(draw, size)
    elif allowzero:
        target = [*several(draw, 0, 3, 3), 0]
    else:  # a dim of 0 can only be copied, or be what is left
        axis = data.index(0)
        target = [*([1] * axis), 0, *several(draw, 1, 3, 3)]
        if happens(draw, 30):
            target = [2, -1, 3]
    if size and not allowzero:
        for i, dim in enumerate(target):
            if data[i : i + 1] == (dim,) and happens(draw, 30):
                target[i] = 0
    if size and target and happens(draw, 40):
        target[integer(draw, 0, len(target) - 1)] = -1
    call = with_list(rule, data, "shape", target)
    return call.but(allowzero=1) if allowzero else call


def wrong_reshape(draw: Draw, rule: str, has_allowzero: bool) -> Illegal:
    data = (choice(draw, (2, 3, 5)), 4)
    size = prod(data)
    wrong = choice(
        draw, ("size", "left", "two", "negative", "copy", "nothing", "huge", "rank", "cube", "zero")
    )
    call = with_list(rule, data, "shape", [size + 1])
    if wrong == "left":
        call = with_list(rule, data, "shape", [7, -1])
    elif wrong == "two":
        call = with_list(rule, data, "shape", [-1, size, -1])
    elif wrong == "negative":
        call = with_list(rule, data, "shape", [-size, -1 if happens(draw, 50) else 1])
    elif wrong == "copy":
        call = with_list(rule, data, "shape", [*data, 0])
    elif wrong == "nothing":
        call = with_list(rule, (0, 3), "shape", [0, -1])
    elif wrong == "huge":
        call = with_list(rule, data, "shape", [choice(draw, HUGE[2:]), 4, 1])
    elif wrong == "rank":
        call = with_list(rule, data, "shape", [size] + [1] * choice(draw, (64, 65, 200)))
    elif wrong == "cube" and not rule.endswith("_attribute"):
        call = Call({"data": data, "shape": Contents((1, 1), (size,))})
    elif wrong == "zero" and has_allowzero:
        call = with_list(rule, (0, 3), "shape", [0, choice(draw, (-1, -2))]).but(allowzero=1)
    return Illegal(call, "ShapeError")
