"""Calls whose shapes are derived when the network runs, and the maxima of what decides on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opmill._compile.network import OpenCall, Pack
from opmill._model.errors import ModelError, shown
from opmill._model.graph import ABSENT
from opmill._model.steps import Step
from opmill._model.views import passes_elements
from opmill._runtime.operator import Operator
from opmill._runtime.prepared import is_packed, unpacked
from opmill._runtime.types import dtype_of

if TYPE_CHECKING:
    from opmill._compile.front import Front


def add_open(
    front: Front,
    step: Step,
    operator: Operator,
    entry: Mapping[str, Any],
    given: Sequence[Any],
    behind: str,
    limits: tuple[float, float] | None,
) -> bool:
    """Add a call whose shapes are derived when the network runs; ``False`` after a reason.

    Args:
        front: what collects the network.
        step: the node.
        operator: its operator version.
        entry: how the kernel is called.
        given: the inputs: constants, types, ``None`` for an absent one.
        behind: the node whose limits the kernel applies, or nothing.
        limits: these; or ``None``.
    """
    node = step.node
    if front.depth:
        return front.refuse(step, "has an output whose shape depends on data")
    given = given if front.pack else list(unpacked(given))
    found = front.bounds.derive(step, operator, given, limits is None)
    if not front.has_kernel(step, entry, found.types):
        return False
    inputs = tuple(front.number(n) if n != ABSENT else None for n in node.inputs)
    number = step.outputs[0]
    view = passes_elements(operator) and len(step.outputs) == 1 and number not in front.results
    position = front.position
    outputs = []
    for number, type_, shape, size in zip(
        step.outputs, found.types, found.shapes, found.bytes, strict=True
    ):
        place = front.new_open()
        if view and inputs[0] is not None:
            root = front.values[inputs[0]]
            front.values[number] = root._replace(shape=shape, position=place, capacity=size)
        else:
            number = front.output(number, type_, shape, front.owners, position, place, size)
        outputs.append(number)
    buffer = -1
    if found.workspace and not view:
        buffer = len(front.net.buffers)
        front.net.buffers.append((found.workspace, position, position))
    packs = tuple(
        Pack(position, value.block) for position, value in enumerate(given) if is_packed(value)
    )
    call = OpenCall(
        node.location, operator.schema.label, behind, entry, inputs, tuple(outputs), {},
        limits, found.workspace, buffer, packs, "shapes at run time", front.step,
        operator.schema, step.attributes, view,
    )  # fmt: skip
    front.add(call)
    return True


def add_maximum(front: Front, number: int) -> None:
    """Let a computed value have the maximum that the caller states by its name.

    Raises:
        ModelError: it has no numbers, or not as many as there are maxima.
    """
    name = front.names.get(number, "")
    if name not in front.net.maxima or name in front.net.size_names:
        return
    if number in front.known or number in front.lost:
        return
    value = front.values[front.number(number)]
    if not has_numbers(value.type):
        text = f"has type {value.type}, expected numbers for a maximum"
        raise ModelError(f"value {shown(name)} {text}")
    front.bounds.add_value(number, value.type, value.shape, name)
    front.bounded.add(name)


def has_numbers(type_: str) -> bool:
    """Return whether a type is one of real numbers, which can have a maximum."""
    return dtype_of(type_).kind in "iuf"


def advice(front: Front, step: Step, error: Exception) -> str:
    """How to state the maximum of the value that a rule lacks; or nothing."""
    operator = step.node.operator
    if not isinstance(operator, Operator) or front.depth:
        return ""
    for formal, number in zip(operator.schema.inputs, step.node.inputs, strict=False):
        name = front.names.get(number)
        if name and f"value of {formal.name} is unknown" in str(error):
            return f"; --max {name}=N states its maximum"
    return ""
