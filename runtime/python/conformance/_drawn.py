"""Draws whole calls: a family's, one with a fault that the schema shows, mere guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from opmill.conformance import _tables

_tables.provide()

from opmill_checks.drawing import Call, Contents, Draw, choice, dims, happens, integer  # noqa: E402
from opmill_checks.elements import elements  # noqa: E402
from opmill_checks.interface import arguments, parameter_at  # noqa: E402
from opmill_checks.value import TYPES, SparseArrays, Value, dtype_of  # noqa: E402
from opmill_checks.watch import CONTAINERS, LAYOUTS  # noqa: E402

HOSTILE = (0, 1, 2, -1, 3, 5, -2, 2**31, 2**62, 2**63 - 1, -(2**63))


class Version(Protocol):
    """An operator version whose calls are drawn; see ``opmill.conformance._fuzz.Drawable``."""

    @property
    def schema(self) -> Any: ...
    @property
    def accuracy(self) -> Mapping[str, tuple[float, float]]: ...
    @property
    def legal(self) -> Callable[[Draw], Call] | None: ...
    @property
    def illegal(self) -> Callable[[Draw], Any] | None: ...


@dataclass
class Drawn:
    """A call ready to be made.

    Args:
        inputs: arrays in schema order, None for an absent one.
        attributes: those that are given.
        raises: the class of error that it must raise; None where it is legal, or not known to be
            illegal.
        layouts: how each input is laid out in memory.
        container: which kind of array holds strings.
        out: how many elements of memory an output buffer has for each element; 0 for no buffer.
        outputs: the number of requested outputs; None for those that every call has.
    """

    inputs: list[Any]
    attributes: dict[str, Any]
    raises: str | None = None
    layouts: tuple[str, ...] = ()
    container: str = "object"
    out: int = 0
    outputs: int | None = None

    def asked(self, schema: Any) -> list[Any]:
        """The requested outputs."""
        if self.outputs is not None:
            return [parameter_at(schema.outputs, position) for position in range(self.outputs)]
        return [one for one in schema.outputs if one.option == "single"]


def legal(draw: Draw, version: Version) -> Drawn:
    """A legal call, in any layout."""
    assert version.legal is not None
    drawn = typed(draw, version, version.legal(draw))
    drawn.layouts = tuple(
        choice(draw, tuple(LAYOUTS)) if happens(draw, 40) else "plain" for _ in drawn.inputs
    )
    drawn.container = choice(draw, tuple(CONTAINERS)) if happens(draw, 30) else "object"
    drawn.out = choice(draw, (0, 1, 2))
    count = len(version.schema.outputs)
    needed = [k for k, one in enumerate(version.schema.outputs, 1) if one.option != "optional"]
    if drawn.outputs is None and len(needed) < count:  # runtimes compute no node without outputs
        drawn.outputs = integer(draw, max([1, *needed]), count)
    return drawn


def illegal(draw: Draw, version: Version) -> Drawn:
    """A call with one fault, of those that the family names or of those that the schema shows."""
    if version.illegal is not None and happens(draw, 65):
        wrong = version.illegal(draw)
        drawn = typed(draw, version, wrong.call)
        drawn.raises = wrong.raises
        return drawn
    assert version.legal is not None
    drawn = typed(draw, version, version.legal(draw))
    faults = FAULTS if version.schema.inputs else FAULTS_WITHOUT_INPUTS
    choice(draw, faults)(draw, version, drawn)
    return drawn


def guess(draw: Draw, version: Version) -> Drawn:
    """A call of which only the schema is known: as likely refused as not, or more."""
    shape = dims(draw, choice(draw, (1, 2, 3, 0, 4)), 100)
    inputs: dict[str, Any] = {}
    for parameter in version.schema.inputs:
        if parameter.option == "variadic":
            count = integer(draw, 1, 3)
            inputs[parameter.name] = [
                shape if happens(draw, 70) else dims(draw, 2, 100) for _ in range(count)
            ]
            continue
        kind = choice(draw, ("same", "vector", "near", "scalar", "other"))
        if parameter.option == "optional" and happens(draw, 40):
            inputs[parameter.name] = None
        elif kind == "vector":
            count = choice(draw, (len(shape), 1, 0, len(shape) + 1))
            values = [choice(draw, (1, 2, 3, 0)) for _ in range(count)]
            if values and happens(draw, 15):
                values[integer(draw, 0, count - 1)] = choice(draw, HOSTILE)
            inputs[parameter.name] = Contents((count,), tuple(values))
        elif kind == "scalar":
            inputs[parameter.name] = Contents(choice(draw, ((), (1,))), (integer(draw, -2, 3),))
        elif kind == "near" and shape:
            position = integer(draw, 0, len(shape) - 1)
            inputs[parameter.name] = (
                *shape[:position],
                integer(draw, 0, 3),
                *shape[position + 1 :],
            )
        else:
            inputs[parameter.name] = shape if kind == "same" else dims(draw, 2, 100)
    attributes = {
        attribute.name: value_of(draw, attribute, len(shape))
        for attribute in version.schema.attributes
        if attribute.required or happens(draw, 15)
    }
    variadic = any(one.option == "variadic" for one in version.schema.outputs)
    outputs = integer(draw, 1, 4) if variadic else None
    return typed(draw, version, Call(inputs, attributes, outputs=outputs))


def value_of(draw: Draw, attribute: Any, count: int) -> Any:
    """Some value of an attribute's kind."""
    number = choice(draw, (1, 2, 0, 3) if happens(draw, 80) else HOSTILE)
    if attribute.kind == "INT":
        return number
    if attribute.kind == "FLOAT":
        return choice(draw, (float(number), 0.5, float("nan"), -1e30))
    if attribute.kind == "STRING":
        return choice(draw, (*attribute.allowed, "", "other"))
    if attribute.kind in ("INTS", "FLOATS"):
        kind = int if attribute.kind == "INTS" else float
        length = max(0, choice(draw, (count - 2, count, 2 * count - 4, 1, 0)))
        return [kind(choice(draw, (1, 2, 0, -1))) for _ in range(length)]
    if attribute.kind == "TENSOR":
        type = choice(draw, tuple(TYPES))
        return elements(type, choice(draw, ((1,), (), (1,), (2,), (0,))), number % 97, exact=True)
    if attribute.kind == "SPARSE_TENSOR":
        chosen = choice(draw, ([0], [], [1, 2], [2, 1], [3, 3], [number]))
        indices = np.array(chosen, np.int64).reshape(choice(draw, ((-1,), (-1,), (-1, 1))))
        given = np.ones(len(chosen), choice(draw, (np.float32, np.int64, np.int16)))
        return SparseArrays(given, indices, choice(draw, ([4], [2, 2], [number])))
    if attribute.kind == "STRINGS":
        return choice(draw, ([], ["a", ""]))
    return choice(draw, ("", []))


