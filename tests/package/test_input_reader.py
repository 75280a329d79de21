"""Inputs against a schema that no supported operator has."""

from __future__ import annotations

import numpy as np
import pytest

from opmill._runtime.errors import OpError, TypeConstraintError
from opmill._runtime.inputs import InputReader
from opmill._runtime.schema import Parameter, Schema

FLOATS, INTS = np.zeros(2, np.float32), np.zeros(2, np.int64)


def reader(*inputs: Parameter) -> InputReader:
    return InputReader(
        Schema(
            "Blend", "com.example", 3, "common", False, True, False, "deterministic",
            inputs, (), type_constraints={"T": ("tensor(float)", "tensor(int64)")},
        )
    )  # fmt: skip


def refusal(read: InputReader, *given: object) -> str:
    with pytest.raises(OpError) as caught:
        read.read(given, allow_types=False)
    assert isinstance(caught.value, TypeConstraintError)
    return caught.value.reason


def test_a_fixed_type_is_nobodys() -> None:
    two = reader(Parameter("a", "tensor(int64)"), Parameter("b", "tensor(int64)"))
    assert refusal(two, INTS, FLOATS) == "b has type float, expected int64"


def test_a_variable_is_the_firsts() -> None:
    two = reader(Parameter("a", "T"), Parameter("b", "T"))
    assert refusal(two, INTS, FLOATS) == "b has type float, expected int64 (the type of a)"


def test_a_mixed_variadic_binds_nothing() -> None:
    mixed = reader(Parameter("xs", "T", option="variadic", homogeneous=False))
    slots, bound = mixed.read((INTS, FLOATS, INTS), allow_types=False)
    assert [tensor.type for _, tensor in slots if tensor is not None] == ["int64", "float", "int64"]
    assert bound == {}
