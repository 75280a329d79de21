"""Names of variadic inputs and outputs in messages: ``inputs[1]``, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opmill
from opmill import opset13, opset18
from opmill._runtime import rule_support
from opmill._runtime.operator import Operator
from opmill._runtime.schema import Parameter, Schema

ONE = np.ones(1, np.float32)
BOTH = np.arange(2, dtype=np.float32)
DOUBLE = np.ones(1)
TYPES = (
    "one of bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, "
    "int8, string, uint16, uint32, uint64, uint8"
)


def fixed(buffer: np.ndarray) -> np.ndarray:
    buffer.flags.writeable = False
    return buffer


def concat(*inputs: Any) -> Callable[[], object]:
    return lambda: opset13.concat(*inputs, axis=0)


def infer(*inputs: Any) -> Callable[[], object]:
    return lambda: opmill.operator("Concat", 13).infer(inputs, {"axis": 0})


def split(*buffers: Any) -> Callable[[], object]:
    return lambda: opset18.split(BOTH, num_outputs=2, outputs=2, out=list(buffers))


REFUSED = {
    "another type": (
        concat(ONE, ONE, DOUBLE),
        "TypeConstraintError",
        "Concat-13: inputs[2] has type double, expected float (the type of inputs[0])",
    ),
    "another type, strided": (
        concat(DOUBLE, ONE[::-1]),
        "TypeConstraintError",
        "Concat-13: inputs[1] has type float, expected double (the type of inputs[0])",
    ),
    "a type that no tensor has": (
        concat(ONE, np.zeros(1, "M8[s]")),
        "TypeConstraintError",
        f"Concat-13: inputs[1] has type datetime64[s], expected {TYPES}",
    ),
    "objects that are no texts": (
        concat(np.array(["a"]), np.array(["a", 1], object)),
        "TypeConstraintError",
        f"Concat-13: inputs[1] has type object array of int, expected {TYPES}",
    ),
    "no array": (
        concat(ONE, ONE, ONE, 1.5),
        "OpError",
        "Concat-13: inputs[3] has type float, expected a NumPy array",
    ),
    "a list": (
        concat([ONE, ONE]),
        "OpError",
        "Concat-13: inputs[0] has type list, expected a NumPy array (arrays one after the "
        "other, not in a list)",
    ),
    "a mask": (
        concat(ONE, np.ma.masked_array(ONE)),
        "OpError",
        "Concat-13: inputs[1] has type MaskedArray, expected an array without a mask",
    ),
    "none": (
        concat(ONE, None, DOUBLE),
        "OpError",
        "Concat-13: input 'inputs[1]' is absent, expected a value",
    ),
    "another rank": (
        concat(ONE, ONE, np.float32(1)),
        "ShapeError",
        "Concat-13: inputs[2] has rank 0, expected 1 (the rank of inputs[0])",
    ),
    "a described type": (
        infer(ONE, opmill.TensorType("half", (1,), (1,))),
        "TypeConstraintError",
        "Concat-13: inputs[1] has type 'half', expected an element type of ONNX",
    ),
    "a described dim": (
        infer(opmill.TensorType("float", (-1,), (-1,))),
        "OpError",
        "Concat-13: inputs[0].shape[0] is -1, expected 0 to 2^63-1",
    ),
    "out that overlaps": (
        split(BOTH[:1], BOTH[:1]),
        "OpError",
        "Split-18: out for outputs[1] overlaps another output, expected separate memory",
    ),
    "out of another shape": (
        split(ONE.copy(), BOTH.copy()),
        "ShapeError",
        "Split-18: out for outputs[1] has shape [2], expected [1]",
    ),
    "out of another shape, strided": (
        split(np.ones(4, np.float32)[::2], ONE.copy()),
        "ShapeError",
        "Split-18: out for outputs[0] has shape [2], expected [1]",
    ),
    "out of another type": (
        split(ONE.copy(), DOUBLE.copy()),
        "TypeConstraintError",
        "Split-18: out for outputs[1] has type double, expected float",
    ),
    "out that is read-only": (
        split(ONE.copy(), fixed(ONE.copy())),
        "OpError",
        "Split-18: out for outputs[1] is read-only, expected a writeable array",
    ),
    "out that is no array": (
        split(ONE.copy(), [1.0]),
        "OpError",
        "Split-18: out for outputs[1] has type list, expected a NumPy array",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("backend", opmill.backends())
def test_refused(backend: str, case: str) -> None:
    call, kind, text = REFUSED[case]
    with opmill.use_backend(backend), pytest.raises(opmill.OpError) as caught:
        call()
    assert (type(caught.value).__name__, str(caught.value)) == (kind, text)
    assert BOTH.tolist() == [0, 1]


def test_contents_that_a_rule_needs() -> None:
    """No operator looks into a value of a variadic input yet; the names of others stay bare."""

    def rules(
        op: str, first: rule_support.Tensor, more: list[rule_support.Tensor]
    ) -> rule_support.Derived:
        derived = rule_support.Derived()
        derived.output("Y", (len(first.values) + sum(len(one.values) for one in more),))
        return derived

    schema = Schema(
        name="Gather",
        domain="com.example",
        since_version=2,
        support_level="common",
        function=False,
        shape_inference=True,
        deprecated=False,
        determinism="deterministic",
        inputs=(Parameter("first", "T"), Parameter("more", "T", option="variadic")),
        outputs=(Parameter("Y", "T"),),
        type_constraints={"T": ("tensor(int64)",)},
    )
    operator = Operator(schema, rules, lambda *arguments, **plan: None)
    known, unknown = [1, 2], opmill.TensorType("int64", (2,), (2,))
    assert operator.infer([known, known])[0].shape == (4,)
    with pytest.raises(
        opmill.OpError,
        match=r"^Gather-2: value of first is unknown, "
        r"expected a tensor with data$",
    ):
        operator.infer([unknown, known])
    with pytest.raises(
        opmill.OpError,
        match=r"^Gather-2: value of more\[1\] is unknown, "
        r"expected a tensor with data$",
    ):
        operator.infer([known, known, unknown])
    with pytest.raises(opmill.OpError, match=r"^Gather-2: more\[0\] has type ragged list"):
        operator.infer([known, [[1], 2]])
    with pytest.raises(opmill.OpError, match=r"^Gather-2: first has type list of float"):
        operator.infer([[1.5], known])