# Element types


def typed(draw: Draw, version: Version, call: Call) -> Drawn:
    """The call with an element type for each type variable, and elements for every input."""
    schema = version.schema
    bound = {
        variable: call.types.get(variable) or choice(draw, tensors(types))
        for variable, types in sorted(schema.type_constraints.items())
    }
    seed = integer(draw, 0, 2**20)
    inputs: list[Any] = []
    for parameter in schema.inputs:
        value = call.inputs[parameter.name]
        type = element_type(bound.get(parameter.type, parameter.type))
        for given in value if isinstance(value, list) else [value]:
            if given is None:
                inputs.append(None)
            elif isinstance(given, Contents):
                inputs.append(contents(given.type or type, given))
            else:
                exact = not version.accuracy
                inputs.append(elements(type, given, seed + len(inputs), exact=exact))
    while inputs and inputs[-1] is None and happens(draw, 50):
        inputs.pop()
    outputs = call.outputs
    if all(one.option == "optional" for one in schema.outputs):  # runtimes compute no such node
        outputs = len(schema.outputs)
    return Drawn(inputs, arguments(call.attributes), outputs=outputs)


def tensors(types: Sequence[str]) -> list[str]:
    """Those of a constraint's types that are tensors: sequences and optionals are not drawn."""
    return [type for type in types if type.startswith("tensor(")]


def element_type(tensor: str) -> str:
    """``float`` of ``tensor(float)``."""
    return tensor.removeprefix("tensor(").removesuffix(")")


