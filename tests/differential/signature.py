"""Judge of signatures: the result that follows from the schema alone, without opmill."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opmill_checks.interface import parameter_at
from opmill_checks.value import TYPES, SparseArrays, type_of


def fault(schema: Any, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> str | None:
    """The class of the error that a call's signature deserves; None where nothing is wrong with it.

    Inputs are looked at before attributes, and the number of inputs before the inputs.
    """
    parameters = schema.inputs
    variadic = bool(parameters) and parameters[-1].option == "variadic"
    min_inputs = max(
        (p + 1 for p, one in enumerate(parameters) if one.option == "single"), default=0
    )
    if variadic:
        min_inputs = max(min_inputs, len(parameters) - 1 + parameters[-1].min_arity)
    if len(inputs) < min_inputs or (len(inputs) > len(parameters) and not variadic):
        return "OpError"
    bound: dict[str, str] = {}
    for place, array in enumerate(inputs):
        parameter = parameter_at(parameters, place)
        if array is None:
            if parameter.option != "optional":
                return "OpError"
            continue
        type = f"tensor({type_of(array.dtype)})"
        listed = schema.type_constraints.get(parameter.type, (parameter.type,))
        if type not in listed:
            return "TypeConstraintError"
        if parameter.homogeneous and bound.setdefault(parameter.type, type) != type:
            return "TypeConstraintError"
    kinds = {attribute.name: attribute for attribute in schema.attributes}
    for name, value in attributes.items():
        if name not in kinds or not is_kind(kinds[name].kind, value):
            return "AttributeValueError"
    if any(one.required and one.name not in attributes for one in schema.attributes):
        return "AttributeValueError"
    return None


def has_sparse_fault(attributes: Mapping[str, Any]) -> bool:
    """Return whether an attribute is no sparse tensor for what it holds, which no schema states."""
    return any(map(sparse_fault, attributes.values()))


def sparse_fault(value: Any) -> bool:
    """Return whether the indices of a sparse tensor are no places in ascending order."""
    if not isinstance(value, SparseArrays):
        return False
    indices, dims = value.indices, value.dims
    count = len(value.values)
    if min(dims, default=0) < 0 or value.values.ndim != 1 or indices.dtype != np.int64:
        return True
    if indices.shape not in ((count,), (count, len(dims))):
        return True
    rows = indices.tolist() if indices.ndim == 2 else [[one] for one in indices.tolist()]
    limits = dims if indices.ndim == 2 else [math.prod(dims)]
    inside = all(0 <= i < limit for row in rows for i, limit in zip(row, limits, strict=True))
    return (
        not inside
        or sorted(map(tuple, rows)) != [*map(tuple, rows)]
        or len(rows) != len(set(map(tuple, rows)))
    )


def names_wrong_type(schema: Any, attributes: Mapping[str, Any]) -> bool:
    """True if an attribute that gives the type of an output names one that the output cannot have.

    A rule, which comes before this, may find another fault.
    """
    for output in schema.outputs:
        for source in output.type_from:
            if source.attribute is None:
                break
            if source.fixed is not None:
                continue
            defaults = {a.name: a.default for a in schema.attributes}
            value = attributes.get(source.attribute, defaults.get(source.attribute))
            absent = value is None or (
                not isinstance(value, np.ndarray) and value == defaults.get(source.attribute)
            )
            if len(output.type_from) > 1 and absent:
                continue
            if isinstance(value, SparseArrays):
                value = value.values
            if isinstance(value, np.ndarray):
                value = type_of(value.dtype).upper()
            known: dict[Any, str] = dict(enumerate(TYPES, 1))
            known.update({word.upper(): word for word in TYPES})
            if f"tensor({known.get(value)})" not in schema.type_constraints[output.type]:
                return True
    return False


def is_kind(kind: str, value: Any) -> bool:
    """Return whether a value, as the strategies draw them, is of an attribute's kind."""
    if kind in ("INTS", "FLOATS", "STRINGS"):
        return isinstance(value, list) and all(is_kind(kind[:-1], item) for item in value)
    if kind == "INT":
        return isinstance(value, int) and -(2**63) <= value < 2**63
    if kind == "FLOAT":
        return isinstance(value, (int, float))
    if kind == "TENSOR":
        return isinstance(value, np.ndarray)
    if kind == "SPARSE_TENSOR":
        return isinstance(value, SparseArrays)
    return kind == "STRING" and isinstance(value, str)


def countable(shape: Sequence[int]) -> bool | None:
    """Return whether the bytes of a tensor can be counted; None where that depends on its type.

    An empty axis does not make the others any smaller.
    """
    size = math.prod(max(dim, 1) for dim in shape)
    if size > 2**63 - 1:
        return False
    return True if size * 16 <= 2**63 - 1 else None
