"""Tensors of every element type, read and written alike with every onnx that is accepted."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, defs, helper

import opmill
from opmill._check.check import check
from opmill._onnx.format_versions import NEWEST_IR, NEWEST_OPSET, min_ir_version
from opmill._onnx.tensors import array_of_tensor, sequence_of_arrays, tensor_of_array
from opmill._runtime.types import dtype_of, number_of_element

INTEGERS = {"uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "int32": 4, "int64": 8}
INTEGERS |= {"uint32": 4, "uint64": 8}
BYTES = {
    **{
        word: ([1, 2, 100], b"".join(n.to_bytes(size, "little") for n in (1, 2, 100)))
        for word, size in INTEGERS.items()
    },
    "bool": ([True, False, True], b"\1\0\1"),
    "float": ([1.0, -2.0], bytes.fromhex("0000803f 000000c0")),
    "double": ([1.0], bytes.fromhex("000000000000f03f")),
    "float16": ([1.0, -2.0], bytes.fromhex("003c 00c0")),
    "bfloat16": ([1.0, -2.0], bytes.fromhex("803f 00c0")),
    "complex64": ([1 - 2j], bytes.fromhex("0000803f 000000c0")),
    "complex128": ([1 - 2j], bytes.fromhex("000000000000f03f 00000000000000c0")),
    "float8e4m3fn": ([1.0, -2.0], b"\x38\xc0"),
    "float8e4m3fnuz": ([1.0, -2.0], b"\x40\xc8"),
    "float8e5m2": ([1.0, -2.0], b"\x3c\xc0"),
    "float8e5m2fnuz": ([1.0, -2.0], b"\x40\xc4"),
    "float8e8m0": ([1.0, 0.5], b"\x7f\x7e"),
    "uint4": ([1, 14, 7], b"\xe1\x07"),
    "int4": ([1, -2, 7], b"\xe1\x07"),
    "float4e2m1": ([1.0, -2.0, 6.0], b"\xc2\x07"),
    "uint2": ([0, 1, 2, 3, 1], b"\xe4\x01"),
    "int2": ([0, 1, -2, -1, 1], b"\xe4\x01"),
    "float6e2m3": ([1.0, -1.0, 1.0, 2.0, -2.0], b"\x08\x8a\x40\x30"),
    "float6e3m2": ([1.0, -1.0, 1.0, 2.0, -2.0], b"\x0c\xcb\x40\x30"),
}
"""Values of each element type, and ``raw_data`` by ONNX's text: the first value in the low bits."""


def tensor_of(word, count, **fields):
    return TensorProto(name="w", data_type=number_of_element(word), dims=[count], **fields)


def array_of(word):
    return np.array(BYTES[word][0]).astype(dtype_of(word))


@pytest.mark.parametrize("word", BYTES)
def test_every_type_is_read_and_written(word):
    values, raw = BYTES[word]
    expected = array_of(word)
    tensor = tensor_of(word, len(values), raw_data=raw)
    assert tensor_of_array(expected, "w") == tensor
    graph = helper.make_graph(
        [], "g", [], [helper.make_tensor_value_info("w", tensor.data_type, None)], [tensor]
    )
    (found,) = opmill.Model(helper.make_model(graph, ir_version=10)).run([])
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("word", "field", "data"),
    [
        ("float", "float_data", [1.0, -2.0]),
        ("complex64", "float_data", [1.0, -2.0]),
        ("complex128", "double_data", [1.0, -2.0]),
        ("double", "double_data", [1.0]),
        ("int64", "int64_data", [1, 2, 100]),
        ("uint32", "uint64_data", [1, 2, 100]),
        ("uint64", "uint64_data", [1, 2, 100]),
        ("int32", "int32_data", [1, 2, 100]),
        ("uint16", "int32_data", [1, 2, 100]),
        ("bool", "int32_data", [1, 0, 1]),
        ("float16", "int32_data", [0x3C00, 0xC000]),
        ("bfloat16", "int32_data", [0x3F80, 0xC000]),
        ("float8e5m2", "int32_data", [0x3C, 0xC0]),
        ("float8e8m0", "int32_data", [0x7F, 0x7E]),
        ("int4", "int32_data", [0xE1, 0x07]),
        ("int2", "int32_data", [0xE4, 0x01]),
        ("float6e2m3", "int32_data", [8, 40, 8, 16, 48]),
    ],
)
def test_fields_of_values(word, field, data):
    expected = array_of(word)
    found = array_of_tensor(tensor_of(word, expected.size, **{field: data}))
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_strings():
    array = np.array([["é", "a\0"]], object)
    tensor = tensor_of_array(array, "w")
    assert list(tensor.string_data) == ["é".encode(), b"a\0"]
    assert array_of_tensor(tensor).tolist() == array.tolist()
    with pytest.raises(TypeError, match="a text is of class int, expected str or bytes"):
        tensor_of_array(np.array([1], object))


def test_sequences():
    found = sequence_of_arrays([array_of("bfloat16")], "s")
    assert (found.name, found.elem_type) == ("s", onnx.SequenceProto.TENSOR)
    assert [one.raw_data for one in found.tensor_values] == [BYTES["bfloat16"][1]]


def test_data_outside_of_a_tensor_are_refused():
    outside = tensor_of("float", 1, data_location=TensorProto.EXTERNAL)
    with pytest.raises(ValueError, match="the data are not inside of the tensor"):
        array_of_tensor(outside)


def test_ir_versions_are_those_of_the_releases_of_onnx():
    """As far as the installed onnx knows them; the newest one knows all."""
    for _, ir_version, *opsets in helper.VERSION_TABLE:
        names = ("", "ai.onnx.ml", "ai.onnx.training")
        for domain, opset in zip(names, opsets, strict=False):
            found = min_ir_version([helper.make_opsetid(domain, opset)])
            assert found <= ir_version
            assert found == helper.find_min_ir_version_for([helper.make_opsetid(domain, opset)])
    assert helper.VERSION_TABLE[-1][1] <= NEWEST_IR
    assert helper.VERSION_TABLE[-1][2] <= NEWEST_OPSET
    assert min_ir_version([helper.make_opsetid("", 23)]) == 11
    assert min_ir_version([helper.make_opsetid("own", 99)]) == 1


def test_models_newer_than_onnx_are_left_to_opmill(monkeypatch):
    """ONNX's checker refuses every one of them; opmill knows the opset."""
    from opmill.onnx_backend import OnnxBackend

    monkeypatch.setattr(onnx, "IR_VERSION", 10)
    monkeypatch.setattr(defs, "onnx_opset_version", lambda: 21)
    node = helper.make_node("RMSNormalization", ["x", "s"], ["y"])
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xsy"]
    graph = helper.make_graph([node], "g", infos[:2], infos[2:])
    imports = [helper.make_opsetid("", 23)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=11)
    (found,) = check(model).findings
    assert (found.severity, found.rule) == ("note", "onnx-checker")
    assert found.text == (
        f"did not run: IR version 11 is newer than 10, the newest of onnx {onnx.__version__}, "
        f"opset 23 is newer than 21, the newest of onnx {onnx.__version__}"
    )
    x = np.float32([3, 4])
    (y,) = OnnxBackend.prepare(model).run([x, np.float32([1, 1])])
    assert np.allclose(y, x / np.sqrt(np.float32(12.5)))
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", infos[:1], infos[2:])
    imports = [helper.make_opsetid("", 21)]
    unknown = helper.make_model(graph, opset_imports=imports, ir_version=NEWEST_IR + 1)
    assert [one.severity for one in check(unknown).findings] == ["error"]
