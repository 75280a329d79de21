"""One node against its exact operator version: attributes, numbers, types and shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from onnx import AttributeProto, NodeProto

from opmill._model.errors import ModelError, shown
from opmill._model.segments import READING_SHAPES
from opmill._onnx.nodes import count_of
from opmill._onnx.outside import Folder
from opmill._onnx.protos import attributes_of
from opmill._onnx.result_types import result_types
from opmill._runtime import messages
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.errors import OpError, TypeConstraintError, one_of
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill._runtime.types import TensorType, element_word

_SMALL = 4096
"""The number of elements up to which constants are computed, for shapes that depend on them."""

_SMALL_BYTES = 1 << 20
"""The bytes that their inputs may have."""

_UNKNOWN = messages.VALUE_NEEDED.partition("{}")[2]


class Known(NamedTuple):
    """The facts known about a value.

    Args:
        word: ONNX's word for its type, as ``tensor(float)``; ``None`` if it is not known.
        shape: the dims of a tensor; ``None`` if they are not known.
        array: the contents of a constant.
    """

    word: str | None = None
    shape: tuple[int, ...] | None = None
    array: Any = None

    @classmethod
    def of(cls, array: Any) -> Known:
        """The facts known about a constant."""
        return cls(f"tensor({element_word(array.dtype)})", array.shape, array)

    @property
    def given(self) -> Any:
        """The value for ``infer``: an array or a ``TensorType``; ``None`` if it is not known."""
        if self.array is not None:
            return self.array
        element = self.element
        return None if element is None or self.shape is None else TensorType(element, self.shape)

    @property
    def element(self) -> str | None:
        """The element type of a tensor."""
        if self.word is None or not self.word.startswith("tensor("):
            return None
        return self.word[len("tensor(") : -1]


Report = Callable[[str, str], None]
"""Records an error of a node: its rule and its text."""


def check_attributes(
    node: NodeProto, operator: Operator, folder: Folder, report: Report
) -> dict[str, Any] | None:
    """Check the attributes of a node; returns their values, ``None`` if there is a fault.

    Args:
        node: the node; graphs among its attributes, and references to those of a function, are
            not read.
        operator: its operator version.
        folder: the location of tensors outside of the file.
        report: records each fault.
    """
    declared = {one.name: one for one in operator.schema.attributes}
    values: dict[str, Any] = {}
    seen: set[str] = set()
    faults = 0

    def fault(rule: str, text: str) -> None:
        nonlocal faults
        faults += 1
        report(rule, text)

    for attribute in node.attribute:
        name = attribute.name
        if name in seen:
            fault("duplicate-attribute", f"attribute {shown(name)} is given twice")
            continue
        seen.add(name)
        if name not in declared:
            wanted = one_of(list(declared)) if declared else "none"
            fault("unknown-attribute", f"attribute {shown(name)} is unknown, expected {wanted}")
            continue
        kind = AttributeProto.AttributeType.Name(attribute.type)
        if kind != declared[name].kind:
            wanted = declared[name].kind
            fault("attribute-kind", f"attribute '{name}' has kind {kind}, expected {wanted}")
        elif not attribute.ref_attr_name and kind != "GRAPH":
            alone = NodeProto(attribute=[attribute])
            try:
                values |= attributes_of(alone, "", operator.schema, folder)
            except (ModelError, OpError) as error:
                fault("attribute-value", str(error).removeprefix(": "))
    for name, one in declared.items():
        if one.required and name not in seen:
            fault("missing-attribute", messages.ATTRIBUTE_ABSENT.format(name))
    if faults or any(one.ref_attr_name for one in node.attribute):
        return None
    if not isinstance(operator, GraphOperator):
        try:
            bind_attributes(operator.schema.label, operator.schema.attributes, values)
        except OpError as error:
            report("attribute-value", error.reason)
            return None
    return values


def check_counts(node: NodeProto, operator: Operator, report: Report) -> bool:
    """Check the numbers of inputs and outputs of a node; returns whether they are legal."""
    schema = operator.schema
    legal = True
    for what, names, formals in (
        ("inputs", node.input, schema.inputs),
        ("outputs", node.output, schema.outputs),
    ):
        low = 0
        for position, formal in enumerate(formals):
            if formal.option == "single" and what == "inputs":
                low = position + 1
            elif formal.option == "variadic":
                low = max(low, position + formal.min_arity)
        high = None if formals and formals[-1].option == "variadic" else len(formals)
        count = len(names)
        if count < low or (high is not None and count > high):
            wanted = f"{low} to {high}" if high is not None else f"at least {low}"
            wanted = str(low) if low == high else wanted
            report(f"number-of-{what}", f"number of {what} is {count}, expected {wanted}")
            legal = False
            continue
        for name, formal in zip(names, formals, strict=False):
            if not name and formal.option == "single" and what == "inputs":
                report("missing-input", messages.INPUT_ABSENT.format(formal.name))
                legal = False
    return legal


def inferred(
    node: NodeProto,
    operator: Operator,
    attributes: dict[str, Any],
    inputs: Sequence[Known | None],
    report: Report,
) -> list[Known]:
    """Check types and shapes of a node by the rules of its version; returns what is known of its
    outputs.

    Args:
        node: the node.
        operator: its operator version.
        attributes: its attributes.
        inputs: what is known of each input; ``None`` for an absent one.
        report: records a fault.
    """
    words = [None if one is None else one.word for one in inputs]
    types = [Known(word) for word in result_types(operator.schema, words, attributes)]
    outputs = [*types[: len(node.output)], *[Known()] * (len(node.output) - len(types))]
    if any(one is not None and one.element is None for one in inputs):
        return outputs
    given = [None if one is None else one.given for one in inputs]
    known = all(value is not None or one is None for value, one in zip(given, inputs, strict=True))
    if not known:
        given = [None if one is None else TensorType(str(one.element), ()) for one in inputs]
    try:
        count = count_of(node, operator)
        found = operator.infer(given, attributes, count)
    except TypeConstraintError as error:
        report("type", error.reason)
        return [Known()] * len(node.output)
    except OpError as error:
        if known and not error.reason.endswith(_UNKNOWN):
            report("shape", error.reason)
        return outputs
    if not known:
        return outputs
    for position, type_ in enumerate(found[: len(node.output)]):
        dims = [dim for dim in type_.shape if dim is not None]
        shape = tuple(dims) if len(dims) == len(type_.shape) else None
        outputs[position] = Known(f"tensor({type_.type})", shape)
    return _computed(operator, attributes, given, count, outputs)


def _computed(
    operator: Operator,
    attributes: dict[str, Any],
    given: list[Any],
    count: int | None,
    outputs: list[Known],
) -> list[Known]:
    """The outputs with their contents, if they are small constants."""
    schema = operator.schema
    small = all(one.shape is not None and prod(one.shape) <= _SMALL for one in outputs)
    if schema.domain == "ai.onnx" and schema.name in READING_SHAPES:
        return [Known.of(_read_shape(given[0].shape, schema.name, attributes))]
    constant = all(one is None or isinstance(one, np.ndarray) for one in given)
    small = small and sum(getattr(one, "nbytes", 0) for one in given) <= _SMALL_BYTES
    if not (small and constant) or schema.determinism == "non_deterministic":
        return outputs
    try:
        results = operator.results(given, attributes, None, count)
    except OpError:  # an element that rules do not see; a run reports it
        return outputs
    return [
        Known.of(result) if isinstance(result, np.ndarray) else one
        for one, result in zip(outputs, results, strict=False)
    ]


def _read_shape(shape: tuple[int, ...], operator: str, attributes: dict[str, Any]) -> Any:
    """The result of Shape or Size, whose limits clamp as those of Python's slices do."""
    if operator == "Size":
        return np.array(prod(shape), np.int64)
    return np.array(shape[attributes.get("start", 0) : attributes.get("end")], np.int64)
