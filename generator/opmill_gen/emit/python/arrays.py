"""A tensor of a spec as Python: an expression for the array, and what ``tolist()`` prints."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from opmill_gen.base.literals import python_literal
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.float_bits import FORMATS, float_bits
from opmill_gen.spec.tensor_values import Bits, Element, Fill, Formula, Given, TensorValue

WIDTH = 88
"""The longest line of an example."""

_DTYPES = {
    ElementType.FLOAT: "np.float32",
    ElementType.DOUBLE: "np.float64",
    ElementType.BOOL: "np.bool_",
    ElementType.STRING: "object",
}
_NUMPY_WORDS = ("int", "uint", "complex", "float16")
ML_DTYPES = {
    ElementType.BFLOAT16: "bfloat16",
    ElementType.FLOAT8E4M3FN: "float8_e4m3fn",
    ElementType.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    ElementType.FLOAT8E5M2: "float8_e5m2",
    ElementType.FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
    ElementType.FLOAT8E8M0: "float8_e8m0fnu",
    ElementType.FLOAT4E2M1: "float4_e2m1fn",
    ElementType.FLOAT6E2M3: "float6_e2m3fn",
    ElementType.FLOAT6E3M2: "float6_e3m2fn",
    ElementType.INT4: "int4",
    ElementType.UINT4: "uint4",
    ElementType.INT2: "int2",
    ElementType.UINT2: "uint2",
}
"""The names in ml_dtypes of the types that NumPy lacks."""
UNPACK = {
    ElementType.FLOAT16: "<e",
    ElementType.FLOAT: "<f",
    ElementType.DOUBLE: "<d",
}
"""Formats by which ``struct`` reads the types that Python prints digit by digit."""


def dtype_code(element: ElementType) -> str:
    """The dtype of an element type, as ``np.float32`` or ``ml_dtypes.bfloat16``."""
    if element in _DTYPES:
        return _DTYPES[element]
    if element in ML_DTYPES:
        return f"ml_dtypes.{ML_DTYPES[element]}"
    return f"np.{element.value}"


def array_code(tensor: TensorValue, column: int = 0) -> str:
    """An expression for the tensor; ``column`` is where its first line begins."""
    dtype, shape, source = dtype_code(tensor.type), python_literal(tensor.shape), tensor.source
    if tensor.size == 0:
        return f"np.empty({shape}, dtype={dtype})"
    if isinstance(source, Fill):
        return f"np.full({shape}, {_element(source.element)}, dtype={dtype})"
    if isinstance(source, Formula):
        return _formula_code(tensor, source, dtype)
    head = "np.array("
    if isinstance(source, Bits):
        unsigned = f"np.uint{bits_of(tensor.type)}"
        return f"{head}{layout(nested(tensor), column + 9)}, dtype={unsigned}).view({dtype})"
    return f"{head}{layout(nested(tensor), column + 9)}, dtype={dtype})"


def _formula_code(tensor: TensorValue, formula: Formula, dtype: str) -> str:
    text = f"np.arange({tensor.size})"
    if formula.step != 1:
        text += f" * {formula.step}"
    text = _plus(text, formula.start)
    if formula.modulo is not None:
        text = f"{_factor(text)} % {formula.modulo}"
    if formula.scale is not None:
        text = f"{_factor(text)} * {formula.number('scale', 1)!r}"
    text = _plus(text, formula.number("offset", 0))
    grouped = f"({text})" if " " in text else text
    shape = ", ".join(map(str, tensor.shape))
    return f"{grouped}.reshape({shape}).astype({dtype})"


def _plus(text: str, number: float) -> str:
    return text if number == 0 else f"{text} {'-' if number < 0 else '+'} {abs(number)!r}"


def _factor(text: str) -> str:
    """In parentheses, if it is a sum."""
    return f"({text})" if " + " in text or " - " in text else text


def bits_of(element: ElementType) -> int:
    """The bits of an element, from its name."""
    if element in (ElementType.FLOAT, ElementType.DOUBLE, ElementType.BOOL):
        return {ElementType.FLOAT: 32, ElementType.DOUBLE: 64}.get(element, 8)
    digits = "".join(c for c in element.value.partition("e")[0] if c.isdigit())
    return max(8, int(digits or 8))


Nested = str | list["Nested"]


def nested(tensor: TensorValue, *, rounded: bool = False) -> Nested:
    """The elements as text, nested as the shape; ``rounded`` to the element type, as they print.

    There is at least one element.
    """
    source = tensor.source
    if isinstance(source, Bits):
        return _nest([str(pattern) for pattern in source.patterns], tensor.shape)
    items: Iterable[Element]
    if isinstance(source, Given):
        items = source.elements
    else:
        assert isinstance(source, Fill)
        items = (source.element,) * tensor.size
    if rounded:
        return _nest([_shown_element(tensor.type, item) for item in items], tensor.shape)
    return _nest([_element(item) for item in items], tensor.shape)


def _element(item: Element) -> str:
    """An element in the source text of an array."""
    if isinstance(item, float) and item != item:
        return "np.nan"
    if isinstance(item, float) and item in (float("inf"), float("-inf")):
        return "np.inf" if item > 0 else "-np.inf"
    return python_literal(item)


def _shown_element(element: ElementType, item: Element) -> str:
    """An element as Python prints it after ``tolist()``: rounded to its type."""
    if element is ElementType.STRING or element is ElementType.BOOL or element.is_integer:
        return repr(item)
    if element.is_complex:
        part = ElementType.FLOAT if element is ElementType.COMPLEX64 else ElementType.DOUBLE
        number = complex(item)
        return repr(complex(rounded_to(part, number.real), rounded_to(part, number.imag)))
    assert not isinstance(item, (str, complex))
    return repr(rounded_to(element, float(item)))


def rounded_to(element: ElementType, number: float) -> float:
    if element not in FORMATS or number != number:
        return number
    pattern = float_bits(element, number)
    if element is ElementType.BFLOAT16:
        element, pattern = ElementType.FLOAT, pattern << 16
    code = UNPACK[element]
    return float(struct.unpack(code, pattern.to_bytes(struct.calcsize(code), "little"))[0])


def empty(shape: tuple[int, ...]) -> Nested:
    """Nested lists of no elements, as ``tolist()`` gives them."""
    if shape[0] == 0:
        return "[]"
    return [empty(shape[1:]) for _ in range(shape[0])]


def _nest(texts: list[str], shape: tuple[int, ...]) -> Nested:
    if not shape:
        return texts[0]
    step = len(texts) // shape[0]
    return [_nest(texts[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def flat(items: Nested) -> str:
    """Nested lists on one line."""
    return items if isinstance(items, str) else f"[{', '.join(map(flat, items))}]"


def layout(items: Nested, column: int) -> str:
    """Nested lists, a row a line where they do not fit on one."""
    line = flat(items)
    if isinstance(items, str) or (len(line) + column <= WIDTH and line.count("],") == 0):
        return line
    indent = "\n" + " " * (column + 1)
    if any(not isinstance(item, str) for item in items):
        return "[" + f",{indent}".join(layout(item, column + 1) for item in items) + "]"
    lines: list[str] = [""]
    for item in map(str, items):
        if lines[-1] and column + 1 + len(lines[-1]) + len(item) + 2 > WIDTH:
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + item
    return "[" + f",{indent}".join(lines) + "]"