def contents(type: str, given: Contents) -> np.ndarray[Any, Any]:
    """Items as a tensor of a type; where it cannot hold one, what NumPy makes of it."""
    if TYPES[type].kind == "string":
        return Value(type, given.shape, tuple(map(str, given.items))).to_array()
    with np.errstate(all="ignore"):
        return np.array(given.items).astype(dtype_of(type)).reshape(given.shape)


# Faults that the schema alone shows. Each changes the call and says what it must raise


def wrong_type(draw: Draw, version: Version, drawn: Drawn) -> None:
    """A type that the parameter does not list, or another than an earlier one has bound."""
    schema = version.schema
    present = [position for position, array in enumerate(drawn.inputs) if array is not None]
    position = choice(draw, present)
    parameter = parameter_at(schema.inputs, position)
    listed = schema.type_constraints.get(parameter.type, (parameter.type,))
    allowed = {element_type(tensor) for tensor in tensors(listed)}
    others = [type for type in TYPES if type not in allowed]
    earlier = [parameter_at(schema.inputs, other).type for other in present if other < position]
    if parameter.type in earlier and len(allowed) > 1:
        own = drawn.inputs[position].dtype
        others += [type for type in sorted(allowed) if dtype_of(type) != own]
    array = elements(choice(draw, others), drawn.inputs[position].shape, 0, exact=True)
    drawn.inputs[position] = array
    drawn.raises = "TypeConstraintError"


def missing_input(draw: Draw, version: Version, drawn: Drawn) -> None:
    """A required input that is absent."""
    required = [
        position
        for position, parameter in enumerate(version.schema.inputs)
        if parameter.option != "optional"
    ]
    position = choice(draw, required)
    type = version.schema.inputs[position].type
    listed = version.schema.type_constraints.get(type, (type,))
    may_hold_nothing = any(one.startswith("optional(") for one in listed)
    if happens(draw, 50) and not may_hold_nothing:
        drawn.inputs[position] = None
    else:
        del drawn.inputs[position:]
    drawn.raises = "OpError"


def surplus_input(draw: Draw, version: Version, drawn: Drawn) -> None:
    """More inputs than there are parameters; none at all where there may be any number."""
    count = len(version.schema.inputs)
    if version.schema.inputs[-1].option == "variadic":
        missing_input(draw, version, drawn)
        return
    drawn.inputs += [None] * (count - len(drawn.inputs)) + [np.ones(2, np.float32)]
    drawn.raises = "OpError"


def unknown_attribute(draw: Draw, version: Version, drawn: Drawn) -> None:
    """An attribute that the version does not have."""
    known = {attribute.name for attribute in version.schema.attributes}
    names = [n for n in ("axis", "pad", "Strides", "\u00fcber", "x" * 300) if n not in known]
    drawn.attributes[choice(draw, names)] = choice(draw, (1, "x", [1], 1.5))
    drawn.raises = "AttributeValueError"


def wrong_kind(draw: Draw, version: Version, drawn: Drawn) -> None:
    """An attribute of another kind, or an unknown one where the version has none."""
    if not version.schema.attributes:
        unknown_attribute(draw, version, drawn)
    else:
        attribute = choice(draw, version.schema.attributes)
        drawn.attributes[attribute.name] = choice(draw, WRONG_KINDS[attribute.kind])
    drawn.raises = "AttributeValueError"


WRONG_KINDS: Mapping[str, tuple[Any, ...]] = {
    "INT": ("1", 1.5, [1], 2**63, -(2**63) - 1),
    "FLOAT": ("1", [1.0]),
    "STRING": (1, ["NOTSET"], 1.5),
    "INTS": (1, "1", [1.5], [[1]], [2**63]),
    "FLOATS": (1.5, "1", ["1"]),
    "STRINGS": ("a", [1]),
    "TENSOR": (1, "a", [1.5]),
    "SPARSE_TENSOR": (1, "a", [1.5]),
}

FAULTS = (wrong_type, missing_input, surplus_input, unknown_attribute, wrong_kind)
FAULTS_WITHOUT_INPUTS = (unknown_attribute, wrong_kind)
"""onnxruntime gives a constant any number of inputs."""
