"""Calls of com.microsoft's Attention: widths, masks, biases, a past."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

TYPES = ("float", "float", "float", "float16", "bfloat16")
ABSENT = dict.fromkeys(
    (
        *("input", "weights", "bias", "mask_index", "past", "attention_bias"),
        "past_sequence_length",
    )
)


def legal(draw: Draw, *, rule: str) -> Call:
    return quantized(draw) if rule == "quantized" else floats(draw)


def floats(draw: Draw) -> Call:
    heads, size = choice(draw, (1, 2, 3)), choice(draw, (4, 8, 1, 5, 16))
    batch, length = choice(draw, (1, 2, 0, 3)), choice(draw, (2, 1, 3, 5, 0, 21))
    depth = choice(draw, (3, 4, 1, 7, 0))
    drawn: dict[str, Given] = dict(ABSENT)
    attributes: dict[str, Any] = {"num_heads": heads}
    past, others = 0, size
    drawn["input"] = (batch, length, depth)
    if happens(draw, 40):
        past = choice(draw, (1, 2, 5, 18, 0))
        drawn["past"] = (2, batch, heads, past, size)
    elif happens(draw, 30):
        others = choice(draw, (2, 7))
    if others != size or happens(draw, 20):
        attributes["qkv_hidden_sizes"] = [heads * size, heads * size, heads * others]
    width = heads * (2 * size + others)
    drawn["weights"] = (depth, width)
    if happens(draw, 80):
        drawn["bias"] = (width,)
    total = past + length
    if happens(draw, 50):
        drawn["mask_index"] = mask(draw, batch, length, total)
        if happens(draw, 40):
            attributes["mask_filter_value"] = choice(draw, (-1.0, -3.4028235e38, 0.0, 2.5))
        elif happens(draw, 20):
            attributes["mask_filter_value"] = -float("inf")
    if happens(draw, 40):
        drawn["attention_bias"] = biases(draw, (batch, heads, length, total))
    if happens(draw, 40):
        attributes["unidirectional"] = choice(draw, (1, 1, 1, 0, 2))
    if happens(draw, 30):
        attributes["scale"] = choice(draw, (0.5, 0.125, 0.0, -0.25))
    if happens(draw, 10):
        attributes["do_rotary"] = 0
        drawn["past_sequence_length"] = Contents((1,), (7,))
    asked = 1 if others != size else choice(draw, (2, 2, 1))
    return Call(drawn, attributes, {"T": choice(draw, TYPES)}, asked)


QUANTIZED = ("bias", "input_scale", "weight_scale", "mask_index")
ZEROS = ("input_zero_point", "weight_zero_point", "past")


def quantized(draw: Draw) -> Call:
    """Integers whose products are small, so that shares of keys do not jump."""
    heads, size = choice(draw, (1, 2, 3)), choice(draw, (4, 8, 1, 5, 16))
    batch, length = choice(draw, (1, 2, 0, 3)), choice(draw, (2, 1, 3, 5, 0, 21))
    depth, width = choice(draw, (3, 4, 1, 7, 0)), 3 * heads * size
    drawn: dict[str, Given] = {"input": (batch, length, depth), "weight": (depth, width)}
    drawn.update(dict.fromkeys((*QUANTIZED, *ZEROS)))
    attributes: dict[str, Any] = {"num_heads": heads}
    past = 0
    if happens(draw, 40):
        past = choice(draw, (1, 2, 5, 18, 0))
        drawn["past"] = (2, batch, heads, past, size)
    pattern = [integer(draw, -16, 16) / 8 for _ in range(12)]
    drawn["bias"] = Contents((width,), tuple(pattern[k % 12] for k in range(width)))
    drawn["input_scale"] = Contents(choice(draw, ((), (1,))), (choice(draw, (0.125, 0.1)),))
    columns: tuple[int, ...] = choice(draw, ((), (1,), (width,)))
    count = width if columns == (width,) else 1
    numbers = (0.0625, 0.05, 0.125)
    drawn["weight_scale"] = Contents(columns, tuple(choice(draw, numbers) for _ in range(count)))
    if happens(draw, 60):
        drawn["input_zero_point"] = Contents(choice(draw, ((), (1,))), (integer(draw, 0, 9),))
    if happens(draw, 60):
        zeros = tuple(integer(draw, 0, 9) for _ in range(count))
        drawn["weight_zero_point"] = Contents(columns, zeros)
    if happens(draw, 50):
        drawn["mask_index"] = mask(draw, batch, length, past + length)
        if happens(draw, 40):
            attributes["mask_filter_value"] = choice(draw, (-1.0, -3.4028235e38, 0.0, 2.5))
    if happens(draw, 40):
        attributes["unidirectional"] = choice(draw, (1, 1, 1, 0, 2))
    if happens(draw, 30):
        attributes["scale"] = choice(draw, (0.5, 0.125, 0.0, -0.25))
    return Call(drawn, attributes, {}, choice(draw, (2, 2, 1)))


def mask(draw: Draw, batch: int, length: int, total: int) -> Contents:
    """Ends, ends and starts, or numbers of keys; now and then all keys of a query are masked."""
    if happens(draw, 60):
        ends = [integer(draw, 1, max(1, total)) for _ in range(batch)]
        if ends and happens(draw, 30):
            ends[-1] = choice(draw, (0, -1, total + 3, 2**31 - 1, -(2**31)))
        kind = choice(draw, (0, 1, 2))
        rest = [[], [integer(draw, 0, 2) for _ in range(batch)], [1] * (2 * batch + 2)][kind]
        items = ends + rest
        return Contents((len(items),), tuple(items))
    shape = (batch, total) if happens(draw, 60) else (batch, length, total)
    rows = batch * (1 if len(shape) == 2 else length)
    numbers = [choice(draw, (1, 0, 2, -1)) for _ in range(min(rows * total, 11))]
    items = [numbers[k % len(numbers)] for k in range(rows * total)]
    for row in range(rows):
        if total and happens(draw, 80):
            items[row * total] = 1
    return Contents(shape, tuple(items))


def biases(draw: Draw, scores: tuple[int, int, int, int]) -> Contents:
    shape = (choice(draw, (1, scores[0])), choice(draw, (1, scores[1])), *scores[2:])
    count = shape[0] * shape[1] * shape[2] * shape[3]
    numbers = (0.0, 0.5, -1.25, 2.0, -float("inf"))
    drawn = [choice(draw, numbers[: 4 if happens(draw, 80) else 5]) for _ in range(min(count, 12))]
    items = tuple(drawn[(7 * i + i // 5) % len(drawn)] for i in range(count))
    return Contents(shape, items)


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """Shapes that do not fit each other, sizes that cannot be, what is not supported."""
    if rule == "quantized":
        return illegal_integers(draw)
    type = choice(draw, ("float", "float16"))
    call = Call(
        {**ABSENT, "input": (2, 3, 5), "weights": (5, 24), "bias": (24,), "past": (2, 2, 2, 4, 4)},
        {"num_heads": 2},
        {"T": type},
        2,
    )
    kind = choice(draw, ("shape", "shape", "number", "sizes"))
    if kind == "number":
        given = choice(draw, ({"num_heads": 0}, {"num_heads": -1}, {"do_rotary": 1}))
        return Illegal(call.but(None, **given), "AttributeValueError")
    if kind == "sizes":
        sizes = choice(draw, ([8, 8], [8, 6, 8], [8, 8, 7], [-8, -8, 40], [7, 7, 10]))
        return Illegal(call.but(None, qkv_hidden_sizes=sizes), "AttributeValueError")
    name = choice(draw, tuple(SHAPES))
    return Illegal(call.but({name: choice(draw, SHAPES[name])}), "ShapeError")


def illegal_integers(draw: Draw) -> Illegal:
    drawn: dict[str, Given] = {
        **dict.fromkeys((*QUANTIZED, *ZEROS)),
        "input": (2, 3, 5),
        "weight": (5, 24),
        "bias": (24,),
        "past": (2, 2, 2, 4, 4),
        "input_scale": (),
        "weight_scale": (),
    }
    call = Call(drawn, {"num_heads": 2}, {}, 2)
    if happens(draw, 20):
        given = choice(draw, ({"num_heads": 0}, {"num_heads": -1}, {"do_rotary": 1}))
        return Illegal(call.but(None, **given), "AttributeValueError")
    shapes: dict[str, tuple[Given, ...]] = {
        **{name: SHAPES[name] for name in ("input", "bias", "mask_index", "past")},
        "weight": SHAPES["weights"],
        **dict.fromkeys(("input_scale", "input_zero_point"), ((2,), (24,), (1, 1), (0,))),
        **dict.fromkeys(("weight_scale", "weight_zero_point"), ((2,), (8,), (24, 1), (0,))),
    }
    name = choice(draw, tuple(shapes))
    return Illegal(call.but({name: choice(draw, shapes[name])}), "ShapeError")


SHAPES: dict[str, tuple[Given, ...]] = {
    "input": ((2, 3, 4), (3, 3, 5), (3, 5), (2, 3, 5, 1)),
    "weights": ((4, 24), (5, 25), (5, 27), (5, 24, 1), (5, 30)),
    "bias": ((23,), (1, 24), ()),
    "mask_index": (
        Contents((1,), (1,)),
        Contents((3,), (1, 1, 1)),
        Contents((2, 3), (1,) * 6),
        Contents((1, 7), (1,) * 7),
        Contents((2, 1, 7), (1,) * 14),
        Contents((), (1,)),
        Contents((2, 1, 3, 7), (1,) * 42),
    ),
    "past": ((1, 2, 2, 4, 4), (2, 1, 2, 4, 4), (2, 2, 1, 4, 4), (2, 2, 2, 4, 5), (2, 2, 8, 4)),
    "attention_bias": ((3, 7), (1, 3, 7), (1, 1, 3, 3), (3, 1, 3, 7), (1, 1, 1, 7)),
}
