"""Calls of Col2Im: blocks that overlap, leave gaps, or fall on the padding."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer, vector

TYPES = (
    "float",
    "double",
    "float16",
    "bfloat16",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex64",
    "complex128",
)
"""Those of the schema that have sums."""


def legal(draw: Draw) -> Call:
    """Windows along one axis to three, or along as many as there may be."""
    n = choice(draw, (2, 1, 3)) if happens(draw, 95) else 62
    longest = (4, 4, 2)[n - 1] if n < 4 else 0
    sizes = ((1, 2, 3), (1, 2, 3), (1, 2))[n - 1] if n < 4 else (1,)
    block = [choice(draw, sizes) for _ in range(n)]
    strides = [integer(draw, 1, 3) for _ in range(n)]
    dilations = [choice(draw, (1, 1, 2, 3)) for _ in range(n)]
    pads = [choice(draw, (0, 1, 2, 4)) if n < 4 else 0 for _ in range(2 * n)]
    image, blocks = [], []
    for i in range(n):
        reach = (block[i] - 1) * dilations[i] + 1
        padding = pads[i] + pads[n + i]
        image.append(max(reach - padding, 0) + integer(draw, 0, longest))
        image[i] = max(image[i], 1) if happens(draw, 90) else image[i]
        blocks.append((image[i] + padding - reach) // strides[i] + 1)
    channels = prod(block) * choice(draw, (1, 2, 0))
    shape = (choice(draw, (1, 2, 0)), channels, prod(blocks))
    given: dict[str, object] = {"strides": strides, "dilations": dilations, "pads": pads}
    if all(value == 1 for value in strides) and happens(draw, 50):
        del given["strides"]
    if all(value == 1 for value in dilations) and happens(draw, 50):
        del given["dilations"]
    if not any(pads) and happens(draw, 50):
        del given["pads"]
    inputs = {"input": shape, "image_shape": vector(image), "block_shape": vector(block)}
    return Call(inputs, given, {"T": choice(draw, TYPES)})


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
    batch, channels, count = call.dims_of("input")
    image, block = call.items_of("image_shape"), call.items_of("block_shape")
    n = len(image)
    wrong = choice(draw, ("type", "value", "length", "image", "block", "input", "fit"))
    if wrong == "type":
        typed = Call(call.inputs, call.attributes, {"T": "string"})
        return Illegal(typed, "TypeConstraintError")
    if wrong == "value":
        name, min_value = choice(draw, (("strides", 1), ("dilations", 1), ("pads", 0)))
        values = [min_value] * (2 * n if name == "pads" else n)
        values[integer(draw, 0, len(values) - 1)] = min_value - choice(draw, (1, 2, 2**62))
        return Illegal(call.but(**{name: values}), "AttributeValueError")
    if wrong == "length":
        name = choice(draw, ("strides", "dilations", "pads"))
        values = [1] * ((2 * n if name == "pads" else n) + choice(draw, (1, -1, 70)))
        return Illegal(call.but(**{name: values}), "AttributeValueError")
    if wrong == "image":
        changed = choice(draw, ([-1, *image[1:]], [*image, 1], [], [1] * 63, [2**63 - 1] * n))
        return Illegal(call.but({"image_shape": vector(changed)}), "ShapeError")
    if wrong == "block":
        changed = choice(draw, ([0, *block[1:]], [*block, 1], [], [*block[:-1], 2**63 - 1]))
        return Illegal(call.but({"block_shape": vector(changed)}), "ShapeError")
    if wrong == "input":
        shapes = ((channels, count), (batch, channels, count + 1), (batch, channels, count, 1))
        return Illegal(call.but({"input": choice(draw, shapes)}), "ShapeError")
    large = {"image_shape": vector([2]), "block_shape": vector([3]), "input": (1, 3, 0)}
    return Illegal(Call(large, types=call.types), "ShapeError")
