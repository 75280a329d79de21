"""The checkers of an operator's signature: types accepted and refused, and attributes' defaults.

The wording of the type errors is written here: the runtime is not asked what it should say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opmill_checks.case import Example, retyped
from opmill_checks.compare import EXACT, Accuracy, assert_matches
from opmill_checks.interface import (
    Operator,
    Oracle,
    array_of,
    first_name,
    label,
    parameter_at,
    positional,
    requested,
    sharing,
)
from opmill_checks.judge import call, during, refusal, watch
from opmill_checks.run import check_example
from opmill_checks.value import Value, dtype_of

MESSAGE_BYTES = 255
"""The most that fits the buffer of a message in C, and so the most in Python."""


def check_each_type(
    operator: Operator,
    example: Example,
    type: str,
    oracle: Oracle | None = None,
    accuracy: Accuracy = EXACT,
    turn: int | None = None,
) -> None:
    """The example holds in another type of the variable that it names in ``each_type``.

    ``turn`` is that of ``check_example``.
    """
    if example.each_type is None:
        raise ValueError(f"example {example.name!r} names no type variable in each_type")
    typed = in_type(operator, example, example.each_type, type)
    check_example(operator, typed, oracle, accuracy, turn)


def check_accepts_type(operator: Operator, example: Example, variable: str, type: str) -> None:
    """The schema lists a type for the variable, and inputs of it give outputs of it."""
    schema = operator.schema
    if f"tensor({type})" not in schema.type_constraints[variable]:
        raise AssertionError(f"the schema does not list tensor({type}) for {variable}")
    example = in_type(operator, example, variable, type)
    inputs = [array_of(value) for value in positional(schema.inputs, example.inputs)]
    expected = positional(schema.outputs, example.outputs)
    count = requested(schema.outputs, expected)
    with during(f"{variable} = {type}"):
        results = call(operator, watch(inputs), example.attributes, count)
        for position, (wanted, result) in enumerate(zip(expected, results, strict=True)):
            if wanted is not None and result.dtype != dtype_of(wanted.type):
                name = parameter_at(schema.outputs, position).name
                raise AssertionError(
                    f"{name}: expected dtype {dtype_of(wanted.type)}, got {result.dtype}"
                )


def check_refuses_type(
    operator: Operator, example: Example, parameter: str, type: str, allowed: Sequence[str]
) -> None:
    """An input of a type that its parameter does not allow is refused with the allowed types.

    Every input that shares the parameter's type variable gets the type, so that nothing else is
    wrong. For the first parameter of a variable; ``check_refuses_mixture`` is for the others.
    """
    if type in allowed:
        raise ValueError(f"{type} is among the allowed types")
    declared = declared_type(operator, example, parameter)
    listed = [f"tensor({name})" for name in allowed]
    constraint = operator.schema.type_constraints.get(declared, [declared])
    stated = [type for type in constraint if type.startswith("tensor(")] or [
        type.removeprefix("optional(").removesuffix(")")
        for type in constraint
        if type.startswith("optional(tensor(")
    ]
    if stated != listed:
        raise AssertionError(
            f"the schema lists {', '.join(stated)} for {parameter}, expected {', '.join(listed)}"
        )
    changed = sharing(operator.schema.inputs, declared)
    if declared in listed:  # a fixed type binds no other parameter
        changed = [parameter]
    inputs = {
        name: blank(value, type) if name in changed else value
        for name, value in example.inputs.items()
    }
    expected = allowed[0] if len(allowed) == 1 else f"one of {', '.join(allowed)}"
    name = first_name(operator.schema.inputs, parameter)
    refuses(operator, example, inputs, f"{name} has type {type}, expected {expected}")


def check_refuses_mixture(operator: Operator, example: Example, parameter: str, type: str) -> None:
    """An input of another type than an earlier one of the same type variable is refused."""
    first = sharing(operator.schema.inputs, declared_type(operator, example, parameter))[0]
    if first == parameter:
        raise ValueError(f"{parameter} is the first parameter of its type variable")
    earlier: Any = example.inputs[first]
    bound = earlier.type
    if bound == type:
        raise ValueError(f"{type} is the type of {first} already")
    inputs = {**example.inputs, parameter: blank(example.inputs[parameter], type)}
    name, binder = (first_name(operator.schema.inputs, one) for one in (parameter, first))
    words = f"{name} has type {type}, expected {bound} (the type of {binder})"
    refuses(operator, example, inputs, words)


def check_defaults(operator: Operator, example: Example, defaults: Mapping[str, Any]) -> None:
    """The schema states these defaults and no others, and stating them changes nothing."""
    schema = operator.schema
    stated = {attribute.name: attribute.default for attribute in schema.attributes}
    stated = {name: comparable(default) for name, default in stated.items() if default is not None}
    wanted = {name: comparable(default) for name, default in defaults.items()}
    if stated != wanted:
        raise AssertionError(f"the schema states the defaults {stated}, expected {wanted}")
    inputs = [array_of(value) for value in positional(schema.inputs, example.inputs)]
    count = requested(schema.outputs, positional(schema.outputs, example.outputs))
    usual = call(operator, watch(inputs), example.attributes, count)
    left_out = {name: value for name, value in defaults.items() if name not in example.attributes}
    for added in [left_out, *({name: value} for name, value in left_out.items())]:
        with during(f"with {', '.join(added)} at the default"):
            results = call(operator, watch(inputs), {**example.attributes, **added}, count)
            for position, (first, result) in enumerate(zip(usual, results, strict=True)):
                name = parameter_at(schema.outputs, position).name
                pairs = zip(first, result, strict=True) if isinstance(first, list) else ()
                for one, other in pairs or ((first, result),):
                    assert_matches(Value.from_array(one), other, what=name)


def in_type(operator: Operator, example: Example, variable: str, type: str) -> Example:
    """The example with a type variable bound to a type, and those that stand for the same one."""
    schema = operator.schema
    formals = (*schema.inputs, *schema.outputs)
    variables = [variable, *held_by(schema, variable, every=example.holds_others)]
    return retyped(example, [name for one in variables for name in sharing(formals, one)], type)


def held_by(schema: Any, variable: str, *, every: bool) -> list[str]:
    """The variables for sequences or optionals of a variable's tensors, or for their contents.

    Args:
        schema: the operator version.
        variable: the variable.
        every: whether to take all with the same element types, not only those of outputs that
            take their type from it.
    """
    elements = {
        name: {re.sub(r".*tensor\((\w+)\)+", r"\1", word) for word in words}
        for name, words in schema.type_constraints.items()
    }
    taken = {
        formal.type
        for formal in schema.outputs
        if getattr(formal, "type_from", ())
        and formal.type_from[0].variable == variable
        and formal.type_from[0].fixed is None
    }
    return [
        other
        for other, words in elements.items()
        if other != variable and words == elements[variable] and (every or other in taken)
    ]


def declared_type(operator: Operator, example: Example, parameter: str) -> str:
    """The type variable or fixed type of an input, which the example must have."""
    if example.inputs.get(parameter) is None:
        raise ValueError(f"example {example.name!r} has no {parameter}")
    return next(str(formal.type) for formal in operator.schema.inputs if formal.name == parameter)


def refuses(operator: Operator, example: Example, inputs: Mapping[str, Any], words: str) -> None:
    """The operator and its ``infer`` refuse the types of these inputs in these words.

    A long list of types is cut: a whole message has ``MESSAGE_BYTES`` at most.
    """
    arrays = [array_of(value) for value in positional(operator.schema.inputs, inputs)]
    message = f"{label(operator)}: {words}"[:MESSAGE_BYTES]
    with refusal("TypeConstraintError", message):
        call(operator, watch(arrays), example.attributes, None)
    with during("in infer"), refusal("TypeConstraintError", message):
        operator.infer(arrays, example.attributes)


def blank(value: Any, type: str) -> Any:
    """Tensors of the same shapes in another type, with no particular elements."""
    if value is None:
        return None
    if not isinstance(value, Value):
        return [blank(part, type) for part in value]
    array = np.zeros(value.shape, dtype_of(type))
    if type == "string":
        array[...] = ""
    return Value.from_array(array)


def comparable(default: Any) -> Any:
    """A default that is equal only to one of the same type: 1 is neither 1.0 nor True."""
    if isinstance(default, (list, tuple)):
        return [comparable(part) for part in default]
    return type(default).__name__, default
