"""Calls that a "Try it" panel starts with: those of a version's examples, for the reader to edit.

The panel calls the C library in the browser, and knows inputs, types and attributes from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backends import C
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.operator_version import AttributeKind, OperatorVersion, Option
from opmill_gen.spec.tensor_values import Element, Fill, Given, TensorValue
from opmill_gen.yaml_reader.tree import plain

_MAX_CALLS, _MAX_ELEMENTS = 12, 64
_TYPES = {
    *(ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BFLOAT16),
    *(ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.INT64),
    *(ElementType.UINT8, ElementType.UINT16, ElementType.UINT32, ElementType.UINT64),
    *(ElementType.BOOL, ElementType.STRING),
}
"""The types that the panel reads and shows."""


def try_panel(version: CheckedVersion) -> dict[str, str] | None:
    """The module and record of a version, and its first calls; ``None`` where C lacks it."""
    spec = version.spec
    if C.gap(version) is not None:
        return None
    shown = [e for e in spec.examples if not (version.creates_strings and _has_strings(e))]
    ordered = sorted(shown, key=lambda example: example.onnx_test is None)
    calls = [call for e in ordered if (call := _call(spec, e)) is not None][:_MAX_CALLS]
    if not calls:
        return None
    defaults = {
        attribute.name: _attribute_text(attribute.default_value)
        for attribute in spec.attributes
        if attribute.default is not None
    }
    data = {"examples": calls, "defaults": defaults}
    return {
        "module": version.instance.family.name,
        "operator": f"opmill_operator_{version.c_package}_{spec.since_version}",
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c").replace("`", "\\u0060"),
    }


def _has_strings(example: Example) -> bool:
    """Return whether an output has strings, for which the panel has no memory if C creates them."""
    arguments = [argument.tensors or () for argument in example.outputs.values()]
    return any(tensor.type is ElementType.STRING for tensors in arguments for tensor in tensors)


def _call(spec: OperatorVersion, example: Example) -> dict[str, Any] | None:
    """An example as the panel's state; ``None`` where a tensor is large or cannot be typed."""
    inputs: list[list[str] | None] = []
    for parameter in spec.inputs:
        argument = example.inputs.get(parameter.name)
        if argument is None or argument.tensors is None:
            inputs.append(None)
            continue
        if argument.sequence:
            return None
        for tensor in argument.tensors:
            text = _tensor_text(tensor)
            if text is None:
                return None
            inputs.append([tensor.type.value, text])
    kinds = {attribute.name: attribute.kind for attribute in spec.attributes}
    if any(kinds[name] not in _KINDS for name in example.attributes):
        return None
    attributes = {name: _attribute_text(plain(tree)) for name, tree in example.attributes.items()}
    if any(not text or "\n" in text for text in attributes.values()):
        return None  # a field is one line, and an empty one stands for an absent attribute
    return {
        "name": example.name,
        "inputs": inputs,
        "attributes": attributes,
        "outputs": _count(spec, example.outputs),
    }


_KINDS = (
    *(AttributeKind.FLOAT, AttributeKind.INT, AttributeKind.STRING),
    *(AttributeKind.FLOATS, AttributeKind.INTS, AttributeKind.STRINGS),
)
"""The kinds of attributes that the panel can give."""


def _count(spec: OperatorVersion, outputs: Mapping[str, Argument]) -> int:
    """Number of outputs the call asks for."""
    return sum(
        len(argument.tensors)
        if parameter.option is Option.VARIADIC and argument.tensors is not None
        else 1
        for parameter in spec.outputs
        if (argument := outputs.get(parameter.name)) is not None and argument.tensors is not None
    )


def _tensor_text(tensor: TensorValue) -> str | None:
    source = tensor.source
    if tensor.size > _MAX_ELEMENTS or tensor.type not in _TYPES:
        return None
    if tensor.size == 0:
        return _empty(tensor.shape)
    if isinstance(source, Given):
        return _nested([_text(item) for item in source.elements], tensor.shape)
    if isinstance(source, Fill):
        return _nested([_text(source.element)] * tensor.size, tensor.shape)
    return None


def _empty(shape: tuple[int, ...]) -> str | None:
    """Nested lists hold no dims after the first 0."""
    if any(shape[shape.index(0) + 1 :]) or len(shape) > shape.index(0) + 1:
        return None
    text = "[]"
    for dim in reversed(shape[: shape.index(0)]):
        text = f"[{', '.join([text] * dim)}]"
    return text


def _nested(texts: list[str], shape: tuple[int, ...]) -> str:
    """The elements as nested lists, a row a line."""
    if not shape:
        return texts[0]
    step = len(texts) // shape[0]
    parts = [_nested(texts[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]
    separator = ", " if len(shape) == 1 else ",\n "
    return f"[{separator.join(parts)}]"


def _text(item: Element) -> str:
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, str):
        return json.dumps(item)
    if isinstance(item, float) and not math.isfinite(item):
        return "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"
    return f"{item:g}" if isinstance(item, float) and item == float(f"{item:g}") else str(item)


def _attribute_text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    return value if isinstance(value, str) else _text(value)
