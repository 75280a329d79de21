"""Declares the operators of torchvision that its Python code expects, for a torch without CUDA.

The package index has torchvision for CUDA only: on a torch for the CPU its library does not load.
Converters import it for operators that count as refused then.
"""

import torch

_LIBRARY = torch.library.Library("torchvision", "DEF")
for _name in ("nms", "qnms"):
    _LIBRARY.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
