"""ConvTranspose in PyTorch's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from opmill.conformance._drawn import Drawn

Tensor = Any
Attributes = Mapping[str, Any]


def call(X: Tensor, W: Tensor, B: Tensor | None, attributes: Attributes) -> Tensor:
    """The whole output, cropped afterwards: PyTorch's padding is the same at both ends."""
    axes = X.ndim - 2
    function = (torch.conv_transpose1d, torch.conv_transpose2d, torch.conv_transpose3d)[axes - 1]
    whole = function(
        X,
        W,
        B,
        stride=attributes.get("strides", [1] * axes),
        padding=0,
        output_padding=attributes.get("output_padding", [0] * axes),
        groups=attributes.get("group", 1),
        dilation=attributes.get("dilations", [1] * axes),
    )
    pads = attributes.get("pads", [0] * (2 * axes))
    for axis in range(axes):
        size = whole.shape[2 + axis]
        whole = whole.narrow(2 + axis, pads[axis], size - pads[axis] - pads[axes + axis])
    return whole


def takes(drawn: Drawn) -> bool:
    """Up to three axes, and no size that PyTorch takes in another form."""
    automatic = drawn.attributes.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID")
    return drawn.inputs[0].ndim <= 5 and not automatic and "output_shape" not in drawn.attributes
