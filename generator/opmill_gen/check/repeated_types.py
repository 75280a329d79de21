"""Examples that name a type variable in ``each_type``: their numbers must exist in each type.

The tests repeat such an example in every tensor type of the variable, number for number.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from opmill_gen.base.onnx_types import (
    ElementType,
    SequenceType,
    TensorType,
    TypeVariable,
)
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.float_bits import NARROW, narrow_bits
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.spec.tensor_values import (
    Bits,
    Fill,
    Formula,
    Given,
    TensorValue,
    integer_range,
)
from opmill_gen.yaml_reader.decode import Faults


def check_repeated_types(spec: OperatorVersion, example: Example, faults: Faults) -> None:
    """Report each tensor with an element that a type of the variable does not have."""
    variable = TypeVariable(example.each_type or "")
    for parameters, table in ((spec.inputs, example.inputs), (spec.outputs, example.outputs)):
        for parameter in parameters:
            argument = table.get(parameter.name)
            if parameter.type != variable or argument is None:
                continue
            types = list(_types(spec, example, argument))
            for tensor in argument.tensors or ():
                _check_tensor(tensor, types, faults)


def _types(spec: OperatorVersion, example: Example, argument: Argument) -> Iterator[ElementType]:
    """The element types that the tests give an argument."""
    for type_ in spec.type_constraints[example.each_type or ""].types:
        if argument.sequence and isinstance(type_, SequenceType):
            type_ = type_.item
        elif argument.sequence:
            continue
        if isinstance(type_, TensorType):
            yield type_.element


def _check_tensor(tensor: TensorValue, types: Sequence[ElementType], faults: Faults) -> None:
    if isinstance(tensor.source, Bits):
        faults.report(
            tensor.location,
            "bits belong to one type and each_type repeats the example in others, expected 'value'",
        )
        return
    for element in _elements(tensor):
        number = _whole(element)
        lacking = None if number is None else next((t for t in types if not _has(t, number)), None)
        shown = str(element) if isinstance(element, Fraction) else repr(element)
        if number is None:
            faults.report(
                tensor.location,
                f"element {shown} is not a whole number of 0 or more, expected one: each_type "
                "repeats whole numbers only",
            )
            return
        if lacking is not None:
            faults.report(
                tensor.location,
                f"element {shown} does not exist in every type in which each_type repeats the "
                f"example, expected {_range(lacking)}",
            )
            return


def _elements(tensor: TensorValue) -> Iterable[object]:
    """The distinct elements, in order; none where an oracle computes them."""
    source = tensor.source
    if isinstance(source, Given):
        return dict.fromkeys(source.elements)
    if isinstance(source, Fill):
        return (source.element,)
    if isinstance(source, Formula):
        return dict.fromkeys(source.elements(tensor.size))
    return ()


def _whole(element: object) -> int | None:
    """The element as a whole number of 0 or more; ``None`` where it is none."""
    if not isinstance(element, (bool, int, float, Fraction)):
        return None
    if isinstance(element, float) and element - element != 0:  # infinite or NaN
        return None
    return int(element) if element >= 0 and element == int(element) else None


@functools.cache
def _has(type_: ElementType, number: int) -> bool:
    """Return whether a type has a number; the IEEE 754 formats round it."""
    if type_.is_integer:
        return number <= integer_range(type_)[1]
    if type_ in NARROW or type_ is ElementType.FLOAT8E8M0:
        return narrow_bits(type_, number) is not None
    return True


def _range(type_: ElementType) -> str:
    """The whole numbers of 0 or more that a type has."""
    if type_.is_integer:
        return f"at most {integer_range(type_)[1]} ({type_.value})"
    return f"a number that {type_.value} holds exactly"
