"""ONNX's types in ONNX's own words: ``tensor(float16)``, ``seq(tensor(int64))``, ``T``.

``parse_type`` reads one; ``str()`` of the result gives the same text back.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from opmill_gen.base.diagnostics import meant, suggestion


class ElementType(enum.Enum):
    """The element types of ``TensorProto.DataType``; the value is ONNX's word for the type."""

    FLOAT = "float"
    UINT8 = "uint8"
    INT8 = "int8"
    UINT16 = "uint16"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    STRING = "string"
    BOOL = "bool"
    FLOAT16 = "float16"
    DOUBLE = "double"
    UINT32 = "uint32"
    UINT64 = "uint64"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"
    BFLOAT16 = "bfloat16"
    FLOAT8E4M3FN = "float8e4m3fn"
    FLOAT8E4M3FNUZ = "float8e4m3fnuz"
    FLOAT8E5M2 = "float8e5m2"
    FLOAT8E5M2FNUZ = "float8e5m2fnuz"
    UINT4 = "uint4"
    INT4 = "int4"
    FLOAT4E2M1 = "float4e2m1"
    FLOAT8E8M0 = "float8e8m0"
    UINT2 = "uint2"
    INT2 = "int2"
    FLOAT6E2M3 = "float6e2m3"
    FLOAT6E3M2 = "float6e3m2"

    @property
    def is_integer(self) -> bool:
        """True for the signed and unsigned integers of every width."""
        return self.value.lstrip("u").startswith("int")

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self.value.startswith("complex")

    @property
    def is_float(self) -> bool:
        """True for every real floating-point type, bfloat16 and the 8-bit and smaller ones too."""
        return self.value == "double" or "float" in self.value


@dataclass(frozen=True)
class TypeVariable:
    """A name such as ``T`` that a type constraint declares."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class TensorType:
    """``tensor(float)``."""

    element: ElementType

    def __str__(self) -> str:
        return f"tensor({self.element.value})"


@dataclass(frozen=True)
class SparseTensorType:
    """``sparse_tensor(float)``."""

    element: ElementType

    def __str__(self) -> str:
        return f"sparse_tensor({self.element.value})"


@dataclass(frozen=True)
class SequenceType:
    """``seq(tensor(float))``."""

    item: ConcreteType

    def __str__(self) -> str:
        return f"seq({self.item})"


@dataclass(frozen=True)
class OptionalType:
    """``optional(tensor(float))``."""

    item: ConcreteType

    def __str__(self) -> str:
        return f"optional({self.item})"


@dataclass(frozen=True)
class MapType:
    """``map(string, float)`` in a schema, ``map(string,tensor(float))`` in full."""

    key: ElementType
    value: ConcreteType | ElementType

    def __str__(self) -> str:
        if isinstance(self.value, ElementType):
            return f"map({self.key.value}, {self.value.value})"
        return f"map({self.key.value},{self.value})"


ConcreteType = TensorType | SparseTensorType | SequenceType | OptionalType | MapType
OnnxType = ConcreteType | TypeVariable

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CALL = re.compile(r"([a-z_]+)\((.*)\)\Z", re.DOTALL)
_MAX_NESTING = 8
_CONSTRUCTORS = ("tensor", "sparse_tensor", "seq", "optional", "map")
_ELEMENT_WORDS = tuple(element.value for element in ElementType)
_OTHER_WORDS = {"float32": "float", "float64": "double", "half": "float16", "str": "string"}
"""Names that others have for an element type that ONNX calls otherwise."""


def parse_element(text: str) -> ElementType:
    """The element type that ONNX calls ``text``; ``ValueError`` says what was expected."""
    try:
        return ElementType(text)
    except ValueError:
        hint = meant(_OTHER_WORDS.get(text, text), _ELEMENT_WORDS)
        raise ValueError(f"'{text}' is no element type of ONNX{hint}") from None


def parse_concrete(text: str, depth: int = 0) -> ConcreteType:
    """Read a type without variables, as ``tensor(int64)``."""
    call = _CALL.match(text)
    if call is None or depth > _MAX_NESTING:
        raise ValueError(f"'{text}' is no type; write it as tensor(float) or seq(tensor(float))")
    word, inner = call.groups()
    if word == "tensor":
        return TensorType(parse_element(inner))
    if word == "sparse_tensor":
        return SparseTensorType(parse_element(inner))
    if word == "seq":
        return SequenceType(parse_concrete(inner, depth + 1))
    if word == "optional":
        return OptionalType(parse_concrete(inner, depth + 1))
    if word == "map":
        key, comma, value = inner.partition(",")
        if not comma:
            raise ValueError(f"'{text}' lacks a value type; write map(string, float)")
        return MapType(parse_element(key.strip()), _map_value(value.strip(), depth + 1))
    raise ValueError(f"'{word}(...)' is no type{suggestion(word, _CONSTRUCTORS)}")


def _map_value(text: str, depth: int) -> ConcreteType | ElementType:
    return parse_concrete(text, depth) if "(" in text else parse_element(text)


def parse_type(text: str) -> OnnxType:
    """Read a type variable or a concrete type; ``ValueError`` says what is wrong with the text."""
    if _VARIABLE.match(text):
        if text in ElementType._value2member_map_:
            raise ValueError(f"'{text}' is an element type; write tensor({text})")
        return TypeVariable(text)
    return parse_concrete(text)
