"""Calls of MultiHeadAttention: two forms of keys, masks, biases, a past that may be a buffer."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

TYPES = ("float", "float", "float", "float16", "bfloat16")
ABSENT = dict.fromkeys(
    (
        *("query", "key", "value", "bias", "key_padding_mask", "attention_bias", "past_key"),
        *("past_value", "past_sequence_length", "cache_indirection"),
    )
)


def legal(draw: Draw) -> Call:
    heads, size = choice(draw, (1, 2, 3)), choice(draw, (4, 8, 1, 5, 16, 24))
    batch, length = choice(draw, (1, 2, 0, 3)), choice(draw, (1, 2, 3, 5, 0))
    fresh = choice(draw, (length, length, 1, 4, 7, 0, 35))
    drawn: dict[str, Given] = dict(ABSENT)
    attributes: dict[str, Any] = {"num_heads": heads}
    past, others = 0, size
    drawn["query"] = (batch, length, heads * size)
    if happens(draw, 50):
        rows = choice(draw, (1, 2, 5, 18, 0))
        past = rows
        if happens(draw, 40):
            past, rows = integer(draw, 0, rows), rows + fresh
            drawn["past_sequence_length"] = Contents(choice(draw, ((), (1,))), (past,))
        drawn["past_key"] = drawn["past_value"] = (batch, heads, rows, size)
    elif happens(draw, 30):
        others = choice(draw, (2, 7, 0))
    if happens(draw, 25) and others == size:
        drawn["key"] = drawn["value"] = (batch, heads, fresh, size)
    else:
        drawn["key"] = (batch, fresh, heads * size)
        drawn["value"] = (batch, fresh, heads * others)
    if happens(draw, 40):
        drawn["bias"] = (heads * (2 * size + others),)
    total = past + fresh
    if happens(draw, 50):
        drawn["key_padding_mask"] = mask(draw, batch, length, total)
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
    type = choice(draw, TYPES)
    asked = choice(draw, (3, 3, 4, 4, 1, 2))
    return Call(drawn, attributes, {"T": type, "QK": type}, asked)


def mask(draw: Draw, batch: int, length: int, total: int) -> Contents:
    """Ends, or numbers of keys; now and then all keys of a query are masked."""
    if happens(draw, 50):
        ends = [integer(draw, 1, max(1, total)) for _ in range(batch)]
        if ends and happens(draw, 30):
            ends[-1] = choice(draw, (0, -1, total + 3, 2**31 - 1, -(2**31)))
        rest = [1] * (2 * batch + 2) if happens(draw, 30) else []
        return Contents((batch + len(rest),), tuple(ends + rest))
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


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, heads that cannot be, inputs that are not supported."""
    type = choice(draw, ("float", "float16"))
    call = Call(
        {
            **ABSENT,
            "query": (2, 3, 8),
            "key": (2, 4, 8),
            "value": (2, 4, 8),
            "past_key": (2, 2, 5, 4),
            "past_value": (2, 2, 5, 4),
        },
        {"num_heads": 2},
        {"T": type, "QK": type},
        3,
    )
    if happens(draw, 15):
        number = choice(draw, (0, -1, -(2**63)))
        return Illegal(call.but(None, num_heads=number), "AttributeValueError")
    name = choice(draw, tuple(SHAPES))
    return Illegal(call.but({name: choice(draw, SHAPES[name])}), "ShapeError")


SHAPES: dict[str, tuple[Given, ...]] = {
    "query": ((2, 3, 9), (2, 3, 16), (3, 8), (1, 3, 8), (2, 3, 2, 3, 4), (2, 2, 3, 4)),
    "key": ((2, 4, 6), (1, 4, 8), (2, 3, 8), (4, 8), (2, 4, 2, 2, 4), (2, 2, 4, 4), None),
    "value": ((2, 3, 8), (2, 4, 7), (2, 4, 6), (1, 4, 8), (2, 2, 4, 4), (4, 8), None),
    "bias": ((16,), (24, 1), (), (25,)),
    "key_padding_mask": (
        Contents((1,), (1,)),
        Contents((4,), (1, 1, 1, 1)),
        Contents((2, 4), (1,) * 8),
        Contents((1, 9), (1,) * 9),
        Contents((2, 1, 9), (1,) * 18),
        Contents((), (1,)),
        Contents((2, 1, 3, 9), (1,) * 54),
    ),
    "attention_bias": ((3, 9), (1, 3, 9), (1, 1, 3, 4), (3, 1, 3, 9), (1, 1, 1, 9)),
    "past_key": ((2, 2, 4, 4), (2, 1, 5, 4), (1, 2, 5, 4), (2, 2, 5, 3), (2, 10, 4), None),
    "past_value": ((2, 2, 4, 4), (2, 2, 5, 3), (10, 4), None),
    "past_sequence_length": (
        Contents((1,), (2,)),
        Contents((1,), (-1,)),
        Contents((2,), (0, 0)),
        Contents((1, 1), (0,)),
    ),
}
