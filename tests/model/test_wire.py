"""Reading large initializers past protobuf gives what protobuf gives, whatever the bytes are."""

from __future__ import annotations

import io

import ml_dtypes
import numpy as np
import pytest
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

import opmill
from opmill._onnx.wire import split

RANDOM = np.random.default_rng(3)
SHAPE = (300, 128)
TYPES = [
    np.float32, np.float64, np.float16, np.int8, np.uint8, np.int64, np.bool_, np.complex64,
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4,
]  # fmt: skip


def values(dtype):
    return RANDOM.integers(-5, 5, (600, 256)).astype(np.int32).astype(dtype)


def message_of(arrays, name="w"):
    """A model that returns its initializers."""
    tensors = [numpy_helper.from_array(array, f"{name}{k}") for k, array in enumerate(arrays)]
    graph = helper.make_graph(
        [helper.make_node("Identity", [f"{name}{k}"], [f"y{k}"]) for k in range(len(arrays))],
        "g",
        [],
        [helper.make_empty_tensor_value_info(f"y{k}") for k in range(len(arrays))],
        tensors,
    )
    message = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    message.ir_version = 10
    return message


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_all_element_types(dtype, tmp_path):
    arrays = [values(dtype), np.ones(3, dtype), values(dtype).T.copy()]
    message = message_of(arrays)
    path = tmp_path / "model.onnx"
    path.write_bytes(message.SerializeToString())
    for source in (path, path.read_bytes(), message):
        for found, expected in zip(opmill.Model(source).run([]), arrays, strict=True):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            assert found.tobytes() == expected.tobytes()


def test_what_remains_is_the_message_without_large_data():
    message = message_of([values(np.float32), np.ones(3), values(np.int8)])
    parts = split(io.BytesIO(message.SerializeToString()))
    assert parts is not None
    data, blocks = parts
    assert sorted(blocks) == [0, 2]
    assert all(block.ctypes.data % 64 == 0 for block in blocks.values())
    rest = ModelProto.FromString(data)
    for position, block in blocks.items():
        tensor = rest.graph.initializer[position]
        assert tensor.HasField("raw_data")
        tensor.raw_data = block.tobytes()
    assert rest == message


@pytest.mark.parametrize("delta", [-4, -1, 4])
def test_data_of_another_size_are_refused_as_ever(delta):
    message = message_of([values(np.float32)])
    raw = message.graph.initializer[0].raw_data
    message.graph.initializer[0].raw_data = (raw + bytes(8))[: len(raw) + delta]
    words = rf"^initializer 'w0' has {len(raw) + delta} bytes in raw_data, expected {len(raw)} "
    for source in (message, message.SerializeToString()):
        with pytest.raises(opmill.ModelError, match=words):
            opmill.Model(source)


def test_what_protobuf_merges_is_left_to_it():
    whole = message_of([values(np.float32)]).SerializeToString()
    other = ModelProto(graph=GraphProto(doc_string="more")).SerializeToString()
    assert split(io.BytesIO(whole + other)) is None
    (y,) = opmill.Model(whole + other).run([])
    assert y.shape == (600, 256)
    twice = TensorProto(raw_data=bytes(1 << 17)).SerializeToString()
    graph = GraphProto(initializer=[TensorProto(raw_data=bytes(1 << 17), name="n")])
    tensor = graph.initializer[0].SerializeToString() + twice
    length = len(tensor)
    encoded = bytes([0x2A, length & 127 | 128, length >> 7 & 127 | 128, length >> 14]) + tensor
    length = len(encoded)
    model = bytes([0x3A, length & 127 | 128, length >> 7 & 127 | 128, length >> 14]) + encoded
    assert len(ModelProto.FromString(model).graph.initializer[0].raw_data) == 1 << 17
    assert split(io.BytesIO(model)) is None


def test_damaged_bytes_give_what_protobuf_gives():
    """Cut and changed encodings are refused or read, and never as something else."""
    whole = message_of([values(np.float32), values(np.int8)]).SerializeToString()
    rng = np.random.default_rng(4)
    ends = [0, 1, 2, 5, len(whole) // 2, len(whole) - 1, *map(int, rng.integers(0, len(whole), 30))]
    damaged = [whole[:end] for end in ends]
    for position in map(int, rng.integers(0, 200, 60)):
        changed = bytearray(whole)
        changed[position] = int(rng.integers(0, 256))
        damaged.append(bytes(changed))
    for data in damaged:
        parts = split(io.BytesIO(data))
        if parts is None:
            continue
        try:
            expected = ModelProto.FromString(data)
        except Exception:
            with pytest.raises(Exception):  # noqa: B017, PT011
                ModelProto.FromString(parts[0])
            continue
        found = ModelProto.FromString(parts[0])
        for place, block in parts[1].items():
            found.graph.initializer[place].raw_data = block.tobytes()
        assert found.SerializeToString() == expected.SerializeToString()
