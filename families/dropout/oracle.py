"""Reference of Dropout: one element at a time, with Philox4x32-10 on plain integers."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import FORMATS, attribute_value, rounded
from opmill_checks.value import TYPES, Value, array_of_bits

WORD = 2**32


def block(seed: int, number: int) -> list[int]:
    """The four words of a block: ten rounds, each with a key of its own."""
    counter = [number % WORD, number // WORD, 0, 0]
    key = [seed % WORD, seed // WORD % WORD]
    for _ in range(10):
        high0, low0 = divmod(counter[0] * 0xD2511F53, WORD)
        high1, low1 = divmod(counter[2] * 0xCD9E8D57, WORD)
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) % WORD, (key[1] + 0xBB67AE85) % WORD]
    return counter


def product(a: float, b: float) -> float:
    """In double; infinities, NaNs and the signs of zeros as Python has them."""
    finite = math.isfinite(a) and math.isfinite(b)
    return rounded((Fraction(a) * Fraction(b) if finite else 0) or a * b, "double")


def of_type(type: str, number: float) -> float:
    """A double as an element; narrower types round it to float before."""
    if type == "double":
        return number
    number = rounded(number, "float")
    return rounded(number, type) if type in FORMATS else of_eight_bits(type, number)


def of_eight_bits(type: str, number: float) -> float:
    """The nearest number of a format, ties to the even pattern; beyond, infinity or else NaN."""
    if number != number:
        return math.nan
    has_infinity, unsigned_zero = type == "float8e5m2", type.endswith("fnuz")
    patterns = array_of_bits(type, range(128)).astype(np.float64).tolist()
    numbers = [x for x in patterns if math.isfinite(x)]  # from 0 up, in the order of their patterns
    beyond = 2 * numbers[-1] - numbers[-2]
    steps = [*numbers, beyond]
    size = abs(number)
    position = min(bisect_right(steps, size), len(steps) - 1)
    if not math.isinf(size) and size < beyond:
        below, above = Fraction(steps[position - 1]), Fraction(steps[position])
        rest, gap = Fraction(size) - below, above - below
        up = 2 * rest > gap or (2 * rest == gap and (position - 1) % 2 == 1)
        position -= 0 if up else 1
    if position == len(numbers):
        return math.copysign(math.inf, number) if has_infinity else math.nan
    nearest = numbers[position]
    return 0.0 if nearest == 0 and unsigned_zero else math.copysign(nearest, number)


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    mask_of_data: bool,
    defaults: Mapping[str, Any],
    outputs: int | None,
) -> dict[str, Value]:
    data = inputs["data"]
    known = {**defaults, **attributes}
    ratio, training = 0.5, False
    if "is_test" in known:
        ratio, training = attribute_value(known["ratio"]), known["is_test"] == 0
    given, mode = inputs.get("ratio"), inputs.get("training_mode")
    if given is not None:
        (ratio,) = given.items
    if mode is not None:
        (training,) = mode.items
    if given is not None and not 0 <= ratio < 1:
        raise RefusedContents(0, f"{ratio:.9g}, expected at least 0 and less than 1")
    count = len(data.items)
    mask_type = data.type if mask_of_data else "bool"
    one = 1.0 if TYPES[mask_type].kind == "float" else True
    is_kept = [True] * count
    output = data.take(data.shape, range(count))
    if training and ratio != 0:
        seed = known.get("seed", 0)
        words = [word for k in range(-(-count // 4)) for word in block(seed, k)][:count]
        is_kept = [Fraction(word, WORD) >= Fraction(ratio) for word in words]
        scale = rounded(1 / Fraction(rounded(1 - Fraction(ratio), "double")), "double")
        factors = [scale if keeps else 0.0 for keeps in is_kept]
        items = (product(x, f) for x, f in zip(data.items, factors, strict=True))
        output = Value(data.type, data.shape, tuple(of_type(data.type, item) for item in items))
    mask = Value(mask_type, data.shape, tuple(one if keeps else type(one)(0) for keeps in is_kept))
    return {"output": output, "mask": mask} if outputs == 2 else {"output": output}
