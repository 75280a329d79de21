"""Models with faults at random places: each one runs, or is refused by an error with a name.

The faults are drawn anew from the same seed each time, so a failure can be had again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from onnx import ModelProto, parser

import opmill
from opmill.onnx_backend import FeedError, ModelError, OnnxBackend
from opmill.onnxruntime_ops import lowered

REFUSALS = (ModelError, FeedError, opmill.OpError)

TILE = """
<ir_version: 8, opset_import: ["": 22, "opmill": 1]>
g (float[n, 1, 3] x, int64[r] shape) => (float[p, q, s] y, float[a, b, c, d] z)
    <float[1, 1, 2] w = {1, 2}, float[1] b = {100}> {
    t = ConvTranspose <strides = [2], auto_pad = "SAME_UPPER", group = 1> (x, w, b)
    k = Constant <value_ints = [1, 2, 1]> ()
    y = Tile(t, k)
    z = Expand(t, shape)
}"""
INPUTS = [np.ones((1, 1, 3), np.float32), np.array([2, 1, 1, 6])]

HELD = """
<ir_version: 8, opset_import: ["": 22]>
g (seq(float[n, 1]) x, optional(int64[r]) shape, float[n] z) => (seq(float[n, 1]) y, float[n] w) {
    t = Identity(x)
    y = Identity(t)
    k = Identity(shape)
    w = Identity(z)
}"""
HELD_INPUTS = [[np.ones((3, 1), np.float32)], None, np.ones(2, np.float32)]

TEXTS = ("", "x", "shape", "y", "z", "w", "b", "t", "k", "Tile", "Tile_13", "Expand", "Constant")
TEXTS += ("ai.onnx", "opmill", "auto_pad", "SAME_LOWER", "value", "pads", "strides", "\u2028" * 99)
BYTES = (b"", b"\xff", b"VALID", bytes(8), bytes(16))
INTEGERS = (1 - 2**31, -1, 0, 1, 2, 3, 6, 7, 10, 11, 13, 16, 22, 28, 29, 2**31 - 1)
FLOATS = (0.0, -1.5, float("nan"), 1e30)


def parts(message: Message) -> Iterator[Message]:
    """A message and all messages inside of it."""
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in value if field.is_repeated else [value]:
                yield from parts(part)


def spoil(model: ModelProto, draw: random.Random) -> None:
    """Change one field of one part: another value, one more, one less, or none."""
    message = draw.choice(list(parts(model)))
    field = draw.choice(list(message.DESCRIPTOR.fields))
    values = getattr(message, field.name)
    if not field.is_repeated:
        if field.type == FieldDescriptor.TYPE_MESSAGE or draw.random() < 0.2:
            message.ClearField(field.name)
        else:
            setattr(message, field.name, value_for(field, draw))
    elif values and draw.random() < 0.4:
        del values[draw.randrange(len(values))]
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        old = draw.choice(list(values)) if values else None
        new = values.add()
        if old is not None:
            new.CopyFrom(old)
    else:
        values.append(value_for(field, draw))


def value_for(field: FieldDescriptor, draw: random.Random) -> object:
    if field.type == FieldDescriptor.TYPE_STRING:
        return draw.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return draw.choice(BYTES)
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return draw.choice(FLOATS)
    if field.type == FieldDescriptor.TYPE_ENUM:
        return draw.choice(field.enum_type.values).number
    unsigned = field.type in (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64)
    return abs(draw.choice(INTEGERS)) if unsigned else draw.choice(INTEGERS)


def spoiled(seed: int, text: str) -> ModelProto:
    draw = random.Random(seed)
    model = parser.parse_model(text)
    for _ in range(draw.randint(1, 3)):
        spoil(model, draw)
    return model


def test_the_models_run_without_faults():
    y, z = OnnxBackend.run_model(parser.parse_model(TILE), INPUTS)
    assert (y.shape, z.shape) == ((1, 2, 6), (2, 1, 1, 6))
    y, w = OnnxBackend.run_model(parser.parse_model(HELD), HELD_INPUTS)
    assert [array.shape for array in (*y, w)] == [(3, 1), (2,)]


@pytest.mark.parametrize(
    ("start", "text", "inputs"), [(0, TILE, INPUTS), (200, TILE, INPUTS), (0, HELD, HELD_INPUTS)]
)
def test_the_backend_runs_a_faulty_model_or_names_the_fault(start, text, inputs):
    refused = 0
    for seed in range(start, start + 200):
        model = spoiled(seed, text)
        try:
            prepared = OnnxBackend.prepare(model)
            prepared.run(inputs[: len(prepared.input_names)])
        except REFUSALS:
            refused += 1
    assert 0 < refused < 200


def test_a_faulty_model_for_onnxruntime_is_lowered_or_its_fault_is_named():
    refused = 0
    for seed in range(200):
        model = spoiled(seed, TILE.replace("Tile", "opmill.Tile_13"))
        try:
            lowered(model, ["ConvTranspose", "Expand"])
        except REFUSALS:
            refused += 1
    assert 0 < refused < 200
