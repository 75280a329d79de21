"""Torch's calls for the operators of ``cases_operators``: they write to ``out`` or return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional

from benchmarks.cases_operators import Attribute
from benchmarks.clock import Call

Attributes = Mapping[str, Attribute]
Maker = Callable[[Sequence[Any], Attributes, Any], Call]


def _into(function: Callable[..., Any], **more: Any) -> Maker:
    """A function of torch that takes the inputs as they are, and ``out``."""

    def make(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
        return lambda: _none(function(*inputs, out=out, **more))

    return make


def _anew(function: Callable[..., Any], **more: Any) -> Maker:
    """A function of torch that returns a tensor of its own."""

    def make(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
        return lambda: function(*inputs, **more)

    return make


def _none(result: Any) -> None:
    """Return nothing: the result was written to ``out``."""


def _divide(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    rounding = None if out.dtype.is_floating_point else "trunc"
    return lambda: _none(torch.div(*inputs, rounding_mode=rounding, out=out))


def _gather(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    data, indices = inputs
    axis: Any = attributes["axis"]
    flat = indices.reshape(-1)
    shape = out.shape
    return lambda: torch.index_select(data, axis, flat).reshape(shape)


def _gather_elements(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    data, indices = inputs
    axis: Any = attributes["axis"]
    return lambda: _none(torch.gather(data, axis, indices, out=out))


def _gather_nd(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    data, indices = inputs
    places = tuple(indices.t())
    return lambda: data[places]


def _scatter_nd(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    data, indices, updates = inputs
    rows = indices.reshape(-1)
    return lambda: torch.index_copy(data, 0, rows, updates)


def _scatter_elements(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    data, indices, updates = inputs
    axis: Any = attributes["axis"]
    return lambda: torch.scatter(data, axis, indices, updates)


def _gemm(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    left, right, bias = inputs
    return lambda: functional.linear(left, right, bias)


def _convolution(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    x, w, bias = inputs
    rank = x.ndim - 2
    function: Any = (functional.conv1d, functional.conv2d, functional.conv3d)[rank - 1]
    strides, dilations = attributes["strides"], attributes["dilations"]
    pads: Any = attributes["pads"]
    group = attributes["group"]
    return lambda: function(x, w, bias, strides, pads[:rank], dilations, group)


def _softmax(function: Callable[..., Any]) -> Maker:
    def make(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
        return lambda: function(inputs[0], attributes["axis"])

    return make


def _layer_normalization(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    x, scale, bias = inputs
    return lambda: functional.layer_norm(x, scale.shape, scale, bias)


def _batch_normalization(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    x, scale, bias, mean, variance = inputs
    return lambda: functional.batch_norm(x, mean, variance, scale, bias)


def _instance_normalization(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    x, scale, bias = inputs
    return lambda: functional.instance_norm(x, weight=scale, bias=bias)


def _average_pool(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    kernel: Any = attributes["kernel_shape"]
    strides: Any = attributes["strides"]
    pads: Any = attributes["pads"]
    return lambda: functional.avg_pool2d(
        inputs[0], kernel, strides, pads[:2], count_include_pad=False
    )


def _global_average_pool(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    return lambda: _none(torch.mean(inputs[0], (2, 3), keepdim=True, out=out))


def _arg_max(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    axis: Any = attributes["axis"]
    return lambda: _none(torch.argmax(inputs[0], axis, out=out))


def _cum_sum(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    axis = int(inputs[1])
    return lambda: _none(torch.cumsum(inputs[0], axis, out=out))


def _top_k(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    axis: Any = attributes["axis"]
    k = int(inputs[1])
    return lambda: torch.topk(inputs[0], k, axis).values


def _softplus(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    return lambda: functional.softplus(inputs[0])


def _resize(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    mode = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}[str(attributes["mode"])]
    size = tuple(out.shape[2:])
    return lambda: functional.interpolate(inputs[0], size, mode=mode)


def _attention(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    query, key, value, *past = (one for one in inputs if one is not None)
    attend = functional.scaled_dot_product_attention
    if not past:
        return lambda: attend(query, key, value)

    def call() -> Any:
        keys, values = (torch.cat(pair, 2) for pair in zip(past, (key, value), strict=True))
        return attend(query, keys, values)

    return call


def _grid_sample(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    mode = {"nearest": "nearest", "linear": "bilinear"}[str(attributes["mode"])]
    image, grid = inputs
    return lambda: functional.grid_sample(image, grid, mode, align_corners=False)


def _transform(inputs: Sequence[Any], attributes: Attributes, out: Any) -> Call:
    signal = torch.view_as_complex(inputs[0])
    return lambda: torch.view_as_real(torch.fft.fft(signal, dim=int(inputs[2])))


_INTO = {
    "Abs": torch.abs, "Ceil": torch.ceil, "Floor": torch.floor, "Neg": torch.neg,
    "Reciprocal": torch.reciprocal, "Round": torch.round, "Sign": torch.sign, "Sqrt": torch.sqrt,
    "Exp": torch.exp, "Log": torch.log, "Sin": torch.sin, "Cos": torch.cos, "Tan": torch.tan,
    "Tanh": torch.tanh, "Atan": torch.atan, "Sinh": torch.sinh, "Erf": torch.erf,
    "Sigmoid": torch.sigmoid, "Mul": torch.mul, "Sub": torch.sub, "Max": torch.maximum,
    "Less": torch.lt, "Pow": torch.pow, "Where": torch.where, "MatMul": torch.matmul,
}  # fmt: skip
_ANEW: dict[str, Callable[..., Any]] = {
    "Gelu": functional.gelu, "Elu": functional.elu, "HardSwish": functional.hardswish,
    "Mish": functional.mish, "Selu": functional.selu, "Softsign": functional.softsign,
}  # fmt: skip

MAKERS: dict[str, Maker] = {
    **{operator: _into(function) for operator, function in _INTO.items()},
    **{operator: _anew(function) for operator, function in _ANEW.items()},
    "ArgMax": _arg_max,
    "Attention": _attention,
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_normalization,
    "Conv": _convolution,
    "CumSum": _cum_sum,
    "DFT": _transform,
    "Div": _divide,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Gemm": _gemm,
    "GlobalAveragePool": _global_average_pool,
    "GridSample": _grid_sample,
    "InstanceNormalization": _instance_normalization,
    "LayerNormalization": _layer_normalization,
    "LeakyRelu": _anew(functional.leaky_relu, negative_slope=0.01),
    "LogSoftmax": _softmax(torch.log_softmax),
    "Resize": _resize,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Softmax": _softmax(torch.softmax),
    "Softplus": _softplus,
    "TopK": _top_k,
}
