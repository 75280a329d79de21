"""Overhead of a call beside its computation: 8 elements in, 16 out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import c_level
from benchmarks.cases import CopyCase
from benchmarks.clock import Call, Effort, Spread, compare
from benchmarks.contenders import OPMILL, Contender
from benchmarks.measure import Record, in_microseconds
from opmill import opset13

_TILE = CopyCase("Tile", (8,), (2,), main=False)
_EXPAND = CopyCase("Expand", (1, 8), (2, 8), main=False)
_NOTHING = "an empty call"


def measure(contenders: Sequence[Contender], effort: Effort) -> Record:
    """Calls from Python, less what calling nothing takes, and calls from C."""
    x = np.arange(8, dtype=np.float32)
    counts = np.array([2])
    calls: dict[str, Call] = {
        _NOTHING: lambda: None,
        "opmill tile, new output": lambda: opset13.tile(x, counts),
        "opmill tile, a list of counts": lambda: opset13.tile(x, [2]),
    }
    for contender in contenders:
        contender.set_threads(1)
        for case in (_TILE, _EXPAND):
            call = contender.copy(case, x.reshape(case.input), np.empty(case.output, np.float32))
            if call is not None:
                suffix = ", out=" if contender.name == OPMILL else ""
                calls[f"{contender.name} {case.operator.lower()}{suffix}"] = call
    spreads = compare(calls, effort)
    empty = spreads.pop(_NOTHING).minimum
    return {
        "python": {name: in_microseconds(_less(spread, empty)) for name, spread in spreads.items()},
        "c": {name: in_microseconds(spread) for name, spread in c_level.times(effort).items()},
    }


def _less(spread: Spread, seconds: float) -> Spread:
    return Spread(
        spread.minimum - seconds,
        spread.lower - seconds,
        spread.median - seconds,
        spread.upper - seconds,
    )
