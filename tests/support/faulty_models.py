"""Faults at random places of models: the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from onnx import ModelProto, parser

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
