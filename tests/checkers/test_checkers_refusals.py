"""Checks of ``infer`` and of rejects, against faults that are planted here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Reject, tensor
from opmill_checks.run import check_example, check_reject
from stretch import (
    TWICE,
    OpError,
    ShapeError,
    Stretch,
    planted,
    refused,
)

NEGATIVE = Reject(
    name="negative",
    inputs={"X": tensor("float", [1, 2]), "count": tensor("int64", [-1])},
    raises="ShapeError",
    error="count[0] = -1 is negative",
)
TOO_FEW = Reject(
    name="too few",
    inputs=[tensor("float", [1, 2])],
    raises="OpError",
    error="number of inputs is 1, expected 2 to 3",
)


# infer


def inferring(
    change: Callable[[Any], Any], when: Callable[[Any], bool] = lambda inputs: True
) -> Any:
    """An ``infer`` that tells something else, for some inputs."""

    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        results = Stretch.infer(self, inputs, attributes, outputs)
        if when(inputs):
            change(results[0])
        return results

    return infer


def without_x(inputs: Any) -> bool:
    return not isinstance(inputs[0], np.ndarray)


def lying_without_arrays(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
    """Right where it is given any array; else it takes the count to be 3 and does not ask."""
    if any(isinstance(one, np.ndarray) for one in inputs):
        return Stretch.infer(self, inputs, attributes, outputs)
    return Stretch.infer(self, [inputs[0], np.array([3])], attributes, outputs)


def asking_for(name: str, error: type[Exception] = OpError) -> Any:
    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        if without_x(inputs):
            raise error(f"Stretch-4: value of {name} is unknown, expected a tensor with data")
        return Stretch.infer(self, inputs, attributes, outputs)

    return infer


@pytest.mark.parametrize(
    ("infer", "words"),
    [
        (
            inferring(lambda y: setattr(y, "type", "double")),
            r"Y: expected float \[4, 2\], got double",
        ),
        (
            inferring(lambda y: setattr(y, "shape", (2, 4))),
            r"expected float \[4, 2\], got float \[2, 4\]",
        ),
        (inferring(lambda y: setattr(y, "shape", (4,))), r"got float \[4\]"),
        (lambda self, *arguments: (), r"infer: expected a tuple of 1, got \(\)"),
        (
            inferring(lambda y: setattr(y, "shape", (9,)), without_x),
            r"infer without the value of input 0: infer: Y: expected .*, got float \[9\]",
        ),
        (lambda self, *given: list(Stretch.infer(self, *given)), "expected a tuple of 1, got"),
        (lying_without_arrays, r"^infer from types and shapes: infer: Y: .* got float \[6, 2\]"),
        (asking_for("count"), "infer without the value of input 0: raised OpError: .* of count"),
        (asking_for("Z"), "infer without the value of input 0: raised OpError: .* value of Z"),
        (asking_for("X", ShapeError), "infer without the value of input 0: raised ShapeError"),
        (asking_for("X, sadly"), "infer without the value of input 0: raised OpError"),
    ],
)
def test_a_lying_infer_is_refused(infer: Any, words: str) -> None:
    refused(words, check_example, planted(infer=infer), TWICE)


def test_infer_may_ask_for_a_value() -> None:
    check_example(planted(infer=asking_for("X")), TWICE)


def test_infer_must_read_every_layout() -> None:
    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        inputs = [
            one.view(one.dtype.newbyteorder("=")) if isinstance(one, np.ndarray) else one
            for one in inputs
        ]
        return Stretch.infer(self, inputs, attributes, outputs)

    refused("with byte-swapped inputs: infer: Y: ", check_example, planted(infer=infer), TWICE)


def test_infer_must_not_write() -> None:
    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        results = Stretch.infer(self, inputs, attributes, outputs)
        if isinstance(inputs[0], np.ndarray) and inputs[0].flags.writeable:
            inputs[0][-1] = 0
        return results

    words = "with plain inputs: input X: its memory was written to"
    refused(words, check_example, planted(infer=infer), TWICE)


# Rejects


@pytest.mark.parametrize("reject", [NEGATIVE, TOO_FEW], ids=lambda reject: reject.name)
def test_a_right_refusal_passes(reject: Reject) -> None:
    check_reject(Stretch(), reject)


class UnrelatedError(Exception):
    """Has the name of the right class, and is another."""


UnrelatedError.__name__ = "ShapeError"


def raising(error: type[Exception], text: str) -> Any:
    def check(self: Any, x: Any, count: Any, b: Any) -> None:
        raise error(text)

    return check


TEXT = "Stretch-4: count[0] = -1 is negative"


def test_the_right_words_pass() -> None:
    check_reject(planted(check=raising(ShapeError, TEXT)), NEGATIVE)


@pytest.mark.parametrize(
    "check",
    [
        raising(ShapeError, TEXT + "."),
        raising(ShapeError, TEXT.replace("-1", "-2")),
        raising(ShapeError, TEXT.replace("-4", "-5")),
        raising(ShapeError, TEXT.replace("Stretch-4: ", "")),
        raising(ShapeError, TEXT.replace("c", "C")),
        raising(OpError, TEXT),
        raising(ValueError, TEXT),
        raising(type("ShapeError", (ShapeError,), {"__name__": "Other"}), TEXT + " "),
        raising(UnrelatedError, TEXT),
    ],
)
def test_another_refusal_is_refused(check: Any) -> None:
    words = "^without out=: expected ShapeError: 'Stretch-4: count.*', got "
    refused(words, check_reject, planted(check=check), NEGATIVE)


def test_no_refusal_is_refused() -> None:
    operator = planted(
        check=lambda self, *given: None, compute=lambda self, x, count, b, gain: x.copy()
    )
    refused("without out=: .* and nothing was raised", check_reject, operator, NEGATIVE)


def test_infer_must_refuse_too() -> None:
    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        return ()

    refused("in infer: .* and nothing was raised", check_reject, planted(infer=infer), NEGATIVE)
    infer = raising(ShapeError, TEXT + "!")
    refused("in infer: expected ShapeError", check_reject, planted(infer=infer), NEGATIVE)


def test_a_refusal_writes_nowhere() -> None:
    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        if out is not None:
            out[0][-1] = 1
        return Stretch.__call__(self, inputs, attributes)

    refused("although the call was refused", check_reject, planted(__call__=call), NEGATIVE)


@pytest.mark.parametrize("where", ["without out=", "in infer", "with out="])
def test_a_refusal_does_not_change_an_input(where: str) -> None:
    def spoil(inputs: Any, place: str) -> None:
        if place == where:
            inputs[0][0] += 1

    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        spoil(inputs, "without out=" if out is None else "with out=")
        return Stretch.__call__(self, inputs, attributes)

    def infer(self: Any, inputs: Any, attributes: Any, outputs: Any = None) -> Any:
        spoil(inputs, "in infer")
        return Stretch.infer(self, inputs, attributes, outputs)

    words = f"^{where}: input X: its memory was written to"
    refused(words, check_reject, planted(__call__=call, infer=infer), NEGATIVE)


def test_no_refusal_with_a_buffer_is_not_enough() -> None:
    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        if out is not None:
            return (out[0],)
        return Stretch.__call__(self, inputs, attributes)

    refused("with out=: .*nothing was raised", check_reject, planted(__call__=call), NEGATIVE)
