"""Calls of the family conv_transpose: every way to say the output's size, and what can be wrong.

What is legal follows from ONNX's text, as the specs record it: for an axis of length L, kernel k,
stride s, dilation d and output padding p, the size before cropping is
s (L - 1) + p + (k - 1) d + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    happens,
    integer,
    product,
)
from opmill_checks.windows import (
    pads_beside_auto_pad,
    wrong_auto_pad,
    wrong_length,
    wrong_value,
)

MAX_PRODUCTS = 6000
"""About how many multiplications and outputs a call may cost the oracle."""
LISTS = {"dilations": 1, "kernel_shape": 1, "output_padding": 0, "output_shape": 1, "strides": 1}
"""The attributes with a value for each axis, and the least value of each."""


@dataclass
class Axis:
    """The parameters of a transposed convolution along one axis."""

    length: int
    kernel: int
    stride: int
    dilation: int
    padding: int

    @property
    def full(self) -> int:
        """The output's size before cropping."""
        return (
            self.stride * (self.length - 1) + self.padding + (self.kernel - 1) * self.dilation + 1
        )

    @property
    def reach(self) -> int:
        """The limit that output padding must stay below."""
        return max(self.stride, self.dilation)


def axis(draw: Draw, *, empty: bool) -> Axis:
    """An axis; with ``empty`` it may have no input, if a tap reaches the output all the same."""
    min_length = 0 if empty and happens(draw, 10) else 1
    drawn = Axis(
        length=integer(draw, min_length, 9) if happens(draw, 30) else integer(draw, min_length, 4),
        kernel=integer(draw, 1, 4),
        stride=choice(draw, (1, 2, 1, 3, 4)),
        dilation=choice(draw, (1, 1, 2, 3)),
        padding=0,
    )
    if happens(draw, 30):
        drawn.padding = integer(draw, 0, drawn.reach - 1)
    while drawn.full < 1:
        drawn.kernel += 1
    return drawn


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """A size given by pads, by auto_pad or by output_shape, of 1 to 4 axes."""
    call = with_attributes(draw)
    while "Pads" in inputs and "output_shape" in call.attributes:
        call = with_attributes(draw)
    return with_pads(draw, call) if "Pads" in inputs else call


def with_pads(draw: Draw, call: Call) -> Call:
    """The crop as an input, which VALID has too, and which SAME ignores."""
    count = 2 * (len(call.dims_of("X")) - 2)
    word = call.attributes.get("auto_pad")
    pads = call.attributes.get("pads")
    if pads is not None and happens(draw, 30):
        word = "VALID"
    if pads is None and happens(draw, 70):
        huge = str(word).startswith("SAME") and happens(draw, 50)
        pads = [choice(draw, (0, 1, 5, 2**62)) if huge else 0 for _ in range(count)]
    return with_input(call, pads).but(auto_pad=word)


def with_input(call: Call, pads: Sequence[int] | None) -> Call:
    """The call with the crop as an input."""
    given = None if pads is None else Contents((len(pads),), tuple(pads))
    inputs = call.inputs
    changed = {"X": inputs["X"], "W": inputs["W"], "Pads": given, "B": inputs.get("B")}
    return Call(changed, call.attributes).but(pads=None)


