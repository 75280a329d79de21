"""The checkers of types and defaults, against faults that are planted here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, tensor
from opmill_checks.signature import (
    check_accepts_type,
    check_defaults,
    check_each_type,
    check_refuses_mixture,
    check_refuses_type,
)
from stretch import (
    ONCE,
    Attribute,
    OpError,
    Parameter,
    Schema,
    Stretch,
    TypeConstraintError,
    planted,
    refused,
)

# Types

SMALL = Example(
    name="small numbers",
    inputs={
        "X": tensor("int32", [[0, 1], [2, 3]]),
        "count": tensor("int64", [2]),
        "B": None,
    },
    outputs={"Y": tensor("int32", [[0, 1], [0, 1], [2, 3], [2, 3]])},
    each_type="T",
)
ADDED = Example(
    name="with B",
    inputs={**SMALL.inputs, "B": tensor("int32", 1)},
    outputs={"Y": tensor("int32", [[1, 2], [1, 2], [3, 4], [3, 4]])},
)
TYPES = Schema().types


def of_types(*types: str) -> Any:
    """An operator whose schema lists other types."""
    return planted(schema=replace(Schema(), types=types))


@pytest.mark.parametrize("type", TYPES)
def test_a_right_operator_accepts_its_types(type: str) -> None:
    check_accepts_type(Stretch(), SMALL, "T", type)
    check_each_type(Stretch(), SMALL, type)


def test_an_example_of_each_type_has_the_values_of_the_type() -> None:
    seen = []

    def compute(self: Any, x: Any, *others: Any) -> Any:
        seen.append(x.tolist())
        return Stretch.compute(self, x, *others)

    for type, values in [
        ("bool", [[False, True], [True, True]]),
        ("string", [["0", "1"], ["2", "3"]]),
        ("float", [[0.0, 1.0], [2.0, 3.0]]),
    ]:
        seen.clear()
        check_each_type(planted(compute=compute), SMALL, type)
        assert seen[0] == values


def test_an_example_that_names_no_variable_is_for_one_type() -> None:
    with pytest.raises(ValueError, match="names no type variable"):
        check_each_type(Stretch(), ONCE, "float")


def test_a_type_that_should_be_accepted() -> None:
    refused(
        "does not list tensor\\(double\\) for T",
        check_accepts_type,
        Stretch(),
        SMALL,
        "T",
        "double",
    )

    def check_types(self: Any, given: Any) -> None:
        if self.type(given[0]) == "string":
            raise TypeConstraintError("Stretch-4: no strings")

    operator = planted(check_types=check_types)
    check_accepts_type(operator, SMALL, "T", "float")
    words = "T = string: raised TypeConstraintError: Stretch-4: no strings"
    refused(words, check_accepts_type, operator, SMALL, "T", "string")
    refused("no strings", check_each_type, operator, SMALL, "string")


def test_a_result_that_stays_in_one_type() -> None:
    operator = planted(compute=lambda self, *given: Stretch.compute(self, *given).astype(np.int32))
    check_each_type(operator, SMALL, "int32")
    refused("Y: expected dtype float32", check_each_type, operator, SMALL, "float")
    refused("Y: expected dtype float32", check_accepts_type, operator, SMALL, "T", "float")


@pytest.mark.parametrize("type", ["double", "complex64", "bfloat16", "uint4", "float8e8m0", "int8"])
def test_a_right_operator_refuses_other_types(type: str) -> None:
    check_refuses_type(Stretch(), SMALL, "X", type, TYPES)
    check_refuses_type(Stretch(), ADDED, "X", type, TYPES)
    check_refuses_type(Stretch(), SMALL, "count", type, ["int64"])
    check_refuses_mixture(Stretch(), ADDED, "B", type)


def test_only_a_parameter_of_a_fixed_type_gets_another() -> None:
    inputs = (Parameter("X", "T"), Parameter("low", "tensor(int64)"))
    schema = replace(Schema(), inputs=(*inputs, Parameter("high", "tensor(int64)")))

    def check_types(self: Any, given: Any) -> None:
        for one, name in zip(given[1:], ("low", "high"), strict=True):
            if self.type(one) != "int64":
                words = f"Stretch-4: {name} has type {self.type(one)}, expected int64"
                raise TypeConstraintError(words)

    operator = planted(schema=schema, check_types=check_types)
    one = tensor("int64", [1])
    example = Example("x", {"X": one, "low": one, "high": one}, {"Y": one})
    check_refuses_type(operator, example, "low", "int8", ["int64"])
    check_refuses_type(operator, example, "high", "int8", ["int64"])


def test_every_parameter_of_a_variable_gets_another_type() -> None:
    def check_types(self: Any, given: Any) -> None:
        if given[2] is not None and self.type(given[2]) != self.type(given[0]):
            raise TypeConstraintError("Stretch-4: a mixture")
        Stretch.check_types(self, given)

    check_refuses_type(planted(check_types=check_types), ADDED, "X", "int8", TYPES)


def test_an_absent_input_has_no_type() -> None:
    with pytest.raises(ValueError, match="example 'small numbers' has no B"):
        check_refuses_mixture(Stretch(), SMALL, "B", "float")
    with pytest.raises(ValueError, match="example 'small numbers' has no B"):
        check_refuses_type(Stretch(), SMALL, "B", "double", TYPES)


def test_a_mixture_needs_another_type() -> None:
    with pytest.raises(ValueError, match="int32 is the type of X already"):
        check_refuses_mixture(Stretch(), ADDED, "B", "int32")


def test_strings_are_refused_as_any_other_type() -> None:
    check_refuses_type(of_types("float", "int32"), SMALL, "X", "string", ["float", "int32"])
    check_refuses_type(Stretch(), SMALL, "count", "string", ["int64"])
    check_refuses_mixture(Stretch(), ADDED, "B", "string")


def accepting(*types: str) -> Any:
    """An operator that accepts more than its schema lists."""

    def check_types(self: Any, given: Any) -> None:
        if self.type(given[0]) not in types:
            Stretch.check_types(self, given)

    return planted(check_types=check_types)


def test_a_type_that_should_be_refused() -> None:
    refused("nothing was raised", check_refuses_type, accepting("int8"), SMALL, "X", "int8", TYPES)
    check_refuses_type(accepting("int8"), SMALL, "X", "int16", TYPES)
    refused("nothing was raised", check_refuses_mixture, accepting("int32"), ADDED, "B", "float")

    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        return ()

    operator = planted(infer=infer)
    refused("in infer: .*nothing", check_refuses_type, operator, SMALL, "X", "int8", TYPES)
    refused("in infer: .*nothing", check_refuses_mixture, operator, ADDED, "B", "float")


def saying(change: Callable[[str], str], error: type[Exception] = TypeConstraintError) -> Any:
    """An operator that refuses types in other words, or as another error."""

    def check_types(self: Any, given: Any) -> None:
        try:
            Stretch.check_types(self, given)
        except TypeConstraintError as refusal:
            raise error(change(str(refusal))) from None

    return planted(check_types=check_types)


@pytest.mark.parametrize(
    "operator",
    [
        saying(lambda text: text + " "),
        saying(lambda text: text.replace("expected", "wanted")),
        saying(lambda text: text.replace("int", "i")),
        saying(lambda text: text, OpError),
    ],
)
def test_a_type_refused_otherwise(operator: Any) -> None:
    words = "expected TypeConstraintError: 'Stretch-4: {} has type .*', got"
    refused(words.format("X"), check_refuses_type, operator, SMALL, "X", "int8", TYPES)
    refused(words.format("count"), check_refuses_type, operator, SMALL, "count", "int8", ["int64"])
    refused(words.format("B"), check_refuses_mixture, operator, ADDED, "B", "int8")


def test_a_schema_that_lists_other_types() -> None:
    for types in [(*TYPES, "double"), TYPES[1:], TYPES[::-1]]:
        refused("the schema lists", check_refuses_type, of_types(*types), SMALL, "X", "int8", TYPES)
    words = "the schema lists tensor.int64. for count"
    refused(words, check_refuses_type, Stretch(), SMALL, "count", "int8", ["int32"])


# Defaults

GAIN_2 = Example(
    name="gain 2",
    inputs=SMALL.inputs,
    attributes={"gain": 2},
    outputs={"Y": tensor("int32", [[0, 2], [0, 2], [4, 6], [4, 6]])},
)


def test_right_defaults_pass() -> None:
    check_defaults(Stretch(), SMALL, {"gain": 1})
    check_defaults(Stretch(), GAIN_2, {"gain": 1})


def test_lists_as_defaults() -> None:
    attributes = (Attribute("axes", (0, 1), "INTS"),)
    operator = planted(schema=replace(Schema(), attributes=attributes))
    check_defaults(operator, SMALL, {"axes": [0, 1]})
    for other in ([0, 1, 2], [False, True], [0.0, 1.0], [1, 0]):
        refused("the schema states", check_defaults, operator, SMALL, {"axes": other})


def test_a_default_that_is_ignored() -> None:
    def call(self: Any, inputs: Any, attributes: Any, **keywords: Any) -> Any:
        return Stretch.__call__(self, inputs, {"gain": 2, **attributes}, **keywords)

    operator = planted(__call__=call)
    refused("with gain at the default: Y: 6 of 8", check_defaults, operator, SMALL, {"gain": 1})
    check_defaults(operator, GAIN_2, {"gain": 1})


@pytest.mark.parametrize(
    "attributes",
    [
        (Attribute("gain", 2),),
        (Attribute("gain", 1.0),),
        (Attribute("gain", True),),
        (Attribute("gain", "1"),),
        (Attribute("gain", None),),
        (Attribute("gain", 1), Attribute("axes", [0])),
        (Attribute("Gain", 1),),
        (),
    ],
)
def test_a_schema_that_states_other_defaults(attributes: Any) -> None:
    operator = planted(schema=replace(Schema(), attributes=attributes))
    refused("the schema states the defaults", check_defaults, operator, SMALL, {"gain": 1})


def test_a_default_that_may_not_be_stated() -> None:
    def call(self: Any, inputs: Any, attributes: Any, **keywords: Any) -> Any:
        if "gain" in attributes:
            raise OpError("Stretch-4: attribute 'gain' is unknown, expected step")
        return Stretch.__call__(self, inputs, attributes, **keywords)

    words = "with gain at the default: raised OpError"
    refused(words, check_defaults, planted(__call__=call), SMALL, {"gain": 1})
