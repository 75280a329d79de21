"""Cases of com.microsoft's operators of quantised tensors, as quantised networks have them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.cases import Shape
from benchmarks.cases_operators import Attribute, Given, OperatorCase

_IMAGE = (1, 64, 56, 56)
_OPERANDS: tuple[Shape, ...] = (_IMAGE, (1, 64, 1, 1), ())
_TYPES = ("uint8", "int8")


def _constant(value: float, type: str = "float32") -> Given:
    return Given((), type, role="constant", values=(value,))


def _tensor(shape: Shape, type: str, scale: float, zero: int) -> tuple[Given, ...]:
    """A tensor with its scale and its zero point."""
    return Given(shape, type, 0, 128), _constant(scale), _constant(zero, type)


def _case(operator: str, *inputs: Given, note: str = "", **attributes: Attribute) -> OperatorCase:
    given = tuple(attributes.items())
    return OperatorCase(
        operator, inputs, given, "quantised", note, tolerance=1 / 32, domain="com.microsoft"
    )


def _cases() -> Iterator[OperatorCase]:
    for type in _TYPES:
        image, to = _tensor(_IMAGE, type, 0.05, 3), (_constant(0.1), _constant(7, type))
        for operator in ("QLinearAdd", "QLinearMul"):
            for shape in _OPERANDS:
                yield _case(operator, *image, *_tensor(shape, type, 0.07, 5), *to)
        yield _case("QLinearSigmoid", *image, _constant(1 / 256), _constant(0, type))
        yield _case("QLinearLeakyRelu", *image, *to, alpha=0.1)
        yield _case("QLinearConcat", *to, *image, *_tensor(_IMAGE, type, 0.07, 5), axis=1)
        condition = Given(_IMAGE, "bool", 0, 2)
        other = _tensor(_IMAGE, type, 0.07, 5)
        yield _case("QLinearWhere", condition, *image, *other, *to, note=type)
        shares = (_constant(1 / 256), _constant(0, type))
        for lines, axis in (((8, 128, 128), -1), ((1, 1000), -1), ((1, 21, 64, 64), 1)):
            x = _tensor(lines, type, 0.05, 3)
            yield _case("QLinearSoftmax", *x, *shares, note=f"axis {axis}", axis=axis, opset=13)
        for channels, size, kernel, stride in ((64, 56, 3, 2), (192, 28, 3, 1), (1024, 7, 7, 1)):
            x, pad = _tensor((1, channels, size, size), type, 0.05, 3), 1 if kernel == 3 else 0
            yield _case(
                "QLinearAveragePool", *x, *to, note=f"{kernel}x{kernel} s{stride}",
                kernel_shape=(kernel, kernel), strides=(stride, stride), pads=(pad,) * 4,
            )  # fmt: skip
        for maps in ((1, 512, 14, 14), (1, 2048, 7, 7)):
            x = _tensor(maps, type, 0.05, 3)
            yield _case("QLinearGlobalAveragePool", *x, *to, channels_last=0)


MAIN = tuple(_cases())
