"""Declared types and shapes of a model's inputs and outputs, read from its protos."""

from __future__ import annotations

from onnx import TensorProto, TypeProto

from opmill._model.declared import (
    Declared,
    DeclaredMap,
    DeclaredOptional,
    DeclaredOther,
    DeclaredSequence,
    DeclaredTensor,
)
from opmill._model.errors import ModelError, check_text, shown
from opmill._runtime.types import element_of_code


def declared(name: str, type_: TypeProto, what: str) -> Declared:
    """Return the declared type and shape of an input or output.

    Raises:
        ModelError: it is of an unknown element type.
    """
    kind, where = type_.WhichOneof("value"), f"{what} {shown(name)}"
    if kind is None:
        return Declared(name, None)
    if kind == "tensor_type":
        return Declared(name, _tensor(type_.tensor_type, where, open_element=True))
    if kind == "map_type":
        key, value = type_.map_type.key_type, type_.map_type.value_type
        words = element_of_code(key), element_of_code(value.tensor_type.elem_type)
        if words[0] in ("string", "int64") and words[1] is not None:
            return Declared(name, DeclaredMap(words[0], words[1]))
    found = _container(type_, where)
    return Declared(name, DeclaredOther(type_word(type_)) if found is None else found)


def _container(type_: TypeProto, where: str) -> DeclaredSequence | DeclaredOptional | None:
    """A sequence of tensors, an optional of one or of a tensor; ``None`` for other types."""
    kind = type_.WhichOneof("value")
    if kind not in ("sequence_type", "optional_type"):
        return None
    item = (type_.sequence_type if kind == "sequence_type" else type_.optional_type).elem_type
    if item.WhichOneof("value") == "tensor_type":
        inner = _tensor(item.tensor_type, where)
        return DeclaredSequence(inner) if kind == "sequence_type" else DeclaredOptional(inner)
    if kind == "optional_type" and item.WhichOneof("value") == "sequence_type":
        sequence = _container(item, where)
        return DeclaredOptional(sequence) if isinstance(sequence, DeclaredSequence) else None
    return None


def type_word(type_: TypeProto, depth: int = 8) -> str:
    """ONNX's word for a type, as ``seq(map(int64, tensor(float)))``; cut below a depth."""
    kind = type_.WhichOneof("value")
    if kind is None or not depth:
        return "..."
    inner = getattr(type_, kind)
    if kind in ("tensor_type", "sparse_tensor_type"):
        return f"{kind.removesuffix('_type')}({element_of_code(inner.elem_type)})"
    if kind == "sequence_type":
        return f"seq({type_word(inner.elem_type, depth - 1)})"
    if kind == "optional_type":
        return f"optional({type_word(inner.elem_type, depth - 1)})"
    if kind == "map_type":
        word = type_word(inner.value_type, depth - 1)
        return f"map({element_of_code(inner.key_type)}, {word})"
    return str(kind).removesuffix("_type")


def _tensor(type_: TypeProto.Tensor, where: str, *, open_element: bool = False) -> DeclaredTensor:
    """A tensor type; ``open_element``: whether its elements may be left open."""
    word = element_of_code(type_.elem_type)
    if word is None and not (open_element and type_.elem_type == TensorProto.UNDEFINED):
        raise ModelError(f"{where} has an unknown element type, {type_.elem_type}")
    if not type_.HasField("shape"):
        return DeclaredTensor(word, None)
    dims: list[int | str | None] = []
    for dim in type_.shape.dim:
        # Exporters write -1 and "?" for dims of which they know nothing.
        if dim.HasField("dim_value"):
            dims.append(dim.dim_value if dim.dim_value >= 0 else None)
        else:
            name = dim.dim_param
            check_text(name, f"{where}: the name of a dim")
            dims.append(name if name.isascii() and name.isidentifier() else None)
    return DeclaredTensor(word, tuple(dims))