def with_attributes(draw: Draw) -> Call:
    """A call of ai.onnx's operator."""
    sized = choice(draw, ("pads", "nothing", "VALID", "SAME_UPPER", "SAME_LOWER", "output_shape"))
    empty = sized in ("pads", "nothing", "VALID")
    axes = [axis(draw, empty=empty) for _ in range(choice(draw, (1, 2, 1, 2, 3, 4)))]
    for one in axes:  # most are small enough as they are
        if cost(axes) > MAX_PRODUCTS // 10:
            one.length = one.kernel = 1
    group = choice(draw, (1, 1, 2, 3))
    batch, channels, maps = widths(draw, axes, group)
    attributes = {
        name: values
        for name, values, default in (
            ("dilations", [one.dilation for one in axes], 1),
            ("strides", [one.stride for one in axes], 1),
            ("output_padding", [one.padding for one in axes], 0),
        )
        if any(value != default for value in values) or happens(draw, 30)
    }
    call = Call(
        {
            "X": (batch, channels * group, *(one.length for one in axes)),
            "W": (channels * group, maps, *(one.kernel for one in axes)),
            "B": (maps * group,) if happens(draw, 50) else None,
        },
        attributes,
    ).but(
        group=group if group > 1 or happens(draw, 30) else None,
        kernel_shape=[one.kernel for one in axes] if happens(draw, 30) else None,
    )
    if sized == "pads":
        pads = [pair(draw, one.full - 1) for one in axes]
        auto_pad = "NOTSET" if happens(draw, 20) else None
        begin, end = [b for b, _ in pads], [e for _, e in pads]
        return call.but(pads=begin + end, auto_pad=auto_pad)
    if sized == "output_shape":
        auto_pad = choice(draw, ("NOTSET", None, "VALID", "SAME_UPPER", "SAME_LOWER"))
        shape = [integer(draw, 1, one.full + one.reach - 1 - one.padding) for one in axes]
        pads = [integer(draw, 0, 5) for _ in 2 * axes] if happens(draw, 20) else None
        ignored = pads if auto_pad in ("NOTSET", None) else None
        return call.but(output_shape=shape, auto_pad=auto_pad, pads=ignored)
    return call if sized == "nothing" else call.but(auto_pad=sized)


def pair(draw: Draw, max_pad: int) -> tuple[int, int]:
    """Draw the crops of both ends, no more than ``max_pad`` together."""
    begin = integer(draw, 0, min(max_pad, 4))
    return begin, integer(draw, 0, min(max_pad - begin, 4))


def widths(draw: Draw, axes: list[Axis], group: int) -> tuple[int, int, int]:
    """Batch, input channels and maps of a group: small, 0 too, or wide where that is cheap."""
    sizes = [choice(draw, (1, 2, 3)) for _ in range(3)]
    if happens(draw, 12):
        sizes[integer(draw, 0, 2)] = 0
    elif happens(draw, 40):
        sizes[integer(draw, 1, 2)] = choice(draw, (8, 16, 17, 33))
    for position in (0, 1, 2):
        while sizes[position] > 1 and group * cost(axes) * product(sizes) > MAX_PRODUCTS:
            sizes[position] = sizes[position] // 2
    return sizes[0], sizes[1], sizes[2]


def cost(axes: list[Axis]) -> int:
    """The multiplications, or the outputs where these are more, of one channel and one map."""
    return max(
        product([one.length * one.kernel for one in axes]), product([one.full for one in axes])
    )


# What is wrong


Fault = Callable[[Draw, Call, Dims, Dims], Illegal]


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """A legal call with one thing wrong."""
    if "Pads" not in inputs:
        return with_attributes_wrong(draw)
    if happens(draw, 40):
        return pads_wrong(draw)
    wrong = with_attributes_wrong(draw)
    while not {"output_shape", "pads"}.isdisjoint(wrong.call.attributes):
        wrong = with_attributes_wrong(draw)
    return Illegal(with_input(wrong.call, None), wrong.raises)


def pads_wrong(draw: Draw) -> Illegal:
    """Pads that are too few or too many, negative, or leave nothing."""
    values = choice(draw, ((0,), (0, 0, 0), (-1, 0), (0, -(2**63)), (2, 1), (0, 2**63 - 1)))
    shape = (1, 2) if values == (2, 1) and happens(draw, 30) else (len(values),)
    inputs = {"X": (1, 1, 3), "W": (1, 1, 1), "Pads": Contents(shape, values), "B": None}
    return Illegal(Call(inputs, {}), "ShapeError")


def with_attributes_wrong(draw: Draw) -> Illegal:
    """A call of ai.onnx's operator with one thing wrong."""
    call = with_attributes(draw)
    return choice(draw, FAULTS)(draw, call, call.dims_of("X"), call.dims_of("W"))


def rank_of_x(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but({"X": x[: choice(draw, (2, 1, 0))]}), "ShapeError")


