"""Contents of the tables of generated tests: tensors, values, and comparison."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import onnx
import onnx.helper
import pytest

from opmill_checks.case import (
    Example,
    bits,
    by_oracle,
    for_each_type,
    formula,
    full,
    inf,
    nan,
    other_types,
    retyped,
    tensor,
)
from opmill_checks.compare import assert_matches
from opmill_checks.indices import indices, ravel, unravel
from opmill_checks.value import TYPES, Value, bits_of, dtype_of, type_of
from opmill_checks.watch import CONTAINERS, LAYOUTS, Canary, in_container

NUMERIC = [type for type in TYPES if type != "string"]


# Types and bits


def test_the_types_are_onnxs() -> None:
    codes = {name: code for name, code in onnx.TensorProto.DataType.items() if code}
    assert list(TYPES) == [name.lower() for name in sorted(codes, key=codes.__getitem__)]
    for name, code in codes.items():
        dtype = onnx.helper.tensor_dtype_to_np_dtype(code)
        assert dtype_of(name.lower()) == dtype
        assert type_of(dtype) == name.lower()


def patterns_of(type: str) -> list[int]:
    """Every pattern of a narrow type; of a wide one the edges, with quiet and signalling NaNs."""
    width = TYPES[type].width
    if type == "bool":
        return [0, 1]
    if width <= 16:
        return list(range(1 << width))
    top = [(sign << width - 1) | low for sign in (0, 1) for low in (0, 1, (1 << width - 1) - 1)]
    nans = {"float": [0x7F800001, 0xFFC12345], "double": [0x7FF0000000000001, 0xFFF8000000000007]}
    halves = {"complex64": 0x7F80000180000000, "complex128": 0x7FF0000000000001 << 64 | 1 << 63}
    return top + nans.get(type, []) + ([halves[type]] if type in halves else [])


@pytest.mark.parametrize("type", NUMERIC)
def test_bits_survive_every_conversion(type: str) -> None:
    patterns = patterns_of(type)
    value = bits(type, patterns)
    array = value.to_array()
    assert array.dtype == dtype_of(type)
    assert bits_of(array) == tuple(patterns)
    assert bits_of(Value.from_array(array).to_array()) == tuple(patterns)


def test_bits_are_kept_where_the_items_do_not_say_them() -> None:
    assert Value.from_array(np.array([1.0, -0.0, np.nan], np.float32)).bits is None
    assert Value.from_array(SIGNALLING.to_array()).bits == (0x7F800001,)
    dirty = np.array([0xF5, 0x05], np.uint8).view(dtype_of("int4"))
    assert bits_of(dirty) == (5, 5)
    with pytest.raises(ValueError, match="needs 1 items"):
        Value("float", (1,), (1.0,), (0, 0))
    with pytest.raises(ValueError, match="a string has no bit pattern"):
        bits("string", [0])


def test_a_complex_pattern_has_its_real_part_below() -> None:
    value = bits("complex64", [0x3F800000 | 0x40000000 << 32])
    assert value.items == (1 + 2j,)


@pytest.mark.parametrize(
    ("type", "patterns", "items"),
    [
        ("float16", [0x0001, 0x8000, 0x7BFF, 0xFC00], [2.0**-24, -0.0, 65504.0, -inf]),
        ("bfloat16", [0x3F80, 0x0001, 0x7F7F], [1.0, 2.0**-133, 255 * 2.0**120]),
        ("float8e4m3fn", [0x7E, 0x08], [448.0, 2.0**-6]),
        ("float8e4m3fnuz", [0x7F, 0x08], [240.0, 2.0**-7]),
        ("float8e5m2", [0x7B, 0x7C], [57344.0, inf]),
        ("float8e5m2fnuz", [0x7F], [57344.0]),
        ("float8e8m0", [0x7F, 0x00, 0x80], [1.0, 2.0**-127, 2.0]),
        ("float6e2m3", [0x1F, 0x20, 0x01], [7.5, -0.0, 0.125]),
        ("float6e3m2", [0x1F, 0x3F], [28.0, -28.0]),
        ("float4e2m1", list(range(8)), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]),
        ("int4", [7, 8, 15], [7, -8, -1]),
        ("uint4", [15], [15]),
        ("int2", [0, 1, 2, 3], [0, 1, -2, -1]),
        ("uint2", [3], [3]),
        ("int64", [1 << 63, (1 << 64) - 1], [-(2**63), -1]),
        ("bool", [0, 1], [False, True]),
    ],
)
def test_patterns_have_known_items(type: str, patterns: list[int], items: list[Any]) -> None:
    found = bits(type, patterns).items
    assert list(map(repr, found)) == list(map(repr, items))
    assert bits_of(tensor(type, items).to_array()) == tuple(patterns)


@pytest.mark.parametrize(("type", "pattern"), [("uint4", 16), ("float", 1 << 32), ("int8", -1)])
def test_a_pattern_must_fit(type: str, pattern: int) -> None:
    with pytest.raises(ValueError, match="is not a pattern of"):
        bits(type, [pattern])


def test_strings_of_every_container() -> None:
    expected = tensor("string", ["é", "b"])
    for array in [
        np.array(["é", "b"], object),
        np.array(["é".encode(), b"b"], object),
        np.array(["é", "b"], np.dtypes.StringDType()),
        np.array(["é", "b"]),
        np.array(["é".encode(), b"b"]),
    ]:
        assert Value.from_array(array) == expected
        assert_matches(expected, array)
    with pytest.raises(TypeError, match="which is not a string"):
        Value.from_array(np.array(["a", 1], object))


@pytest.mark.parametrize("dtype", [">f4", "M8[s]", np.longdouble, "V3"])
def test_arrays_of_other_types_are_no_values(dtype: Any) -> None:
    with pytest.raises(TypeError, match="is not"):
        Value.from_array(np.zeros(2, dtype))


# Tensors


def test_tensors_have_the_shape_of_their_nesting() -> None:
    assert tensor("float", [[0, 1], [2, 3]]) == Value("float", (2, 2), (0.0, 1.0, 2.0, 3.0))
    assert tensor("int64", 5).shape == ()
    assert tensor("int64", []).shape == (0,)
    assert tensor("int64", [[], []]).shape == (2, 0)
    assert tensor("float", [], shape=(0, 3)).to_array().shape == (0, 3)
    assert bits("int8", [], shape=(2, 0)).shape == (2, 0)
    assert full("string", (2, 1), "x").items == ("x", "x")
    assert full("float", (0, 2**40), 1).to_array().shape == (0, 2**40)


@pytest.mark.parametrize("value", [[[1, 2], [3]], [[1], 2], [1, [2]], [[1], [[2]]]])
def test_ragged_nesting_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"ragged|a list where a scalar"):
        tensor("int64", value)


def test_a_shape_must_hold_the_items() -> None:
    with pytest.raises(ValueError, match="needs 6 items, got 2"):
        tensor("float", [1, 2], shape=(2, 3))


def test_numbers_are_elements_of_the_type() -> None:
    assert tensor("float", 0.1).items == (float(np.float32(0.1)),)
    assert tensor("float16", [65520, 1e-8, -0.0]).items == (inf, 0.0, 0.0)
    assert str(tensor("float16", -0.0).items) == "(-0.0,)"
    assert tensor("bfloat16", 1 + 2.0**-8 + 2.0**-40).items == (1.0078125,)
    assert repr(tensor("complex64", ["-0-0j", "inf+1j"]).items) == "((-0-0j), (inf+1j))"
    assert tensor("complex64", 0.1).items == (complex(float(np.float32(0.1)), 0),)
    assert tensor("complex128", [0.1, "0.1j"]).items == (0.1, 0.1j)
    assert formula("complex64", (1,), start=2**24 + 1).items == (2**24,)
    assert formula("complex128", (1,), start=2**24 + 1).items == (2**24 + 1,)
    assert tensor("double", "-inf").items == (-inf,)
    assert math.isnan(tensor("float8e5m2", nan).items[0])


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("uint8", 256),
        ("uint8", -1),
        ("int4", 8),
        ("int2", -3),
        ("int64", 2**63),
        ("int64", 1.0),
        ("int64", True),
        ("float", True),
        ("float", "one"),
        ("bool", 1),
        ("string", 1),
        ("float8e4m3fn", 0.3),
        ("float8e4m3fn", inf),
        ("float4e2m1", nan),
        ("float8e8m0", 3),
        ("float32", 1),
    ],
)
def test_what_is_no_element_is_refused(type: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        tensor(type, value)


def test_formulas() -> None:
    assert formula("int64", (2, 3)) == tensor("int64", [[0, 1, 2], [3, 4, 5]])
    found = formula("float", (4,), start=5, step=-3, modulo=4, offset=-1, scale=0.5)
    assert found == tensor("float", [-0.5, 0, 0.5, -1])
    assert formula("float16", (2,), start=2049, step=2).items == (2048.0, 2052.0)
    assert formula("bool", (4,), modulo=2) == tensor("bool", [False, True, False, True])
    assert formula("string", (2,), offset=7) == tensor("string", ["7", "8"])


def test_a_formula_of_integers_has_no_fractions() -> None:
    assert formula("int8", (2,), scale=0.5, step=2) == tensor("int8", [0, 1])
    with pytest.raises(ValueError, match="1/2 is not a int8"):
        formula("int8", (2,), scale=0.5)


def test_examples_in_other_types() -> None:
    inputs = {"X": tensor("int32", [0, 2]), "Z": [tensor("int32", 1)], "n": tensor("int64", [1])}
    example = Example("x", inputs, {"Y": by_oracle("int32", (2,))}, each_type="T")
    other = retyped(example, ["X", "Z", "Y"], "string")
    assert other.inputs["X"] == tensor("string", ["0", "2"])
    assert other.inputs["Z"] == [tensor("string", "1")]
    assert other.inputs["n"] is inputs["n"]
    assert other.outputs["Y"] == by_oracle("string", (2,))
    for value in [tensor("float", 0.5), tensor("int8", -1), tensor("string", "1")]:
        with pytest.raises(ValueError, match="no whole number"):
            retyped(Example("x", {"X": value}, {}), ["X"], "float")
    assert for_each_type([example], {"T": ["bool", "float"]}) == [
        (example, "bool"),
        (example, "float"),
    ]
    assert len(other_types(["bool", "float"])) == len(TYPES) - 2


def test_index_arithmetic() -> None:
    assert list(indices((2, 2))) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(indices(())) == [()]
    assert list(indices((0, 2**60))) == []
    assert [ravel(unravel(k, (2, 3, 4)), (2, 3, 4)) for k in range(24)] == list(range(24))
    assert unravel(17, (2, 3, 4)) == tuple(int(i) for i in np.unravel_index(17, (2, 3, 4)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_an_empty_array_take_no_memory(layout: str) -> None:
    array = np.empty((0, 2**40), np.float32)
    watched = LAYOUTS[layout](array)
    assert watched is None or watched.array.shape == array.shape


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_hold_the_same_elements(layout: str) -> None:
    for type in ("float", "bfloat16", "int8", "string", "complex64"):
        for shape in [(2, 3), (3,), ()]:
            value = formula(type, shape, start=1)
            watched = LAYOUTS[layout](value.to_array())
            if watched is not None:
                array = watched.array
                native = array if array.dtype.isnative else array.byteswap().view(dtype_of(type))
                assert Value.from_array(native) == value
    array = formula("float", (2, 3)).to_array()
    watched = LAYOUTS[layout](array)
    assert watched is not None
    flags = watched.array.flags
    usual = (
        flags.c_contiguous and flags.writeable and flags.aligned and watched.array.dtype.isnative
    )
    assert usual == (layout == "plain")


def test_a_container_that_would_lose_something_is_not_used() -> None:
    ends_in_nul, plain = tensor("string", ["a\0"]).to_array(), tensor("string", ["a"]).to_array()
    kinds = {name: in_container(plain, name).dtype.kind for name in CONTAINERS}
    assert sorted(kinds.values()) == ["O", "S", "T", "U"]
    for name, kind in kinds.items():
        held = in_container(ends_in_nul, name)
        assert held.dtype.kind == ("O" if kind in "SU" else kind)


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_container_holds_as_many_axes_as_a_tensor_has(container: str) -> None:
    texts = tensor("string", ["a", "b"]).to_array().reshape((1,) * 63 + (2,))
    held = in_container(texts, container)
    assert held.shape == texts.shape
    assert held.dtype.kind == in_container(texts.reshape(2), container).dtype.kind


# Equality

QUIET, SIGNALLING = bits("float", [0x7FC00000]), bits("float", [0x7F800001])


@pytest.mark.parametrize(
    ("expected", "actual", "exact", "near"),
    [
        (tensor("float", [1.0]), tensor("float", [1.0]), True, True),
        (tensor("float", [0.0]), tensor("float", [-0.0]), False, True),
        (QUIET, SIGNALLING, False, True),
        (QUIET, QUIET, True, True),
        (SIGNALLING, SIGNALLING, True, True),
        (QUIET, tensor("float", [inf]), False, False),
        (QUIET, tensor("float", [0.0]), False, False),
        (tensor("float", [0.0]), QUIET, False, False),
        (tensor("float", [inf]), tensor("float", [inf]), True, True),
        (tensor("float", [inf]), tensor("float", [-inf]), False, False),
        (tensor("float", [inf]), tensor("float", [3e38]), False, False),
        (tensor("float", [3e38]), tensor("float", [inf]), False, False),
        (tensor("float", [1.0]), tensor("float", [1.0009]), False, True),
        (tensor("float", [1.0]), tensor("float", [1.0011]), False, False),
        (tensor("float", [-1.0]), tensor("float", [1.0]), False, False),
        (tensor("float", [0.0]), tensor("float", [0.9e-5]), False, True),
        (tensor("float", [0.0]), tensor("float", [1.1e-5]), False, False),
        (tensor("double", [1e308]), tensor("double", [-1e308]), False, False),
        (tensor("complex64", ["1+1j"]), tensor("complex64", ["1+1.0001j"]), False, True),
        (tensor("complex64", ["1+1j"]), tensor("complex64", ["1+2j"]), False, False),
        (tensor("complex64", ["1+1j"]), tensor("complex64", ["2+1j"]), False, False),
        (tensor("complex64", ["0j"]), tensor("complex64", ["-0+0j"]), False, True),
        (tensor("complex64", ["0-0j"]), tensor("complex64", ["0j"]), False, True),
        (tensor("int64", [2**62 + 1]), tensor("int64", [2**62]), False, True),
        (tensor("int64", [1000]), tensor("int64", [1002]), False, False),
        (tensor("bfloat16", [1.0]), tensor("bfloat16", [1.0078125]), False, False),
        (tensor("int4", [-8]), tensor("int4", [7]), False, False),
        (tensor("string", ["a"]), tensor("string", ["a"]), True, True),
        (tensor("string", ["a"]), tensor("string", ["a "]), False, False),
        (tensor("string", []), tensor("bool", []), False, False),
        (tensor("double", [0.0]), tensor("double", [1e-5]), False, True),
        (tensor("bool", [True]), tensor("bool", [False]), False, False),
        (tensor("uint8", [1]), tensor("int8", [1]), False, False),
        (tensor("uint16", [0x3F80]), tensor("bfloat16", [1.0]), False, False),
        (tensor("float", [1.0]), tensor("float", [[1.0]]), False, False),
        (tensor("float", []), tensor("float", [[]]), False, False),
    ],
)
def test_equality(expected: Value, actual: Value, exact: bool, near: bool) -> None:
    for accuracy, matches in [(None, exact), ((1e-3, 1e-5), near)]:
        if matches:
            assert_matches(expected, actual.to_array(), accuracy)
        else:
            with pytest.raises(AssertionError, match=r"^Y: "):
                assert_matches(expected, actual.to_array(), accuracy, what="Y")


def test_a_scalar_is_no_array() -> None:
    with pytest.raises(AssertionError, match="expected an array, got float32"):
        assert_matches(tensor("float", 1), np.float32(1))


def test_the_message_lists_the_first_differences() -> None:
    actual = np.array([[0, 1, 2], [3, 4, 5]], np.int32) + np.array([[0], [1]], np.int32)
    message = (
        "Y: 3 of 6 elements differ; at [1, 0] expected 3, got 4; "
        "at [1, 1] expected 4, got 5; at [1, 2] expected 5, got 6"
    )
    with pytest.raises(AssertionError, match=f"^{re.escape(message)}$"):
        assert_matches(formula("int32", (2, 3)), actual, what="Y")
    with pytest.raises(AssertionError, match=r"6 of 6 elements differ; .*; \.\.\.$"):
        assert_matches(formula("int32", (6,)), np.arange(1, 7, dtype=np.int32))
    with pytest.raises(AssertionError, match=r"expected 6\.0 \(0x7\), got 4\.0 \(0x6\)$"):
        assert_matches(tensor("float4e2m1", [6]), tensor("float4e2m1", [4]).to_array())
    swapped = np.array([1], ">i4")
    with pytest.raises(AssertionError, match="native byte order, got dtype >i4"):
        assert_matches(tensor("int32", [1]), swapped)


@pytest.mark.parametrize("type", TYPES)
def test_no_element_of_a_canary_is_in_the_other(type: str) -> None:
    first, second = Canary(type, (3,), 0), Canary(type, (3,), 1)
    for one in (first, second):
        one.assert_untouched("new")
        one.assert_guards("new")
    if type == "string":
        assert set(first.memory.tolist()).isdisjoint(second.memory.tolist())
    else:
        assert set(bits_of(first.memory)).isdisjoint(bits_of(second.memory))
