"""Arrays, plans and texts as C."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from opmill._runtime.types import Array, element_word, is_whole_byte, number_of_element

_TYPES = {
    "float": "float",
    "double": "double",
    "bool": "uint8_t",
    "string": "char *const",
    "complex64": "float",
    "complex128": "double",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""The C type of const elements; of complex ones that of a part. Others are patterns of bits."""

_MINIMA = {-(2**63): "INT64_MIN", -(2**31): "INT32_MIN"}
"""A literal would be the negative of a number that its type does not hold."""


def is_supported(word: str) -> bool:
    """Return whether compiled networks have tensors of an element type."""
    return is_whole_byte(word)


def c_type(word: str) -> str:
    """The C type that holds elements, for ONNX's name of the type."""
    return _TYPES.get(word) or ("uint16_t" if word in ("float16", "bfloat16") else "uint8_t")


def parts_of(word: str) -> int:
    """The number of values of the C type in an element: 2 of a complex one."""
    return 2 if word.startswith("complex") else 1


def type_constant(word: str) -> str:
    """The library's constant of an element type."""
    number_of_element(word)
    return f"OPMILL_{word.upper()}"


def plain_elements(array: Array, word: str) -> Array:
    """The elements as numbers of the C type, in one dimension."""
    flat = np.ascontiguousarray(array).reshape(-1)
    type_ = c_type(word)
    if type_ in ("float", "double"):
        return flat.view(np.float32 if type_ == "float" else np.float64)
    return flat.view(np.dtype(type_.removesuffix("_t")))


def element_lines(array: Array, word: str, indent: str = "    ") -> list[str]:
    """The elements of an array as the lines of an initializer; one 0 where there are none."""
    flat = array.reshape(-1) if word == "string" else plain_elements(array, word)
    if not flat.size:
        return [f"{indent}0,"]
    if word == "string":
        texts = [string_text(text) for text in flat.tolist()]
    elif flat.dtype.kind == "f":
        texts = [float_text(value, single=flat.itemsize == 4) for value in flat.tolist()]
    else:
        suffix = "u" if flat.dtype.kind == "u" and flat.itemsize >= 4 else ""
        texts = [_MINIMA.get(value, f"{value}{suffix}") for value in flat.tolist()]
    return _lines(texts, indent)


def float_text(value: float, *, single: bool = False) -> str:
    """A float, with all its bits where it is a number."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if value == int(value) and abs(value) < 1000 and (value or math.copysign(1, value) > 0):
        text = f"{value:.1f}"
    else:
        text = re.sub(r"\.?0+p", "p", value.hex())
    return f"{text}f" if single else text


def dims_text(shape: Sequence[int]) -> str:
    """The initializer of dims."""
    return ", ".join(map(str, shape))


def member_text(type_: str, value: Any) -> str | None:
    """The initializer of a plan's member; ``None`` where it cannot be a constant."""
    if type_ in ("opmill_list", "opmill_float_list"):
        floats = type_ == "opmill_float_list"
        texts = [float_text(float(one)) if floats else _integer(int(one)) for one in value or ()]
        return f"{{{{{', '.join(texts) or '0'}}}, {len(texts)}}}"
    if isinstance(value, dict):
        texts = [
            f".{name} = {float_text(one, single=True) if isinstance(one, float) else one}"
            for name, one in value.items()
        ]
        return f"{{{', '.join(texts)}}}"
    if type_ in ("double", "float"):
        return float_text(float(value), single=type_ == "float")
    if type_ == "bool":
        return "true" if value else "false"
    if type_ in ("int64_t", "int32_t"):
        return _integer(int(value))
    if type_ == "const char *":
        return "NULL" if value is None else string_text(str(value))
    if type_ == "char":
        return "0"
    if value is None:
        return "{NULL, NULL, 0, OPMILL_UNDEFINED}" if type_ == "opmill_tensor" else "NULL"
    return None


def is_constant_tensor(type_: str, value: Any) -> bool:
    """Return whether a plan's member is a tensor whose elements an array of C holds."""
    if type_ != "opmill_tensor" or not isinstance(value, np.ndarray):
        return False
    return element_word(value.dtype) == "string" or is_whole_byte(element_word(value.dtype) or "")


def string_text(text: str) -> str:
    """A C string."""
    encoded = text.encode()
    if all(32 <= byte < 127 and byte not in b'\\"?' for byte in encoded):
        return f'"{text}"'
    return '"' + "".join(f"\\{byte:03o}" for byte in encoded) + '"'


def comment_text(text: str) -> str:
    """A text for a comment, which it cannot end."""
    plain = ascii(text)[1:-1].replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    return plain if len(plain) <= 200 else f"{plain[:197]}..."


def _integer(value: int) -> str:
    return _MINIMA.get(value, f"{value}")


def _lines(texts: Sequence[str], indent: str) -> list[str]:
    """Texts with commas in lines of at most 100 columns."""
    lines: list[str] = []
    line = indent.rstrip("\n")
    for text in texts:
        if len(line) + len(text) + 2 > 100 and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += f"{text}, "
    lines.append(line.rstrip())
    return lines


def wrapped(text: str, width: int = 92) -> list[str]:
    """A statement in lines, broken behind commas."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = "        " + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