def rank_of_w(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    return Illegal(call.but({"W": choice(draw, (w[:-1], (*w, 1), w[:2]))}), "ShapeError")


def group_value(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    wrong = choice(draw, (0, -1, -(2**63), x[1] + 1 if x[1] else 0))
    return Illegal(call.but(group=wrong), "AttributeValueError")


def channels(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    change = call.attributes.get("group", 1)
    rows = w[0] + change if w[0] < change or happens(draw, 50) else w[0] - change
    return Illegal(call.but({"W": (rows, *w[1:])}), "ShapeError")


def bias(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    maps = w[1] * call.attributes.get("group", 1)
    shapes: list[Dims] = [(maps + 1,), (maps, 1), ()]
    if maps:
        shapes.append((maps - 1,))
    return Illegal(call.but({"B": choice(draw, shapes)}), "ShapeError")


def empty_kernel(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    index = integer(draw, 2, len(w) - 1)
    return Illegal(call.but({"W": (*w[:index], 0, *w[index + 1 :])}), "ShapeError")


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


def padding(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """Output padding that reaches stride and dilation both."""
    index = integer(draw, 0, len(x) - 3)
    ones = [1] * (len(x) - 2)
    steps = (call.attributes.get(name, ones)[index] for name in ("strides", "dilations"))
    values = list(call.attributes.get("output_padding", [0] * (len(x) - 2)))
    values[index] = max(steps) + choice(draw, (0, 1, 2**40))
    return Illegal(call.but(output_padding=values), "AttributeValueError")


def out_of_reach(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """An output shape beyond what output padding could have given."""
    x = (*x[:2], *(max(dim, 1) for dim in x[2:]))
    index = integer(draw, 0, len(x) - 3)
    one = drawn(call, x, w, index)
    shape = [1] * (len(x) - 2)
    shape[index] = one.full + one.reach - one.padding + choice(draw, (0, 1, 2**40))
    return Illegal(call.but({"X": x}, output_shape=shape), "AttributeValueError")


def empty_axis(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """An axis without input has no size that SAME or an output shape could aim at."""
    index = integer(draw, 2, len(x) - 1)
    x = (*x[:index], 0, *x[index + 1 :])
    changed = call.but({"X": x}, pads=None, output_shape=None)
    if happens(draw, 50):
        auto_pad = choice(draw, ("SAME_UPPER", "SAME_LOWER"))
        return Illegal(changed.but(auto_pad=auto_pad), "ShapeError")
    return Illegal(changed.but(output_shape=[1] * (len(x) - 2), auto_pad=None), "ShapeError")


def all_cropped(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """Pads that leave nothing, or less."""
    count = len(x) - 2
    index = integer(draw, 0, count - 1)
    pads = [0] * (2 * count)
    crop = drawn(call, x, w, index).full + choice(draw, (0, 1, 5, *HUGE))
    pads[index] = integer(draw, 0, crop)
    pads[count + index] = crop - pads[index]
    pads = [min(value, 2**63 - 1) for value in pads]
    return Illegal(call.but(pads=pads, auto_pad=None, output_shape=None), "ShapeError")


def too_large(draw: Draw, call: Call, x: Dims, w: Dims) -> Illegal:
    """Steps whose size leaves int64."""
    count = len(x) - 2
    index = integer(draw, 0, count - 1)
    name, grown = choice(draw, (("strides", x), ("dilations", w)))
    grown = (*grown[: 2 + index], choice(draw, (3, 5)), *grown[3 + index :])
    values = list(call.attributes.get(name, [1] * count))
    values[index] = choice(draw, (2**62, 2**63 - 1))
    changed = call.but(pads=None, auto_pad=None, output_shape=None, kernel_shape=None)
    given = {"X": grown} if name == "strides" else {"W": grown}
    return Illegal(changed.but(given, **{name: values}), "ShapeError")


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
    padding,
    out_of_reach,
    empty_axis,
    all_cropped,
    too_large,
)


def drawn(call: Call, x: Dims, w: Dims, index: int) -> Axis:
    """One axis of a call."""
    ones = [1] * (len(x) - 2)
    zeros = [0] * (len(x) - 2)
    return Axis(
        length=x[2 + index],
        kernel=w[2 + index],
        stride=call.attributes.get("strides", ones)[index],
        dilation=call.attributes.get("dilations", ones)[index],
        padding=call.attributes.get("output_padding", zeros)[index],
    )
