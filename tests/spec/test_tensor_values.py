"""Tensors in examples: what each way of writing one means, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.tensor_values import (
    Bits,
    ByOracle,
    Fill,
    Formula,
    Given,
    TensorValue,
    integer_range,
)
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import parse_yaml
from small_project import Fault, fault, plant


def read(text: str) -> TensorValue:
    faults = Faults()
    value = TensorValue.from_tree(parse_yaml("f.yaml", text), faults)
    assert not faults
    return value


@pytest.mark.parametrize(
    ("text", "shape", "elements"),
    [
        ("{type: float, value: 1.5}", (), (1.5,)),
        ("{type: int8, value: [-128, 127]}", (2,), (-128, 127)),
        ("{type: uint4, value: [0, 15]}", (2,), (0, 15)),
        ("{type: int2, value: [-2, 1]}", (2,), (-2, 1)),
        ("{type: uint64, value: 18446744073709551615}", (), (2**64 - 1,)),
        ("{type: int64, value: [[0x10], [0]]}", (2, 1), (16, 0)),
        ("{type: bool, value: [[true, false]]}", (1, 2), (True, False)),
        ("{type: string, value: [a, '', 1.50, true, no, 'true']}", (6,),
         ("a", "", "1.50", "true", "no", "true")),
        ("{type: float, value: [inf, -.inf, 1e-5]}", (3,), (math.inf, -math.inf, 1e-5)),
        ("{type: double, value: []}", (0,), ()),
        ("{type: double, value: [[], []]}", (2, 0), ()),
        ("{type: double, shape: [0, 3], value: []}", (0, 3), ()),
        ("{type: int32, shape: [2, 2], value: [1, 2, 3, 4]}", (2, 2), (1, 2, 3, 4)),
        ("{type: int32, shape: [], value: 1}", (), (1,)),
        ("{type: int32, shape: [1, 1], value: 1}", (1, 1), (1,)),
        ("{type: complex64, value: [1+2j, -0.5-1e-3j, 3, inf-infj, 1.5e+2+.5j]}", (5,),
         (1 + 2j, -0.5 - 1e-3j, 3 + 0j, complex(math.inf, -math.inf), 150 + 0.5j)),
    ],
)  # fmt: skip
def test_given_elements(text: str, shape: tuple[int, ...], elements: tuple[object, ...]):
    value = read(text)
    assert value.shape == shape
    assert value.source == Given(elements)  # type: ignore[arg-type]
    assert value.size == len(elements)


@pytest.mark.parametrize("text", ["-0", "-0.0", "-0e3"])
def test_a_negative_zero_is_kept_in_floats(text: str):
    source = read(f"{{type: float, value: {text}}}").source
    assert isinstance(source, Given)
    (element,) = source.elements
    assert math.copysign(1, element) == -1  # type: ignore[arg-type]


def test_negative_zeros_are_kept_in_complex_numbers():
    source = read("{type: complex64, value: -0-0j}").source
    assert isinstance(source, Given)
    (element,) = source.elements
    assert isinstance(element, complex)
    assert (math.copysign(1, element.real), math.copysign(1, element.imag)) == (-1, -1)


def test_nan_is_an_element():
    source = read("{type: float16, value: [nan]}").source
    assert isinstance(source, Given)
    assert math.isnan(source.elements[0])  # type: ignore[arg-type]


def test_bits():
    assert read("{type: float, bits: [[0x7f800001, 1]]}").source == Bits((0x7F800001, 1))
    assert read("{type: float, shape: [0], bits: []}").source == Bits(())


def test_fill():
    value = read("{type: bool, shape: [3, 2], fill: true}")
    assert (value.source, value.shape) == (Fill(True), (3, 2))
    assert read("{type: float, shape: [], fill: 0}").source == Fill(0)


def test_the_oracle():
    value = read("{type: float, shape: [2, 0], oracle: true}")
    assert (value.source, value.shape) == (ByOracle(), (2, 0))


@pytest.mark.parametrize(
    ("formula", "elements"),
    [
        ("{}", [0, 1, 2, 3]),
        ("{start: 5}", [5, 6, 7, 8]),
        ("{step: -2, modulo: 5}", [0, 3, 1, 4]),
        ("{modulo: 3, offset: -1}", [-1, 0, 1, -1]),
        ("{scale: 2, offset: 10}", [10, 12, 14, 16]),
        ("{scale: 0.125, offset: 0.5}", [0.5, 0.625, 0.75, 0.875]),
        ("{scale: 0.1}", [0, Fraction(0.1), 2 * Fraction(0.1), 3 * Fraction(0.1)]),
        ("{start: 3, step: 7, modulo: 4, scale: -1}", [-3, -2, -1, 0]),
    ],
)
def test_a_formula_is_exact(formula: str, elements: list[Fraction]):
    source = read(f"{{type: double, shape: [4], formula: {formula}}}").source
    assert isinstance(source, Formula)
    assert [source.element(k) for k in range(4)] == elements


def test_a_formula_may_be_large():
    source = read("{type: float, shape: [256, 512], formula: {modulo: 7}}").source
    assert isinstance(source, Formula)
    assert source.element(10**12) == 10**12 % 7


@pytest.mark.parametrize(
    ("word", "low", "high"),
    [
        ("int2", -2, 1),
        ("int4", -8, 7),
        ("int8", -128, 127),
        ("int64", -(2**63), 2**63 - 1),
        ("uint2", 0, 3),
        ("uint4", 0, 15),
        ("uint64", 0, 2**64 - 1),
    ],
)
def test_the_range_of_integers(word: str, low: int, high: int):
    assert integer_range(ElementType(word)) == (low, high)


def tensor(new: str, *messages: str) -> Fault:
    """A fault in the input of the first example."""
    return fault("{type: int32, value: [1, 2]}}\n    outputs", new + "}\n    outputs", *messages)


SOURCES = "a tensor has one of value, bits, fill, formula or oracle, got"
FAULTS = {
    "text": tensor("§abc", "expected a mapping with the keys type (A tensor), got text 'abc'"),
    "a number": tensor("§1", "expected a mapping with the keys type (A tensor), got the number 1"),
    "unknown key": tensor(
        "{type: int32, §values: [1, 2], value: [1, 2]}",
        "unknown key 'values'; did you mean 'value'?",
    ),
    "no type": tensor(
        "§{value: [1]}",
        "key 'type' is missing; it gives the element type in ONNX's words, as float or int64",
    ),
    "NumPy's type": tensor(
        "{type: §float32, value: 1}",
        "'float32' is no element type of ONNX; did you mean 'float'?",
    ),
    "a tensor's type": tensor(
        "{type: §tensor(float), value: 1}",
        "'tensor(float)' is no element type of ONNX",
    ),
    "no source": tensor("§{type: int32}", f"{SOURCES} none"),
    "a source of nothing": tensor("§{type: int32, shape: [1], value: }", f"{SOURCES} none"),
    "no oracle": tensor("§{type: int32, shape: [1], oracle: false}", f"{SOURCES} none"),
    "two sources": tensor("§{type: int32, value: 1, fill: 2}", f"{SOURCES} value and fill"),
    "three sources": tensor(
        "§{type: int32, bits: 1, formula: {}, oracle: true}",
        f"{SOURCES} bits and formula and oracle",
    ),
    **{
        f"too many elements by {source}": tensor(
            f"{{type: int32, shape: §[30000, 40000], {source}}}",
            "the tensor has 1200000000 elements, expected at most 131072",
        )
        for source in ("formula: {}", "fill: 1", "oracle: true", "value: [1]", "bits: [1]")
    },
    "one element too many": tensor(
        "{type: int32, shape: §[131073], fill: 1}",
        "the tensor has 131073 elements, expected at most 131072",
    ),
    "negative dim": tensor("{type: int32, shape: §[2, -1], fill: 1}", "dims must be >= 0"),
    "a word as a dim": tensor(
        "{type: int32, shape: [2, §n], fill: 1}", "expected a whole number, got text 'n'"
    ),
    "fill without shape": tensor(
        "{type: int32, fill: §1}", "'fill' needs a shape; write shape: [2, 3] beside it"
    ),
    "formula without shape": tensor(
        "{type: int32, formula: §{}}", "'formula' needs a shape; write shape: [2, 3] beside it"
    ),
    "oracle without shape": tensor(
        "{type: int32, oracle: §true}", "'oracle' needs a shape; write shape: [2, 3] beside it"
    ),
    "another number of values": tensor(
        "{type: int32, shape: §[2, 2], value: [1, 2, 3]}",
        "shape [2, 2] does not hold the 3 values given",
    ),
    "an empty shape with a value": tensor(
        "{type: int32, shape: §[0, 3], value: 1}", "shape [0, 3] does not hold the 1 values given"
    ),
    "ragged": tensor(
        "{type: int32, value: [[1, 2], §[3]]}",
        "the nested lists are ragged: shape [1] beside [2]",
    ),
    "a scalar among lists": tensor(
        "{type: int32, value: [[1], §2]}", "the nested lists are ragged: shape [] beside [1]"
    ),
    "a mapping among values": tensor(
        "{type: int32, value: [1, §{a: 1}]}", "expected values or nested lists, got a mapping"
    ),
    "every wrong value": tensor(
        "{type: int32, value: [1, §x, 2, §true]}",
        "expected a value of int32, got text 'x'",
        "expected a value of int32, got 'true'",
    ),
    "too large": tensor(
        "{type: int8, value: §128}", "expected a value of int8, got the number 128"
    ),
    "too small": tensor(
        "{type: uint8, value: §-1}", "expected a value of uint8, got the number -1"
    ),
    "a fraction": tensor(
        "{type: int32, value: §1.0}", "expected a value of int32, got the number 1.0"
    ),
    "quoted": tensor("{type: int32, value: §'1'}", "expected a value of int32, got text '1'"),
    "text for a float": tensor(
        "{type: float, value: §1+2j}", "expected a value of float, got text '1+2j'"
    ),
    "truth for a float": tensor(
        "{type: bfloat16, value: §true}", "expected a value of bfloat16, got 'true'"
    ),
    "a number for a bool": tensor(
        "{type: bool, value: §1}", "expected a value of bool, got the number 1"
    ),
    "nothing for a string": tensor(
        "{type: string, value: [a, §~]}", "expected a value of string, got nothing"
    ),
    "half a complex number": tensor(
        "{type: complex64, value: [§2j, §1+2i, §1.2.3+4j, §.+1j]}",
        "expected a value of complex64, got text '2j'",
        "expected a value of complex64, got text '1+2i'",
        "expected a value of complex64, got text '1.2.3+4j'",
        "expected a value of complex64, got text '.+1j'",
    ),
    "a list to fill with": tensor(
        "{type: int32, shape: [2], fill: §[1, 2]}", "expected one int32, got a list"
    ),
    "too large to fill with": tensor(
        "{type: uint2, shape: [2], fill: §4}", "expected a value of uint2, got the number 4"
    ),
    "bits of a string": tensor(
        "{type: string, bits: §[1]}", "bits cannot describe string; write the value"
    ),
    "no bits of a complex number": tensor(
        "{type: complex64, bits: §[]}", "bits cannot describe complex64; write the value"
    ),
    "negative bits": tensor(
        "{type: float, bits: §-1}", "a bit pattern is a whole number of 0 to 64 bits"
    ),
    "bits beyond 64": tensor(
        "{type: float, bits: [1, §0x10000000000000000]}",
        "a bit pattern is a whole number of 0 to 64 bits",
    ),
    "bits as a fraction": tensor(
        "{type: float, bits: §1.5}", "expected a whole number, got the number 1.5"
    ),
    "formula: unknown key": tensor(
        "{type: int32, shape: [2], formula: {§mod: 2}}",
        "unknown key 'mod'; did you mean 'modulo'?",
    ),
    "formula: a fraction to start with": tensor(
        "{type: double, shape: [2], formula: {start: §0.5}}",
        "expected a whole number, got the number 0.5",
    ),
    "formula: modulo 0": tensor(
        "{type: int32, shape: [2], formula: {modulo: §0}}", "modulo must be >= 1"
    ),
    "formula: a list as scale": tensor(
        "{type: double, shape: [2], formula: {scale: §[1]}}", "expected a number, got a list"
    ),
    "formula: an infinite offset": tensor(
        "{type: double, shape: [2], formula: {offset: §inf}}",
        "expected a number, got the number inf",
    ),
    "formula: truth as scale": tensor(
        "{type: double, shape: [2], formula: {scale: §true}}", "expected a number, got 'true'"
    ),
    "formula: of strings": tensor(
        "{type: string, shape: [2], formula: §{}}",
        "a formula gives numbers, not string; write the value",
    ),
    "formula: of truths": tensor(
        "{type: bool, shape: [2], formula: §{}}",
        "a formula gives numbers, not bool; write the value",
    ),
    "formula: fractions in integers": tensor(
        "{type: int32, shape: [2], formula: §{scale: 0.5}}", "the formula leaves int32"
    ),
}


@pytest.mark.parametrize("planted", FAULTS.values(), ids=FAULTS.keys())
def test_fault(tmp_path: Path, planted: Fault):
    found, expected = plant(tmp_path, planted)
    assert found == expected
