"""The inputs of a network: their shapes, from what the model declares and the caller sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from opmill._compile.bounds import Dims, shape_at
from opmill._compile.literals import is_supported
from opmill._compile.network import Port, Value
from opmill._compile.opened import has_numbers
from opmill._model.declared import Declared, DeclaredTensor
from opmill._model.errors import ModelError, shown

if TYPE_CHECKING:
    from opmill._compile.front import Front


def add_inputs(
    front: Front, dims: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Add the inputs of the model, or reasons why they have no shapes.

    Args:
        front: what collects the network.
        dims: the sizes of named dims.
        shapes: the whole shapes of inputs.
    """
    _check_sizes(front, dims, shapes)
    for declared, number in _required(front):
        _add_input(front, declared, number, dims, shapes)


def _required(front: Front) -> list[tuple[Declared, int]]:
    """The inputs without an initializer; the others are constants."""
    pairs = zip(front.graph.inputs, front.graph.numbers, strict=True)
    return [(one, number) for one, number in pairs if number not in front.graph.constants]


def _check_sizes(
    front: Front, dims: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    inputs = [declared for declared, _ in _required(front)]
    names = {
        dim
        for one in inputs
        if isinstance(one.type, DeclaredTensor)
        for dim in one.type.dims or ()
        if isinstance(dim, str)
    }
    have = ", ".join(map(shown, sorted(names))) or "none"
    for name in sorted(dims.keys() - names):
        front.reasons.append(f"the model has no dim {shown(name)}, expected one of: {have}")
    known = names | set(front.names.values())
    for name in front.net.maxima.names:
        if name not in known:
            front.reasons.append(
                f"the model has no dim and no value {shown(name)}, expected a value or one of the "
                f"dims: {have}"
            )
        elif name not in names and name in _constants(front):
            front.reasons.append(f"value {shown(name)} is a constant, expected none with a maximum")
        elif name in names and name in front.net.maxima.keys:
            front.reasons.append(f"dim {shown(name)} has a list of maxima, expected a number")
    for name in sorted(shapes.keys() - {one.name for one in inputs}):
        front.reasons.append(f"the model has no input {shown(name)}")


def _constants(front: Front) -> set[str]:
    """The names of the initializers."""
    return {front.names[n] for n in front.graph.constants if n in front.names}


def _add_input(
    front: Front,
    declared: Declared,
    number: int,
    dims: Mapping[str, int],
    shapes: Mapping[str, tuple[int, ...]],
) -> None:
    shape = _input_shape(front, declared, dims, shapes)
    if shape is None or not isinstance(declared.type, DeclaredTensor):
        front.lost.add(number)
        return
    assert declared.type.element is not None
    index, element = len(front.net.inputs), declared.type.element
    front.net.inputs.append(Port(declared.name, number))
    maxima = front.net.maxima
    whole = shape_at(shape, maxima.sizes)
    value = Value(element, whole, "input", index)
    if whole != shape:
        front.bounds.add_input(number, element, shape)
        value = value._replace(position=front.new_open(), capacity=value.bytes)
        front.net.open_dims[number] = shape
    front.net.values[number] = value
    if declared.name not in maxima:
        return
    if not has_numbers(element):
        text = f"has type {element}, expected numbers for a maximum"
        front.reasons.append(f"input {shown(declared.name)} {text}")
    elif _has_maximum(front, element, declared.name):
        front.net.bounded_inputs.add(number)
        front.bounded.add(declared.name)
        try:
            front.bounds.add_value(number, element, whole, declared.name)
        except ModelError as error:
            front.reasons.append(f"input {shown(declared.name)}: {error}")


def _input_shape(
    front: Front,
    declared: Declared,
    dims: Mapping[str, int],
    shapes: Mapping[str, tuple[int, ...]],
) -> Dims | None:
    """The dims of an input, names for those with a maximum; ``None`` after adding a reason."""
    what, type_ = f"input {shown(declared.name)}", declared.type
    if not isinstance(type_, DeclaredTensor) or type_.element is None:
        front.reasons.append(f"{what} is declared as {declared.described()}, expected a tensor")
        return None
    if not is_supported(type_.element):
        front.reasons.append(f"{what} has type {type_.element}, expected numbers of whole bytes")
        return None
    given = shapes.get(declared.name)
    if given is not None:
        wanted = type_.dims
        fits = wanted is None or (
            len(wanted) == len(given)
            and all(not isinstance(w, int) or w == g for w, g in zip(wanted, given, strict=True))
        )
        if fits:
            return given
        front.reasons.append(f"{what} has shape {list(given)}, expected {declared.described()}")
        return None
    if type_.dims is None:
        front.reasons.append(f"{what} has no rank, set its shape with --shape")
        return None
    sizes = [dims.get(dim, dim) if isinstance(dim, str) else dim for dim in type_.dims]
    for axis, size in enumerate(sizes):
        if isinstance(size, str) and size not in front.net.maxima.sizes:
            text = f"{what}: the size of '{size}' (axis {axis}) is open, set it with --dim"
            front.reasons.append(f"{text} {size}=N or --max {size}=N")
        elif size is None:
            text = f"{what}: the size of axis {axis} is open, set the shape with --shape"
            front.reasons.append(text)
    maxima = front.net.maxima
    found = tuple(size for size in sizes if isinstance(size, int) or size in maxima.sizes)
    return tuple(one for one in found if one is not None) if len(found) == len(sizes) else None


def _has_maximum(front: Front, element: str, name: str) -> bool:
    """Return whether a maximum is that of an input's values.

    Where a dim has the same name, only integers have it too.
    """
    names = {dim for dims in front.net.open_dims.values() for dim in dims}
    return element in ("int32", "int64") or name not in names
