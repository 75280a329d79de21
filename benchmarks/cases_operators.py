"""The cases of all other operators, as data: a call, and the goal that it counts for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from benchmarks.cases import Shape

Attribute = int | float | str | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True)
class Given:
    """One input of a call.

    Args:
        shape: its shape.
        type: its element type.
        low, high: between which its elements are drawn; integers are below ``high``.
        role: ``data`` changes from call to call; a ``weight`` is a constant of a real network,
            which onnxruntime may prepare once; a ``constant`` is one for every contender.
        values: the elements themselves, where they are not drawn.
    """

    shape: Shape
    type: str = "float32"
    low: float = -2.0
    high: float = 2.0
    role: Literal["data", "weight", "constant"] = "data"
    values: tuple[float, ...] | None = None


@dataclass(frozen=True)
class OperatorCase:
    """One call of an operator.

    Args:
        operator: its name.
        inputs: in the order of the schema; None for an absent one.
        attributes: by ONNX's names.
        group: the goal that it counts for, a key of GOALS.
        note: what tells it from other cases of the same shapes.
        flops: multiplications and additions; 0 where nobody would count them.
        opset: the opset of the call, which decides the operator's version.
        domain: the operator's; of another one than ai.onnx, its newest version is called.
        tolerance: how far results may lie apart, over the largest one.
        outputs: the number of requested outputs; the first one is compared.
    """

    operator: str
    inputs: tuple[Given | None, ...]
    attributes: tuple[tuple[str, Attribute], ...] = ()
    group: str = ""
    note: str = ""
    flops: int = 0
    opset: int = 22
    tolerance: float = 1e-4
    outputs: int = 1
    domain: str = ""

    @property
    def name(self) -> str:
        """As ``MatMul 128x768 and 768x3072``; constants are left out."""
        shapes = [
            "x".join(map(str, given.shape)) or "scalar"
            for given in self.inputs
            if given is not None and given.role != "constant"
        ]
        return " ".join([self.operator, " and ".join(shapes), *([self.note] if self.note else [])])

    @property
    def type(self) -> str:
        """The element type of the first input that is data."""
        return next(one.type for one in self.inputs if one is not None and one.role == "data")

    @property
    def attribute(self) -> dict[str, Attribute]:
        return dict(self.attributes)


GOALS: dict[str, tuple[str, float, float]] = {
    "arithmetic": ("One and two inputs, element by element", 1.2, 0.8),
    "functions": ("Elementary functions", 1.1, 0.8),
    "indices": ("Gather and scatter", 1.2, 0.8),
    "products": ("Float products", 1.05, 0.9),
    "convolutions": ("Float convolutions", 1.05, 0.9),
    "integers": ("Integer products and convolutions", 1.0, 0.8),
    "quantised": ("Quantised tensors element by element, pools, softmax", 1.0, 0.8),
    "language models": (
        "Products of blocks of codes, attention and LSTM of com.microsoft",
        1.0,
        0.8,
    ),
    "rows": ("Softmax, normalisations, pools, arg reductions, quantisation", 1.2, 0.8),
    "networks' layers": ("Recurrent layers, resampling, attention", 1.0, 0.8),
}
"""Each group of cases: its title, the least geometric mean of the speed over the fastest peer, and
the least that any case may have without a reason in REASONS."""

_SAME_BITS = (
    "at most 1 unit in the last place, with the same bits on every processor: that rules out "
    "fused operations"
)
_FUNCTION_REASONS = (
    ("Sigmoid *", "float32", "onnxruntime's is wrong by thousands of units for negative x"),
    ("Gelu *", "float32", "the peers lose all digits in the left tail, where ours errs by 1 unit"),
    ("Tanh *", "float32", _SAME_BITS),
    ("Exp *", "float32", _SAME_BITS),
    ("Log *", "float32", _SAME_BITS),
    ("Sin *", "float32", _SAME_BITS),
    ("Cos *", "float32", _SAME_BITS),
    ("Tan *", "float32", _SAME_BITS + "; in float alone, tan near pi / 4 errs by 1.25 units"),
    ("Atan *", "float32", _SAME_BITS),
    ("Sinh *", "float32", _SAME_BITS),
    ("Pow *", "float32", _SAME_BITS + "; the logarithm takes doubles"),
    ("*", "float16", "computed in float, with the bits of float16 that its results round to"),
    ("*", "float64", "at most 2 units without fused operations take pairs of doubles"),
)
_ROW_REASONS = (
    ("*Softmax *", "float32", "exponentials with " + _SAME_BITS),
    ("AveragePool *", "float32", "the work for each short row takes longer than its sums"),
)
_LAYER_REASONS = (
    (
        "DFT *",
        "float32",
        "torch calls MKL, which has code for each kind of processor; ours is one C source with the "
        "same bits everywhere, without fused operations",
    ),
    (
        "GridSample *",
        "float32",
        "positions and weights are computed in double, torch's in float, which names another pixel "
        "at some positions",
    ),
)
REASONS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "functions": _FUNCTION_REASONS,
    "rows": _ROW_REASONS,
    "networks' layers": _LAYER_REASONS,
}
"""Why cases of a group may miss the least speed: a pattern of cases, their type, the reason."""


def reason(group: str, case: str, type: str) -> str | None:
    """Return why a case may be slower than the least of its group, if known."""
    for pattern, of_type, text in REASONS.get(group, ()):
        if fnmatchcase(case, pattern) and type == of_type:
            return text
    return None


def _one(
    operator: str, size: int, type: str = "float32", low: float = -2, high: float = 2
) -> OperatorCase:
    functions = operator not in _ARITHMETIC
    given = Given((size,), type, low, high)
    group = "functions" if functions else "arithmetic"
    tolerance = 1e-2 if type == "float16" else 1e-5
    return OperatorCase(operator, (given,), (), group, tolerance=tolerance)


_SIZES = (1 << 10, 1 << 16, 1 << 20)
_MIDDLE = 1 << 16
_ARITHMETIC = ("Abs", "Ceil", "Floor", "Neg", "Reciprocal", "Round", "Sign", "Sqrt")
_POSITIVE = (0.1, 9.0)
_AROUND_ZERO = (-2.0, 2.0)
_FUNCTIONS = (
    "Exp", "Log", "Sin", "Cos", "Tan", "Tanh", "Atan", "Sinh", "Erf", "Sigmoid", "Gelu", "Elu",
    "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "Selu", "Softplus", "Softsign",
)  # fmt: skip
_PAIRS: tuple[tuple[Shape, Shape], ...] = (
    *(((size,), (size,)) for size in _SIZES),
    ((1024, 1024), ()),
    ((1024, 1024), (1024,)),
    ((1024, 1024), (1024, 1)),
)


def _elementwise() -> Iterator[OperatorCase]:
    for operator in _ARITHMETIC:
        low, high = _POSITIVE if operator in ("Sqrt", "Reciprocal") else _AROUND_ZERO
        yield from (_one(operator, size, low=low, high=high) for size in _SIZES)
        yield from (_one(operator, _MIDDLE, type, low, high) for type in ("float64", "float16"))
    for operator in ("Abs", "Neg"):
        yield from (_one(operator, _MIDDLE, type, low=-50, high=50) for type in ("int8", "int32"))
    for operator in _FUNCTIONS:
        low, high = _POSITIVE if operator == "Log" else _AROUND_ZERO
        yield from (_one(operator, size, low=low, high=high) for size in _SIZES)
        yield from (_one(operator, _MIDDLE, type, low, high) for type in ("float64", "float16"))
    for operator in ("Mul", "Sub", "Div", "Max", "Less", "Pow"):
        group = "functions" if operator == "Pow" else "arithmetic"
        for left, right in _PAIRS:
            operands = (Given(left, low=0.5), Given(right, low=0.5))
            tolerance = 0 if operator == "Less" else 1e-5
            yield OperatorCase(operator, operands, (), group, tolerance=tolerance)
        for type in ("float16", "int8", "int32", "float64"):
            if (operator, type) == ("Pow", "int8"):
                continue  # no version takes it
            operands = (Given((_MIDDLE,), type, 1, 9), Given((_MIDDLE,), type, 1, 3))
            tolerance = 0 if operator == "Less" else 1e-2 if type == "float16" else 1e-5
            yield OperatorCase(operator, operands, (), group, tolerance=tolerance)
    for shape in ((1 << 10,), (1 << 16,), (1 << 20,)):
        condition = Given(shape, "bool", 0, 2)
        yield OperatorCase("Where", (condition, Given(shape), Given(shape)), (), "arithmetic")


def _index(shape: Shape, below: int) -> Given:
    return Given(shape, "int64", 0, below)


def _indices() -> Iterator[OperatorCase]:
    def case(operator: str, *inputs: Given, **attributes: Attribute) -> OperatorCase:
        return OperatorCase(operator, inputs, tuple(attributes.items()), "indices", tolerance=0)

    yield case("Gather", Given((30522, 768)), _index((128,), 30522), axis=0)
    yield case("Gather", Given((50257, 768)), _index((1, 1), 50257), axis=0)
    yield case("Gather", Given((1024, 1024)), _index((512,), 1024), axis=1)
    yield case("GatherElements", Given((1024, 1024)), _index((1024, 256), 1024), axis=1)
    yield case("GatherElements", Given((1024, 1024)), _index((256, 1024), 1024), axis=0)
    yield case("GatherND", Given((256, 256, 64)), _index((4096, 2), 256))
    places = tuple(range(0, 4096, 2))
    rows = Given((2048, 1), "int64", role="constant", values=places)
    yield case("ScatterND", Given((4096, 256)), rows, Given((2048, 256)))
    columns = Given((512, 512), "int64", role="constant", values=tuple(range(512)) * 512)
    yield case("ScatterElements", Given((512, 1024)), columns, Given((512, 512)), axis=1)


def _products() -> Iterator[OperatorCase]:
    shapes = (
        ((512, 512), (512, 512)),
        ((2048, 2048), (2048, 2048)),
        ((128, 768), (768, 768)),  # BERT-base with 128 tokens, and with one
        ((128, 768), (768, 3072)),
        ((128, 3072), (3072, 768)),
        ((1, 768), (768, 3072)),
        ((1, 768), (768, 768)),
        ((12, 128, 64), (12, 64, 128)),
        ((12, 128, 128), (12, 128, 64)),
        ((64, 64), (64, 64)),
        ((4096, 64), (64, 64)),  # tall
        ((64, 4096), (4096, 64)),  # thin
    )
    for left, right in shapes:
        flops = 2 * math.prod(left) * right[-1]
        weight = Given(right, role="weight" if len(right) == 2 else "data")
        yield OperatorCase("MatMul", (Given(left), weight), (), "products", "", flops)
    for left, right in (((128, 768), (2304, 768)), ((1, 2048), (1000, 2048))):
        inputs = (Given(left), Given(right, role="weight"), Given(right[:1], role="weight"))
        flops = 2 * math.prod(left) * right[0]
        yield OperatorCase("Gemm", inputs, (("transB", 1),), "products", "transB", flops)
    for size in (128, 512):
        both = (Given((size, size), "uint8", 0, 255), Given((size, size), "int8", -127, 127))
        yield OperatorCase("MatMulInteger", both, (), "integers", "", 2 * size**3, tolerance=0)


def _convolution(
    x: Shape, w: Shape, stride: int = 1, pad: int = 0, group: int = 1, dilation: int = 1
) -> OperatorCase:
    rank = len(x) - 2
    axes = zip(x[2:], w[2:], strict=True)
    spatial = [(n + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for n, k in axes]
    attributes: tuple[tuple[str, Attribute], ...] = (
        ("kernel_shape", w[2:]), ("strides", (stride,) * rank), ("pads", (pad,) * rank * 2),
        ("group", group), ("dilations", (dilation,) * rank),
    )  # fmt: skip
    note = " ".join(
        f"{letter}{value}"
        for letter, value, usual in (("s", stride, 1), ("p", pad, 0), ("g", group, 1))
        if value != usual
    )
    flops = 2 * x[0] * math.prod(spatial) * math.prod(w)
    inputs = (Given(x), Given(w, role="weight"), Given(w[:1], role="weight"))
    return OperatorCase("Conv", inputs, attributes, "convolutions", note, flops)


_RESNET = (  # channels, maps, size, kernel, stride: the distinct convolutions of ResNet-50
    (3, 64, 224, 7, 2), (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1),
    (256, 64, 56, 1, 1), (256, 128, 56, 1, 1), (128, 128, 56, 3, 2), (128, 512, 28, 1, 1),
    (256, 512, 56, 1, 2), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1), (512, 256, 28, 1, 1),
    (256, 256, 28, 3, 2), (256, 1024, 14, 1, 1), (512, 1024, 28, 1, 2), (1024, 256, 14, 1, 1),
    (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2), (512, 2048, 7, 1, 1),
    (1024, 2048, 14, 1, 2), (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1),
)  # fmt: skip


def _convolutions() -> Iterator[OperatorCase]:
    for channels, maps, size, kernel, stride in _RESNET:
        x, w = (1, channels, size, size), (maps, channels, kernel, kernel)
        yield _convolution(x, w, stride, kernel // 2)
    for channels, maps, size in ((16, 96, 112), (96, 24, 56), (144, 32, 28), (320, 1280, 7)):
        yield _convolution((1, channels, size, size), (maps, channels, 1, 1))  # MobileNetV2
    for channels, size, stride in ((32, 112, 1), (96, 112, 2), (144, 56, 1), (384, 14, 1)):
        x, w = (1, channels, size, size), (channels, 1, 3, 3)
        yield _convolution(x, w, stride, 1, group=channels)
    yield _convolution((1, 64, 128, 128), (64, 64, 3, 3), pad=1)  # U-Net
    yield _convolution((1, 3, 224, 224), (768, 3, 16, 16), stride=16)  # patches of a ViT
    yield _convolution((1, 64, 4096), (64, 64, 9), pad=4)  # sound
    yield _convolution((1, 16, 16, 56, 56), (32, 16, 3, 3, 3), pad=1)
    yield from map(_quantised, _RESNET[2:20:4])


def _quantised(layer: tuple[int, ...]) -> OperatorCase:
    channels, maps, size, kernel, stride = layer
    float_case = _convolution(
        (1, channels, size, size), (maps, channels, kernel, kernel), stride, kernel // 2
    )
    weight_shape = (maps, channels, kernel, kernel)

    def scale(value: float) -> Given:
        return Given((), role="constant", values=(value,))

    def zero(type: str, value: int) -> Given:
        return Given((), type, role="constant", values=(value,))

    inputs = (
        Given((1, channels, size, size), "uint8", 0, 255), scale(0.02), zero("uint8", 128),
        Given(weight_shape, "int8", -127, 127, role="weight"), scale(0.01), zero("int8", 0),
        scale(float(channels * kernel)), zero("uint8", 128),
    )  # fmt: skip
    return OperatorCase(
        "QLinearConv", inputs, float_case.attributes, "integers", float_case.note,
        float_case.flops, tolerance=1 / 64,
    )  # fmt: skip


def _rows() -> Iterator[OperatorCase]:
    def case(
        operator: str,
        *inputs: Given | None,
        note: str = "",
        tolerance: float = 1e-4,
        **attributes: Attribute,
    ) -> OperatorCase:
        given = tuple(attributes.items())
        return OperatorCase(operator, inputs, given, "rows", note, tolerance=tolerance)

    def weight(*shape: int, low: float = 0.5) -> Given:
        return Given(shape, low=low, role="weight")

    for shape in ((12 * 128, 128), (128, 1000), (1, 50257)):
        yield case("Softmax", Given(shape), axis=-1)
    yield case("LogSoftmax", Given((128, 1000)), axis=-1)
    yield case("LayerNormalization", Given((128, 768)), weight(768), weight(768), axis=-1)
    yield case("LayerNormalization", Given((1, 768)), weight(768), weight(768), axis=-1)
    image, channels = Given((1, 64, 56, 56)), weight(64)
    yield case("BatchNormalization", image, channels, channels, channels, channels)
    yield case("InstanceNormalization", image, channels, channels)
    yield case("LRN", image, size=5)
    pool = {"kernel_shape": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)}
    yield case("AveragePool", image, **pool)  # type: ignore[arg-type]
    yield case("GlobalAveragePool", Given((1, 2048, 7, 7)))
    yield case("ArgMax", Given((128, 1000)), axis=1, keepdims=0, tolerance=0)
    yield case("ArgMax", Given((21, 256, 256)), axis=0, keepdims=0, tolerance=0)
    axis = Given((), "int64", role="constant", values=(1,))
    yield case("CumSum", Given((128, 1000)), axis)
    k = Given((1,), "int64", role="constant", values=(5,))
    row = Given((128, 1000))
    yield OperatorCase("TopK", (row, k), (("axis", 1),), "rows", "k 5", tolerance=0, outputs=2)
    scale = Given((), role="constant", values=(0.02,))
    zero = Given((), "uint8", role="constant", values=(128,))
    yield case("QuantizeLinear", Given((1 << 16,)), scale, zero, tolerance=1 / 64)
    yield case("DequantizeLinear", Given((1 << 16,), "uint8", 0, 255), scale, zero)


def _layers() -> Iterator[OperatorCase]:
    def case(
        operator: str,
        *inputs: Given | None,
        note: str = "",
        opset: int = 22,
        **attributes: Attribute,
    ) -> OperatorCase:
        given = tuple(attributes.items())
        return OperatorCase(
            operator, inputs, given, "networks' layers", note, opset=opset, tolerance=1e-3
        )

    def weight(*shape: int) -> Given:
        return Given(shape, low=-0.1, high=0.1, role="weight")

    for hidden in (256, 512):
        for directions, name in ((1, "forward"), (2, "bidirectional")):
            for operator, gates in (("LSTM", 4), ("GRU", 3)):
                yield case(
                    operator,
                    Given((100, 1, hidden)),
                    weight(directions, gates * hidden, hidden),
                    weight(directions, gates * hidden, hidden),
                    hidden_size=hidden,
                    direction=name,
                    note=name,
                )
    sizes = (((1, 64, 112, 112), (1, 64, 224, 224)), ((1, 64, 224, 224), (1, 64, 112, 112)))
    for source, target in sizes:
        for mode in ("nearest", "linear", "cubic"):
            to = Given((4,), "int64", role="constant", values=target)
            note = f"to {target[2]} {mode}"
            yield case("Resize", Given(source), None, None, to, note=note, mode=mode)

    for tokens in (128, 1024):
        heads = Given((1, 12, tokens, 64))
        yield case("Attention", heads, heads, heads, opset=23)
    token, past = Given((1, 12, 1, 64)), Given((1, 12, 1024, 64))
    inputs = (token, token, token, None, past, past)
    yield replace(case("Attention", *inputs, note="past", opset=23), outputs=3)
    grid = Given((1, 224, 224, 2), low=-1.0, high=1.0)
    for mode in ("linear", "nearest"):
        yield case("GridSample", Given((1, 3, 224, 224)), grid, note=mode, opset=20, mode=mode)
    axis = Given((), "int64", role="constant", values=(1,))
    for points in (1024, 1000):
        yield case("DFT", Given((16, points, 2)), None, axis, opset=20)


MAIN = (
    *_elementwise(),
    *_indices(),
    *_products(),
    *_convolutions(),
    *_rows(),
    *_layers(),
)
