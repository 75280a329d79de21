"""What a model declares of its inputs and outputs, read from its protos."""

from __future__ import annotations

from onnx import TensorProto, TypeProto

from opmill._model.declared import (
    Declared,
    DeclaredOptional,
    DeclaredSequence,
    DeclaredTensor,
)
from opmill._model.errors import ModelError, check_text, shown
from opmill._runtime.types import element_of_code


def declared(name: str, type_: TypeProto, what: str) -> Declared:
    """What a model says of an input or output.

    Raises:
        ModelError: it is of a kind that is not supported, or of an unknown element type.
    """
    kind, where = type_.WhichOneof("value"), f"{what} {shown(name)}"
    if kind is None:
        return Declared(name, None)
    if kind == "tensor_type":
        return Declared(name, _tensor(type_.tensor_type, where, open_element=True))
    if kind == "sequence_type":
        return Declared(name, _sequence(type_.sequence_type, where))
    if kind != "optional_type":
        raise _unsupported(where, kind)
    item = type_.optional_type.elem_type
    inner = item.WhichOneof("value")
    if inner == "tensor_type":
        return Declared(name, DeclaredOptional(_tensor(item.tensor_type, where)))
    if inner == "sequence_type":
        return Declared(name, DeclaredOptional(_sequence(item.sequence_type, where)))
    raise _unsupported(where, f"optional of {_kind_word(inner)}")


def _sequence(type_: TypeProto.Sequence, where: str) -> DeclaredSequence:
    kind = type_.elem_type.WhichOneof("value")
    if kind != "tensor_type":
        raise _unsupported(where, f"sequence of {_kind_word(kind)}")
    return DeclaredSequence(_tensor(type_.elem_type.tensor_type, where))


def _tensor(type_: TypeProto.Tensor, where: str, *, open_element: bool = False) -> DeclaredTensor:
    """A tensor type; ``open_element``: whether its elements may be left open."""
    word = element_of_code(type_.elem_type)
    if word is None and not (open_element and type_.elem_type == TensorProto.UNDEFINED):
        raise ModelError(f"{where} has an unknown element type, {type_.elem_type}")
    if not type_.HasField("shape"):
        return DeclaredTensor(word, None)
    dims: list[int | str | None] = []
    for dim in type_.shape.dim:
        if dim.HasField("dim_value"):
            dims.append(dim.dim_value)
        else:
            check_text(dim.dim_param, f"{where}: the name of a dim")
            dims.append(dim.dim_param or None)
    return DeclaredTensor(word, tuple(dims))


def _unsupported(where: str, kind: str) -> ModelError:
    return ModelError(
        f"{where} is of kind {_kind_word(kind)}; tensors, sequences of tensors, and optionals of "
        "these are supported"
    )


def _kind_word(kind: str | None) -> str:
    return "nothing" if kind is None else kind.removesuffix("_type")
