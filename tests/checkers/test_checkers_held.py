"""The checker of examples with sequences and optionals refuses each fault that is planted here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import opmill
from opmill_checks.case import Example, Reject, for_each_type, no_contents, sequence, tensor
from opmill_checks.interface import Operator
from opmill_checks.run import check_example, check_reject
from opmill_checks.signature import check_each_type

TWO = (tensor("float", [[1, 2]]), tensor("float", [3]))
SEQUENCE = Example("two", {"input": sequence(*TWO)}, {"output": sequence(*TWO)}, each_type="V")
EMPTY = Example("empty", {"input": sequence()}, {"output": sequence()})
NOTHING = Example("nothing", {"input": no_contents()}, {"output": no_contents()})
EXAMPLES = (SEQUENCE, EMPTY, NOTHING)
RIGHT = opmill.operator("Identity", 16)


class Planted:
    """Identity-16 with a fault: its results are changed, or its refusals."""

    schema = RIGHT.schema

    def __init__(
        self,
        change: Callable[[Any, Any], Any] = lambda given, result: result,
        out: Callable[..., Any] | None = None,
        infer: Callable[..., Any] | None = None,
    ) -> None:
        self._change = change
        self._out = out
        self._infer = infer

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        if out is not None and self._out is not None:
            return self._out()
        return (self._change(inputs[0], RIGHT(inputs, attributes, out=out, outputs=outputs)[0]),)

    def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        return (self._infer or RIGHT.infer)(inputs, attributes, outputs)


def oracle(inputs: Any, attributes: Any) -> Any:
    return {"output": inputs["input"]}


@pytest.fixture(autouse=True, params=opmill.backends())
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with opmill.use_backend(request.param):
        yield


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_the_right_operator_passes(example):
    check_example(RIGHT, example, oracle)
    check_example(Planted(), example, oracle)


def test_it_is_repeated_for_the_types_of_sequences():
    types = {"V": ("float", "bfloat16"), "seq(V)": ("int8", "string")}
    pairs = for_each_type([SEQUENCE], types)
    assert [type for _, type in pairs] == ["int8", "string"]
    for example, type in pairs:
        check_each_type(RIGHT, example, type, oracle)


def test_a_reject_may_hold_a_sequence():
    mixed = sequence(tensor("float", [1]), tensor("int8", [1]))
    words = "input has tensors of types float and int8, expected one type"
    check_reject(RIGHT, Reject("mixed", {"input": mixed}, "TypeConstraintError", words))
    with pytest.raises(AssertionError, match="nothing was raised"):
        check_reject(Planted(), Reject("none", {"input": sequence(*TWO)}, "OpError", "no"))


FAULTS: dict[str, tuple[Operator, str]] = {
    "hands on its input": (Planted(lambda given, result: given), "shares memory with an input"),
    "a tuple": (Planted(lambda given, result: tuple(result)), "expected a list of 2"),
    "one too few": (Planted(lambda given, result: result[:1]), "expected a list of 2"),
    "nothing": (Planted(lambda given, result: None), "expected a list of 2"),
    "another element": (
        Planted(lambda given, result: [result[0], result[1] + np.float32(1)]),
        "element 1 of output: 1 of 1 elements differ",
    ),
    "another shape": (
        Planted(lambda given, result: [result[0][0], result[1]]),
        "element 0 of output: expected shape [1, 2], got [2]",
    ),
    "takes from the list": (
        Planted(lambda given, result: (given.pop(), result)[1]),
        "input input: the list was changed",
    ),
    "writes to an input": (
        Planted(lambda given, result: (given[0].fill(7), result)[1]),
        "input input, element 0: its memory was written to",
    ),
    "takes out": (Planted(out=lambda: (None,)), "with out=: expected OpError"),
    "infers": (Planted(infer=lambda *given: ()), "in infer: expected OpError"),
}


def refused(operator: Operator, example: Example, words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_example(operator, example, oracle)
    assert words in str(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault):
    refused(FAULTS[fault][0], SEQUENCE, FAULTS[fault][1])


def test_contents_where_there_are_none_are_noticed():
    refused(Planted(lambda given, result: []), NOTHING, "output: expected None, got []")


def test_an_oracle_that_differs_is_noticed():
    other = {"output": sequence(TWO[0], TWO[0])}
    with pytest.raises(AssertionError, match="the oracle against the table: element 1 of output"):
        check_example(RIGHT, SEQUENCE, lambda inputs, attributes: other)
