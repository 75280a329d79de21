"""MaxPool in PyTorch's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from opmill.conformance._drawn import Drawn

Tensor = Any
Attributes = Mapping[str, Any]


def call(X: Tensor, attributes: Attributes) -> tuple[Tensor, Tensor]:
    """PyTorch counts the places of each channel from 0."""
    axes = X.ndim - 2
    functions = (
        torch.nn.functional.max_pool1d,
        torch.nn.functional.max_pool2d,
        torch.nn.functional.max_pool3d,
    )
    values, places = functions[axes - 1](
        X,
        attributes["kernel_shape"],
        stride=attributes.get("strides", [1] * axes),
        padding=attributes.get("pads", [0] * axes)[:axes],
        dilation=attributes.get("dilations", [1] * axes),
        ceil_mode=bool(attributes.get("ceil_mode", 0)),
        return_indices=True,
    )
    channels = torch.arange(X.shape[0] * X.shape[1]).reshape(*X.shape[:2], *[1] * axes)
    return values, places + channels * X[0, 0].numel()


def takes(drawn: Drawn) -> bool:
    """Up to three axes, no empty ones, and padding that is the same at both ends and small."""
    x, attributes = drawn.inputs[0], drawn.attributes
    axes = x.ndim - 2
    pads = attributes.get("pads", [0] * (2 * axes))
    return (
        x.ndim <= 5
        and x.size > 0
        and x.dtype.kind == "f"
        and attributes.get("auto_pad", "NOTSET") == "NOTSET"
        and attributes.get("storage_order", 0) == 0
        and pads[:axes] == pads[axes:]
        and all(2 * p <= k for p, k in zip(pads, attributes["kernel_shape"], strict=False))
        and (drawn.outputs != 2 or not np.isnan(x).any())
    )
