"""Calls of Attention: heads apart or side by side, a past or lengths, masks of any kind.

Masks are tame, as a large number would leave nothing of the scores that are added to it. Where the
softmax is computed in a type of fewer bits than the scores, these are all 0: the weights are then
equal and their rounding is certain.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

FLOATS = ("float", "float16", "double", "bfloat16")
WIDTHS = {"bfloat16": 1, "float16": 1, "float": 2, "double": 3}
NUMBERS = {"float": 1, "float16": 10, "double": 11, "bfloat16": 16}
MASKS = (*FLOATS, "bool", "int8", "int64", "int32", "uint8", "uint64", "int16", "uint16", "uint32")


def mask_of(draw: Draw, type: str, scores: tuple[int, ...], pads: bool, weighs: bool) -> Contents:
    """A mask that is broadcast, of some of the last axes."""
    shape = [dim if happens(draw, 60) else 1 for dim in scores]
    shape[3] = scores[3]
    if pads and happens(draw, 30):
        shape[3] = integer(draw, 0, scores[3])
    elif not pads and happens(draw, 20):
        shape[3] = 1
    shape = shape[integer(draw, 0, 4) if not pads else choice(draw, (0, 0, 1, 2, 3)) :]
    count = 1
    for dim in shape:
        count *= dim
    if type == "bool":
        options: tuple[Any, ...] = (True, False)
    elif type not in FLOATS:
        options = (0, 1, 3) if type.startswith("u") else (0, 1, -2)
    else:
        options = (0.0, -float("inf"), 0.5, -1.25, 2.0)
        if happens(draw, 5):
            options = (0.0, float("inf"), float("nan"), -float("inf"))
    if not weighs and type not in ("bool",):
        options = (0.0, -float("inf")) if type in FLOATS else (1,)
    pattern = [choice(draw, options) for _ in range(min(count, 24))]
    return Contents(
        tuple(shape), tuple(pattern[(7 * i + i // 5) % len(pattern)] for i in range(count))
    )


def legal(
    draw: Draw,
    *,
    pads_mask: bool,
    strict: bool,
    inputs: Collection[str],
    attributes: Collection[str],
) -> Call:
    """Now and then a length that the kernels must refuse."""
    batch, shared = choice(draw, (1, 2)) if happens(draw, 60) else 1, choice(draw, (1, 2, 3))
    group = choice(draw, (1, 2, 3)) if happens(draw, 50) else 1
    queries, fresh = choice(draw, (2, 1, 3, 5)), choice(draw, (3, 1, 2, 4))
    size, value_size = choice(draw, (2, 1, 4)), choice(draw, (2, 1, 3))
    if happens(draw, 8):
        queries, fresh, size = integer(draw, 1, 40), integer(draw, 20, 70), integer(draw, 1, 20)
    elif happens(draw, 12):
        queries, fresh, size = choice(draw, (1, 2)), integer(draw, 1, 40), integer(draw, 16, 50)
    if happens(draw, 20):
        empty = choice(draw, ("batch", "heads", "queries", "keys", "size", "values"))
        batch = 0 if empty == "batch" else batch
        group = 0 if empty == "heads" else group
        queries = 0 if empty == "queries" else queries
        fresh = 0 if empty == "keys" else fresh
        size = 0 if empty == "size" else size
        value_size = 0 if empty == "values" else value_size
    heads = group * shared
    if heads == 0 and happens(draw, 50):
        shared = 0
    type = choice(draw, FLOATS)
    types = {"T1": type, "T2": type if happens(draw, 80) else choice(draw, FLOATS)}
    given: dict[str, Any] = {}
    apart = heads == 0 or shared == 0 or happens(draw, 60)
    if apart:
        q: tuple[int, ...] = (batch, heads, queries, size)
        k: tuple[int, ...] = (batch, shared, fresh, size)
        v: tuple[int, ...] = (batch, shared, fresh, value_size)
        if not strict and happens(draw, 10):
            given["q_num_heads"], given["kv_num_heads"] = choice(draw, ((heads, shared), (5, 3)))
    else:
        q = (batch, queries, heads * size)
        k = (batch, fresh, shared * size)
        v = (batch, fresh, shared * value_size)
        given["q_num_heads"], given["kv_num_heads"] = heads, shared
    drawn: dict[str, Given] = {**dict.fromkeys(inputs), "Q": q, "K": k, "V": v}
    past = 0
    if happens(draw, 30):
        past = choice(draw, (2, 1, 0, 5))
        drawn["past_key"] = (batch, shared, past, size)
        drawn["past_value"] = (batch, shared, past, value_size)
    elif "nonpad_kv_seqlen" in inputs and happens(draw, 40):
        lengths = [integer(draw, 0, fresh) for _ in range(batch)]
        if lengths and happens(draw, 5):
            wrong = choice(draw, (-1, fresh + 1, 2**32, 2**63 - 1, -(2**63)))
            lengths[integer(draw, 0, batch - 1)] = wrong
        drawn["nonpad_kv_seqlen"] = Contents((batch,), tuple(lengths))
    total = past + fresh
    for side in ("left_window_size", "right_window_size"):
        if side in attributes and happens(draw, 30):
            given[side] = choice(draw, (0, 1, 2, -1, 2**63 - 1))
    if happens(draw, 35):
        given["is_causal"] = choice(draw, (1, 0))
    if happens(draw, 50):
        given["qk_matmul_output_mode"] = choice(draw, (0, 1, 2, 3))
    if happens(draw, 30):
        given["scale"] = choice(draw, (1.0, 0.25, 0.3, 0.0))
    if happens(draw, 25):
        given["softcap"] = choice(draw, (2.0, 0.5, 0.3, 0.0, -1.5))
    weighs = True
    if happens(draw, 30):
        precision = choice(draw, FLOATS)
        given["softmax_precision"] = NUMBERS[precision]
        weighs = precision == type or WIDTHS[precision] > WIDTHS[type]
        if not weighs:
            count = 1
            for dim in q:
                count *= dim
            drawn["Q"] = Contents(q, (0.0,) * count)
    if happens(draw, 50):
        types["U"] = choice(draw, MASKS)
        if happens(draw, 60):
            types["U"] = choice(draw, (type, "bool"))
        scores = (batch, heads, queries, total)
        drawn["attn_mask"] = mask_of(draw, types["U"], scores, pads_mask, weighs)
    return Call(drawn, given, types)


def illegal(
    draw: Draw,
    *,
    pads_mask: bool,
    strict: bool,
    inputs: Collection[str],
    attributes: Collection[str],
) -> Illegal:
    """Shapes that do not fit each other, heads that cannot be, numbers out of range."""
    type = choice(draw, ("float", "float16"))
    call = Call(
        {**dict.fromkeys(inputs), "Q": (2, 4, 3, 5), "K": (2, 2, 6, 5), "V": (2, 2, 6, 3)},
        types={"T1": type, "T2": type},
    )
    flat = call.but(
        {"Q": (2, 3, 12), "K": (2, 6, 6), "V": (2, 6, 4)}, q_num_heads=4, kv_num_heads=2
    )
    shapes: dict[str, tuple[Given, ...]] = {
        "Q": ((2, 3, 3, 5), (1, 4, 3, 5), (2, 4, 3, 4), (2, 4, 5), (4, 5), (1, 2, 4, 3, 5)),
        "K": ((2, 0, 6, 5), (2, 2, 5, 5), (2, 3, 6, 5), (2, 6, 10), (3, 2, 6, 5)),
        "V": ((2, 2, 5, 3), (2, 1, 6, 3), (1, 2, 6, 3), (2, 6, 6)),
        "attn_mask": ((3, 7), (2, 6), (2, 4, 3, 7), (2, 2, 3, 6), (3, 4, 3, 6), (1, 1, 1, 1, 6)),
        "past_key": ((2, 2, 4, 5),),
        "past_value": ((2, 2, 4, 3),),
    }
    if not pads_mask:
        shapes["attn_mask"] += ((3, 5), (1, 1, 3, 2), (0,))
    kind = choice(draw, ("shape", "past", "heads", "flat", "number", "lengths"))
    if kind == "shape":
        name = choice(draw, tuple(shapes))
        return Illegal(call.but({name: choice(draw, shapes[name])}), "ShapeError")
    if kind == "past":
        keys: tuple[Given, ...] = ((2, 2, 4, 4), (2, 4, 4, 5), (1, 2, 4, 5), (2, 4, 10))
        values: tuple[Given, ...] = ((2, 2, 3, 3), (2, 2, 4, 5), (2, 2, 4, 3, 1))
        wrong: dict[str, Any] = {"past_key": (2, 2, 4, 5), "past_value": (2, 2, 4, 3)}
        if happens(draw, 50):
            wrong["past_key"] = choice(draw, keys)
        else:
            wrong["past_value"] = choice(draw, values)
        return Illegal(call.but(wrong), "ShapeError")
    if kind == "lengths" and "nonpad_kv_seqlen" in inputs:
        lengths = Contents((2,), (3, 3))
        wrong = {"nonpad_kv_seqlen": choice(draw, (Contents((3,), (1, 1, 1)), Contents((), (1,))))}
        if happens(draw, 30):
            past: dict[str, Any] = {"past_key": (2, 2, 4, 5), "past_value": (2, 2, 4, 3)}
            wrong = {"nonpad_kv_seqlen": lengths, **past}
        return Illegal(call.but(wrong), "ShapeError")
    if kind == "heads" or kind == "lengths":
        name = choice(draw, ("q_num_heads", "kv_num_heads"))
        number = choice(draw, (None, 0, -1, 5, 2**63 - 1, -(2**63)))
        if strict and happens(draw, 30):
            return Illegal(call.but(**{name: 2}), "AttributeValueError")
        return Illegal(flat.but(**{name: number}), "AttributeValueError")
    if kind == "flat":
        changed = choice(draw, ({"K": (2, 6, 8)}, {"V": (2, 5, 4)}, {"K": (2, 6, 6, 1)}))
        return Illegal(flat.but(dict(changed)), "ShapeError")
    numbers: dict[str, tuple[Any, ...]] = {
        "is_causal": (2, -1),
        "qk_matmul_output_mode": (4, -1, 2**63 - 1),
        "scale": (-1.0, float("nan")),
        "softmax_precision": (0, 2, 17, -1),
    }
    for side in ("left_window_size", "right_window_size"):
        if side in attributes:
            numbers[side] = (-2, -(2**63))
    name = choice(draw, tuple(numbers))
    return Illegal(call.but(**{name: choice(draw, numbers[name])}), "AttributeValueError")
