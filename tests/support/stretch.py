"""An invented operator, right in every respect, for the tests of the checkers to spoil.

Stretch-4 repeats each row of X as often as ``count`` says, and multiplies by ``gain`` and adds the
optional B where they are given: X [[1, 2]], count [2], gain 3, B 1 gives [[4, 7], [4, 7]].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, bits, tensor
from opmill_checks.value import type_of


class OpError(ValueError):
    """Stands for the runtime's error of this name, as do those below."""


class TypeConstraintError(OpError):
    pass


class ShapeError(OpError):
    pass


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str
    option: str = "single"


@dataclass(frozen=True)
class Attribute:
    name: str
    default: Any
    kind: str = "INT"
    required: bool = False


@dataclass(frozen=True)
class Schema:
    name: str = "Stretch"
    since_version: int = 4
    inputs: tuple[Parameter, ...] = (
        Parameter("X", "T"),
        Parameter("count", "tensor(int64)"),
        Parameter("B", "T", "optional"),
    )
    outputs: tuple[Parameter, ...] = (Parameter("Y", "T"),)
    attributes: tuple[Attribute, ...] = (Attribute("gain", 1), Attribute("axes", None, "INTS"))
    types: tuple[str, ...] = ("bool", "float", "int32", "string")

    @property
    def type_constraints(self) -> dict[str, tuple[str, ...]]:
        return {"T": tuple(f"tensor({type})" for type in self.types)}


@dataclass
class Described:
    type: str
    shape: tuple[int, ...]


def native(array: Any) -> Any:
    """The array in native byte order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


class Stretch:
    """The operator. Each step is a method, so that a test can replace one."""

    schema: Any = Schema()

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> tuple[Any, ...]:
        x, count, b = self.read(inputs)
        self.check(x, count, b)
        return self.deliver(self.compute(x, int(count[0]), b, attributes.get("gain", 1)), out)

    def infer(self, inputs: Any, attributes: Any, outputs: Any = None) -> tuple[Any, ...]:
        x, count, b = [*inputs, None, None, None][:3]
        if isinstance(count, np.ndarray):
            self.check(x, self.native(count), b)
        self.check_types([x, count, b])
        if not isinstance(count, np.ndarray):
            raise OpError("Stretch-4: value of count is unknown, expected a tensor with data")
        return (Described(self.type(x), (x.shape[0] * int(count[0]), *x.shape[1:])),)

    def read(self, inputs: Any) -> list[Any]:
        return [
            None if one is None else self.native(one) for one in [*inputs, None, None, None][:3]
        ]

    def native(self, array: Any) -> Any:
        return native(array)

    def type(self, given: Any) -> str:
        return (
            type_of(self.native(given).dtype) if isinstance(given, np.ndarray) else str(given.type)
        )

    def check(self, x: Any, count: Any, b: Any) -> None:
        self.check_types([x, count, b])
        if count[0] < 0:
            raise ShapeError(f"Stretch-4: count[0] = {count[0]} is negative")

    def check_types(self, given: Any) -> None:
        x, count, b = given
        if x is None or count is None:
            raise OpError("Stretch-4: number of inputs is 1, expected 2 to 3")
        types = self.schema.types
        if self.type(x) not in types:
            allowed = ", ".join(types)
            raise TypeConstraintError(
                f"Stretch-4: X has type {self.type(x)}, expected one of {allowed}"
            )
        if self.type(count) != "int64":
            raise TypeConstraintError(
                f"Stretch-4: count has type {self.type(count)}, expected int64"
            )
        if b is not None and self.type(b) != self.type(x):
            raise TypeConstraintError(
                f"Stretch-4: B has type {self.type(b)}, expected {self.type(x)} (the type of X)"
            )

    def compute(self, x: Any, count: int, b: Any, gain: int) -> Any:
        y = np.repeat(x, count, axis=0)
        if gain != 1:
            y = (y * gain).astype(x.dtype)
        if b is not None:
            y = (y + b).astype(x.dtype)
        return np.ascontiguousarray(y)

    def deliver(self, y: Any, out: Any) -> tuple[Any, ...]:
        if out is None:
            return (y,)
        out[0][...] = y
        return (out[0],)


def planted(**methods: Any) -> Stretch:
    """The operator with some of its methods replaced."""
    return type("Planted", (Stretch,), methods)()


def refused(words: str, check: Callable[..., None], *arguments: Any) -> None:
    """The check fails, saying this."""
    with pytest.raises(AssertionError, match=words):
        check(*arguments)


TWICE = Example(
    name="twice",
    inputs={
        "X": bits("float", [[0x3F800000, 0x80000000], [0x7F800001, 0x40A00000]]),  # 1 -0, sNaN 5
        "count": tensor("int64", [2]),
    },
    outputs={
        "Y": bits(
            "float",
            [
                [0x3F800000, 0x80000000],
                [0x3F800000, 0x80000000],
                [0x7F800001, 0x40A00000],
                [0x7F800001, 0x40A00000],
            ],
        )
    },
)
ONCE = Example(
    name="once",
    inputs={"X": tensor("float", [[1, 2], [3, 4]]), "count": tensor("int64", [1])},
    outputs={"Y": tensor("float", [[1, 2], [3, 4]])},
)
