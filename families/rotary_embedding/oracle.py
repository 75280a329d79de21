"""Slow reference of RotaryEmbedding: each element by the formula, exactly, rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.sums import dot
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    names = ("X", "Y") if "X" in inputs else ("input", "output")
    x, cosine, sine = inputs[names[0]], inputs["cos_cache"], inputs["sin_cache"]
    positions = inputs.get("position_ids")
    flat = len(x.shape) == 3
    follows = positions is not None and len(positions.shape) == 1
    for element, position in enumerate(positions.items if positions else ()):
        highest = cosine.shape[0] - (x.shape[1 if flat else 2] if follows else 1)
        if not 0 <= position <= highest:
            at = f"[{element // positions.shape[-1]}, {element % positions.shape[-1]}]"
            at = "[0]" if follows else at
            expected = f"0 to {highest}" if highest else "0"
            raise RefusedContents(element, f"position_ids{at} is {position}, expected {expected}")
    heads = attributes.get("num_heads", 0)
    size = x.shape[3] if not flat else x.shape[2] // heads if heads else 2 * cosine.shape[1]
    rotated = attributes.get("rotary_embedding_dim", 0) or size
    pairs = rotated // 2
    items = list(x.items)
    for at, index in enumerate(indices(x.shape)):
        element = index[-1] % size if flat else index[-1]
        token = (index[0], index[1] if flat else index[2])
        if element >= rotated:
            continue
        if attributes.get("interleaved", 0):
            pair, second, other = element // 2, element % 2 == 1, at + 1 - 2 * (element % 2)
        else:
            pair, second = element % pairs, element >= pairs
            other = at - pairs if second else at + pairs
        row = token
        if follows:
            row = (positions.items[0] + token[1],)
        elif positions is not None:
            row = (positions.items[ravel(token, positions.shape)],)
        entry = ravel((*row, pair), cosine.shape)
        c, s = cosine.items[entry], sine.items[entry]
        terms = (
            [(s, x.items[other]), (c, x.items[at])]
            if second
            else [(c, x.items[at]), (-s, x.items[other])]
        )
        items[at] = dot(terms, x.type)
    return {names[1]: Value(x.type, x.shape, tuple(items))}
