"""Poolings: draws calls with every way to pad and each thing that can be wrong.

What is legal follows from ONNX's text, as the specs record it: for an axis of length L, kernel k,
stride s, dilation d and the padding b and e there is a window for every multiple of s from -b on
whose last tap lies before L + e; ceil_mode adds one that starts before L.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opmill_checks.drawing import HUGE, Call, Dims, Draw, Illegal, choice, happens, integer, product
from opmill_checks.windows import (
    pads_beside_auto_pad,
    wrong_auto_pad,
    wrong_length,
    wrong_value,
)

MAX_COMPARISONS = 6000
"""About how many elements a call may have the oracle compare."""
Names = frozenset[str]
"""The attributes of a version: dilations, ceil_mode and others came later."""
SWITCHES = ("ceil_mode", "count_include_pad", "storage_order")
LISTS = ("dilations", "kernel_shape", "strides")
"""The attributes with a value for each axis, each 1 or more."""


@dataclass
class Axis:
    """The parameters of a pool along one axis."""

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
    def count(self) -> int:
        """The windows, but for one that ceil_mode may add."""
        padded = self.length + self.before + self.after
        return len(range(0, padded - self.reach + 1, self.stride))


def axis(draw: Draw, names: Names) -> Axis:
    """An axis that has a window."""
    drawn = Axis(
        length=integer(draw, 1, 9) if happens(draw, 70) else integer(draw, 10, 70),
        kernel=integer(draw, 1, 4) if happens(draw, 85) else integer(draw, 5, 40),
        stride=choice(draw, (1, 2, 1, 3, 4, 7)),
        dilation=choice(draw, (1, 1, 1, 2, 3)) if "dilations" in names else 1,
    )
    if happens(draw, 50):
        max_pad = drawn.reach + 1 if happens(draw, 15) else drawn.reach // 2
        drawn.before, drawn.after = integer(draw, 0, max_pad), integer(draw, 0, max_pad)
    return drawn


def legal(draw: Draw, attributes: Names) -> Call:
    """A call with padding given by pads or by auto_pad, of 1 to 4 axes."""
    padded = choice(draw, ("pads", "nothing", "VALID", "SAME_UPPER", "SAME_LOWER"))
    axes = [axis(draw, attributes) for _ in range(choice(draw, (1, 2, 2, 1, 3, 4)))]
    for one in axes:  # most are small enough as they are
        if cost(axes) > MAX_COMPARISONS // 4:
            one.length, one.kernel = min(one.length, 3), min(one.kernel, 2)
    for one in axes:
        if padded != "pads":
            one.before = one.after = 0
        if not padded.startswith("SAME"):
            one.length += max(0, one.reach - one.length - one.before - one.after)
    batch = choice(draw, (1, 2, 1, 3)) if happens(draw, 92) else 0
    channels = choice(draw, (1, 2, 1, 3)) if happens(draw, 95) else 0
    if max(batch, 1) * max(channels, 1) * cost(axes) > MAX_COMPARISONS:
        batch = channels = 1
    given = {"kernel_shape": [one.kernel for one in axes]}
    for name, values in (
        ("dilations", [one.dilation for one in axes]),
        ("strides", [one.stride for one in axes]),
    ):
        if any(value != 1 for value in values) or (name in attributes and happens(draw, 30)):
            given[name] = values
    call = Call({"X": (batch, channels, *(one.length for one in axes))}, given).but(
        **{
            name: integer(draw, 0, 1) if name in attributes and happens(draw, 40) else None
            for name in SWITCHES
        }
    )
    if padded == "pads":
        pads = [one.before for one in axes] + [one.after for one in axes]
        return call.but(pads=pads, auto_pad="NOTSET" if happens(draw, 20) else None)
    return call if padded == "nothing" else call.but(auto_pad=padded)


def cost(axes: list[Axis]) -> int:
    """The elements that the windows of one channel compare, at most."""
    return product([(one.length + one.before + one.after + 1) * one.kernel for one in axes])


# What is wrong


Fault = Callable[[Draw, Call, Dims, Names], Illegal]


def illegal(draw: Draw, attributes: Names) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw, attributes)
    return choice(draw, FAULTS)(draw, call, call.dims_of("X"), attributes)


def rank(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    return Illegal(call.but({"X": x[: choice(draw, (2, 1, 0))]}), "ShapeError")


def word(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    return wrong_auto_pad(draw, call)


def pads_and_auto_pad(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    return pads_beside_auto_pad(draw, call)


def switch(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    """No switch has a third position; kernel_shape is required."""
    name = choice(draw, ("kernel_shape", *(name for name in SWITCHES if name in names)))
    wrong = None if name == "kernel_shape" else choice(draw, (2, -1, 2**40, -(2**63)))
    return Illegal(call.but(**{name: wrong}), "AttributeValueError")


def list_length(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    return wrong_length(draw, call, {name: 1 for name in LISTS if name in names})


def list_value(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    return wrong_value(draw, call, {name: 1 for name in LISTS if name in names})


def no_window(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    """A kernel that is longer than the padded input by so much that the size is below 0."""
    position = integer(draw, 0, len(x) - 3)
    ones = [1] * (len(x) - 2)
    pads = call.attributes.get("pads", [0] * (2 * (len(x) - 2)))
    padded = x[position + 2] + pads[position] + pads[len(x) - 2 + position]
    stride = call.attributes.get("strides", ones)[position]
    kernel = list(call.attributes["kernel_shape"])
    kernel[position] = padded + 2 * stride + choice(draw, (0, 1, 1000))
    auto_pad = "VALID" if "pads" not in call.attributes and happens(draw, 50) else None
    changed = call.but(kernel_shape=kernel, dilations=None, auto_pad=auto_pad)
    return Illegal(changed, "ShapeError")


def huge_padding(draw: Draw, call: Call, x: Dims, names: Names) -> Illegal:
    """Padding whose windows no memory holds, or no int64 counts."""
    count = len(x) - 2
    position = integer(draw, 0, count - 1)
    pads = [0] * (2 * count)
    pads[position] = choice(draw, HUGE[2:])
    pads[count + position] = choice(draw, (0, *HUGE[2:]))
    changed = call.but(
        {"X": tuple(max(dim, 1) for dim in x)},
        pads=pads,
        auto_pad=None,
        kernel_shape=[1] * count,
        strides=None,
        dilations=None,
    )
    return Illegal(changed, "ShapeError")


FAULTS: tuple[Fault, ...] = (
    rank,
    word,
    pads_and_auto_pad,
    switch,
    list_length,
    list_value,
    no_window,
    huge_padding,
)
