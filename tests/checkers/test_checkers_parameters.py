"""The checkers with parameters that are variadic or optional, on two more invented operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, Reject, tensor
from opmill_checks.run import check_example, check_reject
from opmill_checks.signature import (
    check_accepts_type,
    check_each_type,
    check_refuses_mixture,
    check_refuses_type,
)
from opmill_checks.value import Value, type_of
from stretch import (
    Described,
    OpError,
    Parameter,
    Schema,
    TypeConstraintError,
    native,
    refused,
)


class Turn:
    """Turn-2 gives its inputs, of which there may be any number, back in reverse order."""

    schema = Schema(
        "Turn", 2, (Parameter("Xs", "T", "variadic"),), (Parameter("Ys", "T", "variadic"),), ()
    )

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> tuple[Any, ...]:
        self.check(inputs, outputs)
        results = [native(one).copy() for one in inputs[::-1]]
        if out is None:
            return tuple(results)
        for buffer, result in zip(out, results, strict=True):
            buffer[...] = result
        return tuple(out)

    def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
        self.check(inputs, outputs)
        return tuple(Described(self.type(one), one.shape) for one in inputs[::-1])

    def type(self, one: Any) -> str:
        return one.type if hasattr(one, "type") else type_of(native(one).dtype)

    def check(self, inputs: Any, outputs: Any) -> None:
        types = [self.type(one) for one in inputs]
        for type in types:
            if types[0] not in self.schema.types:
                allowed = ", ".join(self.schema.types)
                raise TypeConstraintError(
                    f"Turn-2: Xs[0] has type {types[0]}, expected one of {allowed}"
                )
            if type != types[0]:
                raise TypeConstraintError(f"Turn-2: Xs has type {type}, expected {types[0]}")
        if outputs is None:
            raise OpError("Turn-2: say how many outputs")
        if outputs != len(inputs):
            raise OpError(f"Turn-2: number of outputs is {outputs}, expected {len(inputs)}")


class Ends:
    """Ends-1 gives the first, the middle and the last element; all but the first on request."""

    schema = Schema(
        "Ends",
        1,
        (Parameter("X", "T"),),
        (
            Parameter("first", "T"),
            Parameter("middle", "T", "optional"),
            Parameter("last", "T", "optional"),
        ),
        (),
    )

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> tuple[Any, ...]:
        (x,) = inputs
        x = native(x)
        results = [np.array(x[k], x.dtype) for k in (0, len(x) // 2, -1)][: outputs or 1]
        if out is None:
            return tuple(results)
        for buffer, result in zip(out, results, strict=True):
            buffer[...] = result
        return tuple(out)

    def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
        (x,) = inputs
        type = x.type if hasattr(x, "type") else type_of(native(x).dtype)
        return (Described(type, ()),) * (outputs or 1)


class Total:
    """Total-3 adds its inputs, of which the second and the third may be absent."""

    schema = Schema(
        "Total",
        3,
        (Parameter("A", "T"), Parameter("B", "T", "optional"), Parameter("C", "T", "optional")),
        (Parameter("Y", "T"),),
        (),
    )

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> tuple[Any, ...]:
        y = sum(native(one).copy() for one in inputs if one is not None)
        if out is None:
            return (y,)
        out[0][...] = y
        return (out[0],)

    def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
        return (Described("int32", inputs[0].shape),)


TURNED = Example(
    name="turned",
    inputs={"Xs": [tensor("int32", [1, 2]), tensor("int32", 3)]},
    outputs={"Ys": [tensor("int32", 3), tensor("int32", [1, 2])]},
    each_type="T",
)
NOTHING = Example(name="nothing", inputs={"Xs": []}, outputs={"Ys": []})


def turned(inputs: Any, attributes: Any) -> dict[str, Any]:
    return {"Ys": inputs["Xs"][::-1]}


def ends(*names: str) -> Example:
    elements = {"first": 4, "middle": 5, "last": 6}
    outputs = {name: tensor("int32", elements[name]) for name in names}
    return Example("ends", {"X": tensor("int32", [4, 5, 6])}, outputs)


def test_right_operators_pass() -> None:
    check_example(Turn(), TURNED)
    check_example(Turn(), TURNED, turned)
    check_example(Turn(), NOTHING)
    check_example(Turn(), Example("absent", {"Xs": None}, {"Ys": []}))
    check_each_type(Turn(), TURNED, "string", turned)
    check_refuses_type(Turn(), TURNED, "Xs", "double", Turn.schema.types)
    one = tensor("int32", [1])
    check_example(Total(), Example("A", {"A": one}, {"Y": one}))
    check_example(Total(), Example("A, C", {"A": one, "C": one}, {"Y": tensor("int32", [2])}))
    for names in [("first",), ("first", "middle"), ("first", "middle", "last"), ("first", "last")]:
        check_example(Ends(), ends(*names))


def test_one_of_several_results() -> None:
    class Wrong(Turn):
        def __call__(self, inputs: Any, attributes: Any, **keywords: Any) -> tuple[Any, ...]:
            results = super().__call__(inputs, attributes, **keywords)
            results[1][0] = 9
            return results

    refused("Ys: 1 of 2 elements differ", check_example, Wrong(), TURNED)


def test_a_result_that_was_not_asked_for() -> None:
    class Generous(Ends):
        def __call__(self, inputs: Any, attributes: Any, **keywords: Any) -> tuple[Any, ...]:
            return super().__call__(inputs, attributes, **{**keywords, "outputs": 3})

    check_example(Generous(), ends("first", "middle", "last"))
    refused("expected a tuple of 2 results", check_example, Generous(), ends("first", "middle"))


def test_a_wrong_result_after_one_that_is_not_named() -> None:
    outputs = {"first": tensor("int32", 4), "last": tensor("int32", 7)}
    wrong = Example("x", ends("first").inputs, outputs)
    refused("last: 1 of 1 elements differ", check_example, Ends(), wrong)


def test_outputs_that_are_not_named() -> None:
    def oracle(inputs: Any, attributes: Any) -> dict[str, Any]:
        return dict(ends("first", "middle", "last").outputs)

    check_example(Ends(), ends("first", "last"), oracle)
    check_accepts_type(Ends(), ends("first", "last"), "T", "float")


def test_infer_of_several() -> None:
    class Lying(Turn):
        def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
            return super().infer(inputs, attributes, outputs)[::-1]

    refused(r"infer: Ys: expected int32 \[\], got int32 \[2\]", check_example, Lying(), TURNED)


def test_infer_may_ask_for_the_value_of_one_of_several() -> None:
    class Asking(Turn):
        word = "[1]"

        def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
            if not isinstance(inputs[1], np.ndarray):
                raise OpError(
                    f"Turn-2: value of Xs{self.word} is unknown, expected a tensor with data"
                )
            return super().infer(inputs, attributes, outputs)

    operator = Asking()
    check_example(operator, TURNED)
    for operator.word in ("", "[x]", "[0]", "[9]"):
        refused(
            "raised OpError: Turn-2: value of Xs",
            check_example,
            operator,
            TURNED,
        )


def test_inputs_of_a_reject_in_a_row() -> None:
    class Picky(Turn):
        def check(self, inputs: Any, outputs: Any) -> None:
            raise OpError(f"Turn-2: got {len(inputs)}, the second is {inputs[1] is None}")

    x = tensor("int32", 1)
    check_reject(Picky(), Reject("list", [x, None, x], "OpError", "got 3, the second is True"))
    reject = Reject("mapping", {"Xs": [x, x]}, "OpError", "got 2, the second is False")
    check_reject(Picky(), reject)


def test_how_an_operator_is_asked() -> None:
    seen: list[Any] = []

    class Asked(Total):
        def __call__(self, inputs: Any, attributes: Any, **keywords: Any) -> tuple[Any, ...]:
            seen.append((attributes, keywords["outputs"]))
            return super().__call__(inputs, attributes, **keywords)

    one, axes = tensor("int32", [1]), (1, 2)
    attributes = {"axes": axes, "value": one, "words": ["a"]}
    check_example(Asked(), Example("A", {"A": one}, {"Y": one}, attributes))
    given, outputs = seen[0]
    assert outputs is None
    assert given["axes"] == [1, 2]
    assert given["words"] == ["a"]
    assert given["words"] is not attributes["words"]
    assert np.array_equal(given["value"], np.array([1]))
    assert given["value"].dtype == np.int32


def test_a_name_that_the_schema_lacks() -> None:
    wrong = Example("x", {"Zs": [tensor("int32", 1)]}, {"Ys": [tensor("int32", 1)]})
    with pytest.raises(ValueError, match="the schema has no Zs"):
        check_example(Turn(), wrong)
    wrong = Example("x", {"Xs": [tensor("int32", 1)]}, {"Zs": [tensor("int32", 1)]})
    with pytest.raises(ValueError, match="the schema has no Zs"):
        check_example(Turn(), wrong)


def test_the_first_parameter_of_a_variable_has_nothing_to_differ_from() -> None:
    with pytest.raises(ValueError, match="Xs is the first parameter"):
        check_refuses_mixture(Turn(), TURNED, "Xs", "float")


def test_an_allowed_type_is_not_refused() -> None:
    with pytest.raises(ValueError, match="bool is among the allowed types"):
        check_refuses_type(Turn(), TURNED, "Xs", "bool", Turn.schema.types)


def test_values_are_what_they_say() -> None:
    with pytest.raises(ValueError, match="'float32' is not an element type"):
        Value("float32", (), (1.0,))
