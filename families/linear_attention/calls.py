"""Calls of LinearAttention: every rule of update, with and without a past, of one type or two.

Keys are short and decays seldom positive, so that states neither grow from token to token nor
cancel.
"""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

FLOATS = ("float", "float16", "bfloat16")
RULES = ("gated_delta", "linear", "gated", "delta")
HUGE = (2**63 - 1, -(2**63), 2**31)


def numbers(draw: Draw, shape: tuple[int, ...], options: tuple[float, ...]) -> Contents:
    """Some of the options; now and then what is no number."""
    if happens(draw, 4):
        options += (float("inf"), -float("inf"), float("nan"))
    count = 1
    for dim in shape:
        count *= dim
    pattern = [choice(draw, options) for _ in range(min(count, 12))]
    return Contents(shape, tuple(pattern[(5 * i + i // 7) % len(pattern)] for i in range(count)))


def legal(draw: Draw) -> Call:
    """Any sizes; columns beyond a block now and then."""
    batch, heads, group = choice(draw, (1, 2)), choice(draw, (1, 2, 3)), choice(draw, (1, 2, 3))
    tokens, size, width = choice(draw, (2, 1, 3)), choice(draw, (2, 1, 3)), choice(draw, (3, 1, 2))
    if happens(draw, 10):
        tokens, size, width = integer(draw, 1, 6), integer(draw, 1, 20), integer(draw, 1, 100)
        batch, heads = 1, choice(draw, (1, 2))
    if happens(draw, 20):
        empty = choice(draw, ("batch", "tokens", "size", "width"))
        batch = 0 if empty == "batch" else batch
        tokens = 0 if empty == "tokens" else tokens
        size = 0 if empty == "size" else size
        width = 0 if empty == "width" else width
    rule = choice(draw, RULES)
    given: dict[str, Any] = {"q_num_heads": heads * group, "kv_num_heads": heads}
    if rule != "gated_delta" or happens(draw, 50):
        given["update_rule"] = rule
    if happens(draw, 40):
        given["scale"] = choice(draw, (1.0, 0.5, -2.0, 0.0, 0.3))
    if happens(draw, 20):
        given["chunk_size"] = choice(draw, (1, 0, -1, 64, *HUGE))
    lengths = (0.5, -0.5, 0.25, 0.0) if size < 5 else (0.25, -0.25, 0.125, 0.0)
    inputs: dict[str, Given] = {
        "query": (batch, tokens, heads * group * size),
        "key": numbers(draw, (batch, tokens, heads * size), lengths),
        "value": (batch, tokens, heads * width),
        "past_state": (batch, heads, size, width) if happens(draw, 60) else None,
        "decay": None,
        "beta": None,
    }
    if rule.startswith("gated"):
        last = heads if happens(draw, 50) else heads * size
        inputs["decay"] = numbers(draw, (batch, tokens, last), (-1.0, 0.0, -0.125, 0.5, -20.0))
    if rule.endswith("delta"):
        last = heads if happens(draw, 60) else 1
        inputs["beta"] = numbers(draw, (batch, tokens, last), (0.5, 1.0, 0.0, 0.25))
    type = choice(draw, FLOATS)
    types = {"T": type, "S": type if happens(draw, 50) else choice(draw, FLOATS)}
    if inputs["past_state"] is None:
        types["S"] = type
    return Call(inputs, given, types)


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, heads that cannot be, inputs that a rule does not use."""
    call = Call(
        {
            "query": (2, 3, 8),
            "key": (2, 3, 4),
            "value": (2, 3, 6),
            "past_state": (2, 2, 2, 3),
            "decay": (2, 3, 4),
            "beta": (2, 3, 2),
        },
        {"q_num_heads": 4, "kv_num_heads": 2},
        {"T": "float", "S": "float"},
    )
    if happens(draw, 15):
        word = choice(draw, ("", "Linear", "gated-delta", "rwkv"))
        return Illegal(call.but(update_rule=word), "AttributeValueError")
    if happens(draw, 25):
        name = choice(draw, ("q_num_heads", "kv_num_heads"))
        number = choice(draw, (0, -1, 3, *HUGE))
        return Illegal(call.but(**{name: number}), "AttributeValueError")
    if happens(draw, 10):
        heads = {"q_num_heads": 6, "kv_num_heads": 3}
        return Illegal(call.but(**heads), "AttributeValueError")
    if happens(draw, 30):
        needed = {"linear": (), "gated": ("decay",), "delta": ("beta",)}
        rule = choice(draw, tuple(needed))
        wrong: dict[str, Given] = {
            name: call.dims_of(name) if happens(draw, 50) else None for name in ("decay", "beta")
        }
        if all((name in needed[rule]) is (wrong[name] is not None) for name in wrong):
            wrong["decay" if rule != "delta" else "beta"] = (2, 3, 4) if rule == "linear" else None
        return Illegal(call.but(dict(wrong), update_rule=rule), "ShapeError")
    shapes: dict[str, tuple[Given, ...]] = {
        "query": ((2, 3, 12), (1, 3, 8), (2, 4, 8), (2, 8), (2, 3, 8, 1)),
        "key": ((2, 3, 8), (1, 3, 4), (2, 2, 4), (2, 4), (2, 2, 3, 2)),
        "value": ((2, 2, 6), (3, 3, 6), (6,), (2, 3, 8), (2, 2, 3, 3)),
        "past_state": ((2, 2, 3, 2), (2, 4, 2, 3), (1, 2, 2, 3), (2, 2, 6), (2, 2, 2, 3, 1)),
        "decay": ((2, 3, 1), (2, 3, 8), (2, 1, 4), (3, 4), (1, 3, 2), None),
        "beta": ((2, 3, 4), (2, 1, 2), (2, 2), (2, 3, 0), (1, 3, 1), None),
    }
    name = choice(draw, tuple(shapes))
    return Illegal(call.but({name: choice(draw, shapes[name])}), "ShapeError")
