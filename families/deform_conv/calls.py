"""Calls of DeformConv: offsets within, between and beyond elements; groups; masks."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer


def legal(draw: Draw) -> Call:
    """Offsets in eighths, so that positions are exact in any type; few are far away or NaN."""
    axes = choice(draw, (2, 2, 1, 3))
    group, offset_group = choice(draw, (1, 2)), choice(draw, (1, 2))
    channels = max(group, offset_group) * choice(draw, (1, 2, 0) if happens(draw, 30) else (1,))
    maps = group * choice(draw, (1, 2))
    batch = choice(draw, (1, 2, 0) if happens(draw, 40) else (1,))
    given: dict[str, object] = {}
    sizes, kernel = [], []
    pads, strides, dilations, out = [], [], [], []
    for _ in range(axes):
        tap, dilation, stride = choice(draw, (1, 2)), choice(draw, (1, 2)), choice(draw, (1, 2))
        before, after = choice(draw, (0, 1)), choice(draw, (0, 1, 2))
        reach = (tap - 1) * dilation + 1
        size = max(integer(draw, 1, 4), reach - before - after)
        sizes.append(size)
        kernel.append(tap)
        pads.append((before, after))
        strides.append(stride)
        dilations.append(dilation)
        out.append((size + before + after - reach) // stride + 1)
    if happens(draw, 80) or any(any(both) for both in pads):
        given["pads"] = [both[0] for both in pads] + [both[1] for both in pads]
    if happens(draw, 50) or any(stride != 1 for stride in strides):
        given["strides"] = strides
    if happens(draw, 50) or any(dilation != 1 for dilation in dilations):
        given["dilations"] = dilations
    if happens(draw, 30):
        given["kernel_shape"] = kernel
    for name, number in (("group", group), ("offset_group", offset_group)):
        if number != 1 or happens(draw, 20):
            given[name] = number
    groups = offset_group * math.prod(kernel)
    shape = (batch, groups * axes, *out)
    items = []
    for _ in range(math.prod(shape)):
        number = integer(draw, -12, 12) / 8
        if happens(draw, 3):
            number = choice(draw, (40.0, -40.0, math.inf, -math.inf, math.nan))
        items.append(number)
    inputs: dict[str, Given] = {
        "X": (batch, channels, *sizes),
        "W": (maps, channels // group, *kernel),
        "offset": Contents(shape, tuple(items)),
        "B": (maps,) if happens(draw, 50) else None,
        "mask": (batch, groups, *out) if happens(draw, 50) else None,
    }
    return Call(inputs, given)


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not belong together, and attributes out of range."""
    inputs: dict[str, Given] = {
        "X": (1, 2, 3, 3),
        "W": (2, 2, 2, 2),
        "offset": (1, 8, 2, 2),
        "B": (2,),
        "mask": (1, 4, 2, 2),
    }
    call = Call(inputs)
    if happens(draw, 50):
        wrong: tuple[tuple[str, object], ...] = (
            ("group", choice(draw, (0, -1))),
            ("offset_group", choice(draw, (0, -1, 3, 2**62))),
            ("strides", choice(draw, ([0, 1], [1], [1, -1]))),
            ("dilations", choice(draw, ([0, 1], [1], [1, -1]))),
            ("pads", choice(draw, ([0, 0], [0, 0, -1, 0]))),
            ("kernel_shape", choice(draw, ([2], [1, 2], [2, 2, 1]))),
        )
        name, value = choice(draw, wrong)
        return Illegal(call.but(None, **{name: value}), "AttributeValueError")
    changes: tuple[dict[str, Given], ...] = (
        {"X": (1, 2)},
        {"X": (1, 3, 3, 3)},
        {"X": (2, 2, 3, 3)},
        {"W": (2, 2, 2)},
        {"W": (2, 2, 0, 2)},
        {"offset": (1, 8, 2, 1)},
        {"offset": (1, 4, 2, 2)},
        {"offset": (1, 16, 2, 2)},
        {"offset": (2, 8, 2, 2)},
        {"offset": (1, 8, 2)},
        {"B": (1,)},
        {"B": (2, 1)},
        {"mask": (1, 8, 2, 2)},
        {"mask": (1, 4, 2, 1)},
    )
    return Illegal(call.but(choice(draw, changes)), "ShapeError")
