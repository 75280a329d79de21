"""Calls of GroupQueryAttention: prompts and tokens that follow a past, of one length or several."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

TYPES = ("float", "float", "float16", "bfloat16")
ABSENT = dict.fromkeys(
    (
        *("query", "key", "value", "past_key", "past_value", "seqlens_k", "total_sequence_length"),
        *("cos_cache", "sin_cache", "position_ids", "attention_bias", "head_sink", "k_scale"),
        *("v_scale", "q_norm_weight", "k_norm_weight"),
    )
)


def legal(draw: Draw) -> Call:
    """Now and then a length or a position that the kernels must refuse."""
    shared, group = choice(draw, (1, 2)), choice(draw, (1, 2, 3, 5))
    heads, rotates = shared * group, happens(draw, 50)
    has_tables = rotates or happens(draw, 10)
    size = choice(draw, (16, 32, 48)) if has_tables else choice(draw, (8, 16, 24))
    attributes: dict[str, Any] = {"num_heads": heads, "kv_num_heads": shared}
    batch, length, fresh, rows, total = sequence(draw)
    starts = length == total
    low = 0 if starts else length - 1
    last = [integer(draw, low, total - 1) if happens(draw, 40) else total - 1] * batch
    last = [integer(draw, low, total - 1) if happens(draw, 30) else one for one in last]
    if last and happens(draw, 4):
        last[integer(draw, 0, batch - 1)] = choice(draw, (total, low - 1, -(2**31), 2**31 - 1))
    drawn: dict[str, Given] = dict(ABSENT)
    if fresh and happens(draw, 30):
        drawn["query"] = (batch, length, (heads + 2 * shared) * size)
    else:
        drawn["query"] = (batch, length, heads * size)
        drawn["key"] = drawn["value"] = (batch, fresh, shared * size)
    if rows or happens(draw, 30):
        drawn["past_key"] = drawn["past_value"] = (batch, shared, rows, size)
    shape = choice(draw, ((batch,), (batch,), (batch, 1), (1, batch)))
    drawn["seqlens_k"] = Contents(shape, tuple(last))
    drawn["total_sequence_length"] = Contents(choice(draw, ((), (1,))), (total,))
    if has_tables:
        tables = total + choice(draw, (0, 0, 3))
        drawn["cos_cache"] = drawn["sin_cache"] = (tables, choice(draw, (8, size // 2)))
        attributes["do_rotary"] = 1 if rotates else choice(draw, (0, 2))
        if happens(draw, 30):
            attributes["rotary_interleaved"] = choice(draw, (1, 0, 2))
        if happens(draw, 30):
            drawn["position_ids"] = positions(draw, batch, length, tables, starts)
    options(draw, attributes, drawn, (batch, heads, length, total))
    type = choice(draw, TYPES)
    types = {"T": type, "T_CACHE": type}
    shows = attributes.get("qk_output", 0) != 0
    asked = choice(draw, (4, 4, 4, 3, 1)) if shows else choice(draw, (3, 3, 1, 2))
    return Call(drawn, attributes, types, asked)


def sequence(draw: Draw) -> tuple[int, int, int, int, int]:
    """The batch, the queries, the new keys, the rows of the past, and the keys in all."""
    batch = choice(draw, (1, 2, 3, 0))
    if happens(draw, 40):
        length = choice(draw, (2, 1, 3, 5))
        if happens(draw, 8):
            length = integer(draw, 20, 40)
        rows = choice(draw, (0, 0, length, length + 2))
        return batch, length, length, rows, length
    length = choice(draw, (1, 1, 2, 3))
    batch = batch if length == 1 else 1
    rows = choice(draw, (2, 1, 5, 7, 40))
    if happens(draw, 50):
        return batch, length, length, rows, rows + length
    rows = max(rows, length + 1)
    total = integer(draw, length + 1, rows)
    return batch, length, choice(draw, (length, length, length, 0)), rows, total


def positions(draw: Draw, batch: int, length: int, rows: int, starts: bool) -> Contents:
    last = rows - length if starts else rows - 1
    items = [integer(draw, 0, last) for _ in range(batch * length)]
    if items and starts:
        items = [items[0] + k % length for k in range(batch * length)]
    if items and happens(draw, 10):
        items[0] = choice(draw, (last + 1, -1, 2**63 - 1, -(2**63)))
    return Contents((batch, length), tuple(items))


def options(
    draw: Draw,
    attributes: dict[str, Any],
    drawn: dict[str, Given],
    scores: tuple[int, int, int, int],
) -> None:
    """Attributes and inputs that change scores and weights."""
    if happens(draw, 30):
        attributes["local_window_size"] = choice(draw, (2, 1, 4, 2**63 - 1, -1, -3))
    elif happens(draw, 20):
        attributes["causal"] = choice(draw, (0, 1))
    if happens(draw, 30):
        attributes["softcap"] = choice(draw, (2.0, 0.5, 0.0, -1.0))
    if happens(draw, 30):
        attributes["scale"] = choice(draw, (0.5, 0.125, 0.0, -0.25))
    if happens(draw, 30):
        attributes["smooth_softmax"] = choice(draw, (1, 0, -1))
    if happens(draw, 30):
        drawn["head_sink"] = (scores[1],)
    if happens(draw, 40):
        attributes["qk_output"] = choice(draw, (1, 2))
    if happens(draw, 30):
        shape = (choice(draw, (1, scores[0])), choice(draw, (1, scores[1])), *scores[2:])
        count = shape[0] * shape[1] * shape[2] * shape[3]
        tame = (0.0, 0.5, -1.25, 2.0, -float("inf"))
        pattern = [
            choice(draw, tame[: 4 if happens(draw, 60) else 5]) for _ in range(min(count, 12))
        ]
        items = tuple(pattern[(7 * i + i // 5) % len(pattern)] for i in range(count))
        drawn["attention_bias"] = Contents(shape, items)


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, heads that cannot be, numbers out of range."""
    type = choice(draw, ("float", "float16"))
    call = Call(
        {
            **ABSENT,
            "query": (2, 1, 64),
            "key": (2, 1, 32),
            "value": (2, 1, 32),
            "past_key": (2, 2, 3, 16),
            "past_value": (2, 2, 3, 16),
            "seqlens_k": Contents((2,), (3, 1)),
            "total_sequence_length": Contents((), (4,)),
        },
        {"num_heads": 4, "kv_num_heads": 2},
        {"T": type, "T_CACHE": type},
        3,
    )
    kind = choice(draw, ("shape", "tables", "number", "heads", "cache", "outputs", "total"))
    if kind == "shape":
        name = choice(draw, tuple(SHAPES))
        return Illegal(call.but({name: choice(draw, SHAPES[name])}), "ShapeError")
    if kind == "tables":
        call = call.but({"cos_cache": (4, 8), "sin_cache": (4, 8)}, do_rotary=choice(draw, (0, 1)))
        name = choice(draw, tuple(TABLES))
        return Illegal(call.but({name: choice(draw, TABLES[name])}), "ShapeError")
    if kind == "number":
        name = choice(draw, tuple(NUMBERS))
        given = {name: choice(draw, NUMBERS[name])}
        return Illegal(call.but(None, **given), "AttributeValueError")
    if kind == "heads":
        name = choice(draw, ("num_heads", "kv_num_heads"))
        number = choice(draw, (0, -1, 3, 2**63 - 1, -(2**63)))
        return Illegal(call.but(None, **{name: number}), "AttributeValueError")
    if kind == "cache":
        wrong = "float16" if type == "float" else "float"
        return Illegal(replace(call, types={"T": type, "T_CACHE": wrong}), "TypeConstraintError")
    if kind == "outputs":
        return Illegal(replace(call, outputs=4), "ShapeError")
    total = choice(draw, (0, -1, 5, -(2**31), 2**31 - 1))
    wrong_total = {"total_sequence_length": Contents((), (total,))}
    return Illegal(call.but(wrong_total), "ShapeError")


