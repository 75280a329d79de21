"""Calls of Conv: every way to pad, groups, and each thing that can be wrong.

What is legal follows from ONNX's text, as the specs record it: for an axis of length L, kernel k,
stride s, dilation d and padding b and e, the output has floor((L + b + e - (k - 1) d - 1) / s) + 1
positions, which may be none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer, product
from opmill_checks.windows import (
    pads_beside_auto_pad,
    wrong_auto_pad,
    wrong_length,
    wrong_value,
)

MAX_PRODUCTS = 6000
"""About how many multiplications a call may cost the oracle."""
LISTS = {"dilations": 1, "kernel_shape": 1, "strides": 1}
"""The attributes with a value for each axis, and the least value of each."""


@dataclass
class Axis:
    """The parameters of a convolution along one axis."""

    length: int
    kernel: int
    stride: int
    dilation: int
    before: int = 0
    after: int = 0

    @property
    def reach(self) -> int:
        """From the first tap of a window to its last one, both included."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def cost(self) -> int:
        """The multiplications of one channel and map, at most."""
        return (self.length + self.before + self.after) * self.kernel // self.stride + 1


def axis(draw: Draw, padded: str) -> Axis:
    """An axis with a window, or just none."""
    drawn = Axis(
        length=integer(draw, 1, 6) if happens(draw, 75) else integer(draw, 7, 40),
        kernel=integer(draw, 1, 4),
        stride=choice(draw, (1, 1, 2, 3, 5)),
        dilation=choice(draw, (1, 1, 2, 3)),
    )
    if padded == "pads":
        drawn.before, drawn.after = integer(draw, 0, drawn.reach), integer(draw, 0, drawn.reach)
    if not padded.startswith("SAME"):
        min_length = drawn.reach - (1 if happens(draw, 10) else 0)
        drawn.length = max(drawn.length, min_length - drawn.before - drawn.after, 1)
    return drawn


def legal(draw: Draw) -> Call:
    """Padding given by pads or by auto_pad, of 1 to 4 axes."""
    padded = choice(draw, ("pads", "nothing", "VALID", "SAME_UPPER", "SAME_LOWER"))
    axes = [axis(draw, padded) for _ in range(choice(draw, (1, 2, 1, 2, 3, 4)))]
    for one in axes:  # most are small enough as they are
        if product([each.cost for each in axes]) > MAX_PRODUCTS // 6:
            one.length, one.kernel, one.before, one.after = 2, 1, 0, 0
    group = choice(draw, (1, 1, 2, 3))
    sizes = [choice(draw, (1, 2, 3)) for _ in range(3)]
    if happens(draw, 12):  # never no channels, which onnxruntime answers with unwritten memory
        sizes[choice(draw, (0, 2))] = 0
    elif happens(draw, 40):
        sizes[integer(draw, 1, 2)] = choice(draw, (8, 16, 17, 33))
    for position in (0, 1, 2):
        while (
            sizes[position] > 1
            and group * product([each.cost for each in axes]) * product(sizes) > MAX_PRODUCTS
        ):
            sizes[position] //= 2
    batch, channels, maps = sizes
    attributes = {
        name: values
        for name, values in (
            ("dilations", [one.dilation for one in axes]),
            ("strides", [one.stride for one in axes]),
        )
        if any(value != 1 for value in values) or happens(draw, 30)
    }
    call = Call(
        {
            "X": (batch, channels * group, *(one.length for one in axes)),
            "W": (maps * group, channels, *(one.kernel for one in axes)),
            "B": (maps * group,) if happens(draw, 50) else None,
        },
        attributes,
    ).but(
        group=group if group > 1 or happens(draw, 30) else None,
        kernel_shape=[one.kernel for one in axes] if happens(draw, 30) else None,
    )
    if padded == "pads":
        pads = [one.before for one in axes] + [one.after for one in axes]
        return call.but(pads=pads, auto_pad="NOTSET" if happens(draw, 20) else None)
    return call if padded == "nothing" else call.but(auto_pad=padded)


# What is wrong


Fault = Callable[[Draw, Call, Dims, Dims], Illegal]


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
    return choice(draw, FAULTS)(draw, call, call.dims_of("X"), call.dims_of("W"))


def rank_of_x(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but({"X": x[: choice(draw, (2, 1, 0))]}), "ShapeError")


def rank_of_w(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but({"W": choice(draw, (w[:-1], (*w, 1), w[:2]))}), "ShapeError")


def group_value(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but(group=choice(draw, (0, -1, -(2**63)))), "AttributeValueError")


def channels(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but({"W": (w[0], w[1] + 1, *w[2:])}), "ShapeError")


def bias(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    shapes: list[Dims] = [(w[0] + 1,), (w[0], 1), ()]
    return Illegal(call.but({"B": choice(draw, shapes)}), "ShapeError")


def empty_kernel(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    index = integer(draw, 2, len(w) - 1)
    changed = call.but({"W": (*w[:index], 0, *w[index + 1 :])}, kernel_shape=None)
    return Illegal(changed, "ShapeError")


def word(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return wrong_auto_pad(draw, call)


def pads_and_auto_pad(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return pads_beside_auto_pad(draw, call)


def list_length(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return wrong_length(draw, call, LISTS)


def list_value(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return wrong_value(draw, call, LISTS)


def kernel_shape(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    shape = list(w[2:])
    shape[integer(draw, 0, len(shape) - 1)] += choice(draw, (1, 2))
    return Illegal(call.but(kernel_shape=shape), "AttributeValueError")


def too_long(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """A kernel that reaches so far beyond the input that the size is negative."""
    index = integer(draw, 2, len(w) - 1)
    grown = (*w[:index], x[index] + choice(draw, (2, 3, 1000)), *w[index + 1 :])
    changed = call.but(
        {"W": grown}, kernel_shape=None, pads=None, auto_pad=None, strides=None, dilations=None
    )
    return Illegal(changed, "ShapeError")


FAULTS: tuple[Fault, ...] = (
    rank_of_x,
    rank_of_w,
    group_value,
    channels,
    bias,
    empty_kernel,
    word,
    pads_and_auto_pad,
    list_length,
    list_value,
    kernel_shape,
    too_long,
)
