"""The weights of mel bands: the mel scale with 50 digits, and a triangle for each band."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import Value, type_of_number


def edges(inputs: Mapping[str, Value]) -> list[int]:
    """The bins of the edges of all bands."""
    numbers = {name: value.items[0] for name, value in inputs.items()}
    count = numbers["num_mel_bins"] + 2
    with localcontext() as context:
        context.prec = 50

        def mel(hertz: float) -> Decimal:
            return 2595 * (1 + Decimal(hertz) / 700).log10()

        low, high = mel(numbers["lower_edge_hertz"]), mel(numbers["upper_edge_hertz"])
        result = []
        for i in range(count):
            position = low + (high - low) * i / count
            hertz = 700 * (Decimal(10) ** (position / 2595) - 1)
            exact = (numbers["dft_length"] + 1) * hertz / numbers["sample_rate"]
            near = round(exact)  # exact, but for what rounding left
            result.append(near if abs(exact - near) < Decimal("1e-30") else math.floor(exact))
        return result


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    type = type_of_number(attributes.get("output_datatype", 1))
    bands, rows = inputs["num_mel_bins"].items[0], inputs["dft_length"].items[0] // 2 + 1
    bins = edges(inputs)
    weights = [[Fraction(0)] * bands for _ in range(rows)]
    for band in range(bands):
        left, centre, right = bins[band : band + 3]
        falls = left > centre and right <= centre
        for bin in () if falls else (min(left, centre), max(centre, right - 1)):
            if not 0 <= bin < rows:
                raise RefusedContents(0, f"of the spectrum, expected 0 to {rows - 1}")
        if left == centre:
            weights[centre][band] = Fraction(1)
        for row in range(left, centre + 1 if left < centre else left):
            weights[row][band] = Fraction(row - left, centre - left)
        for row in range(centre, right):
            weights[row][band] = Fraction(right - row, right - centre)
    flat = [weight for row in weights for weight in row]
    items = tuple(rounded(w, type) if type in FORMATS else int(w) for w in flat)
    return {"output": Value(type, (rows, bands), items)}