SHAPES: dict[str, tuple[Given, ...]] = {
    "query": ((2, 1, 66), (2, 1, 48), (2, 64), (2, 1, 4, 16), (2, 0, 64), (2, 2, 64), (3, 1, 64)),
    "key": ((2, 1, 48), (2, 2, 32), (1, 1, 32), (2, 32), None),
    "value": ((2, 1, 16), (2, 2, 32), (2, 1, 2, 16), None),
    "past_key": ((2, 2, 4, 16), (2, 1, 3, 16), (2, 2, 3, 8), (1, 2, 3, 16), (2, 3, 32), None),
    "past_value": ((2, 2, 2, 16), (2, 2, 3, 8), None),
    "seqlens_k": (Contents((3,), (3, 1, 1)), Contents((1,), (3,))),
    "total_sequence_length": (Contents((1, 1), (4,)), Contents((2,), (4, 4))),
    "position_ids": (Contents((2,), (0, 0)), Contents((2, 2), (0, 0, 0, 0))),
    "attention_bias": ((2, 4, 1, 3), (1, 1, 4), (2, 2, 1, 4), (3, 1, 1, 4), (1, 1, 2, 4)),
    "head_sink": ((2,), (1, 4), ()),
    "q_norm_weight": ((16,),),
}

TABLES: dict[str, tuple[Given, ...]] = {
    "cos_cache": ((3, 8), (4, 4), (4, 8, 1), (5, 8), (4, 16)),
    "sin_cache": ((3, 8), (4, 4), None),
}

NUMBERS: dict[str, tuple[Any, ...]] = {
    "causal": (2, -1),
    "local_window_size": (0,),
    "qk_output": (3, -1, 2**63 - 1),
    "k_quant_type": ("PER_TENSOR", "none"),
    "v_quant_type": ("PER_CHANNEL",),
    "kv_cache_bit_width": (8, 4, -1),
    "sliding_window_cache": (1,),
}
