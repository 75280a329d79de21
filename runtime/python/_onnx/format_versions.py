"""IR versions and opsets of ONNX, also of those that the installed onnx does not know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import onnx
from onnx import ModelProto, defs

from opmill._onnx.catalog import MAIN_DOMAIN

_FIRST = {
    MAIN_DOMAIN: {
        1: 3, 9: 4, 10: 5, 11: 6, 12: 7, 15: 8, 19: 9, 21: 10, 23: 11, 24: 12, 25: 13, 28: 14
    },
    "ai.onnx.ml": {1: 3, 2: 6, 3: 8, 4: 9, 5: 10},
    "ai.onnx.training": {1: 7},
}  # fmt: skip
"""For each of ONNX's domains, the opsets that came with a higher IR version than the one before."""

NEWEST_IR = max(_FIRST[MAIN_DOMAIN].values())
"""The newest IR version."""

NEWEST_OPSET = 28
"""The newest opset of ONNX's main domain."""


def min_ir_version(imports: Iterable[Any]) -> int:
    """Return the lowest IR version whose models may import these opsets.

    Domains other than ONNX's demand none.
    """
    found = [1]
    for one in imports:
        steps = _FIRST.get(one.domain or MAIN_DOMAIN, {})
        found += [version for opset, version in steps.items() if opset <= one.version]
    return max(found)


def newer_than_onnx(model: ModelProto) -> str:
    """Return what the installed onnx is too old for, though opmill is not; empty if nothing is."""
    parts = [("IR version", model.ir_version, int(onnx.IR_VERSION), NEWEST_IR)]
    parts += [
        ("opset", one.version, defs.onnx_opset_version(), NEWEST_OPSET)
        for one in model.opset_import
        if one.domain in ("", MAIN_DOMAIN)
    ]
    return ", ".join(
        f"{what} {found} is newer than {known}, the newest of onnx {onnx.__version__}"
        for what, found, known, ours in parts
        if known < found <= ours
    )
