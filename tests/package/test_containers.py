"""Sequences and optionals: computed by NumPy on every backend, in the versions that have them."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import opmill
from opmill import opset13, opset14, opset15, opset16, opset25
from opmill.onnx_backend import OnnxBackend

A = np.arange(3, dtype=np.float32)
B = np.ones((2, 2), np.float32)
TYPES = ("bool", "complex64", "float16", "int8", "uint64", "float64")


@pytest.fixture(params=[None, *opmill.backends()], autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """No choice, and each backend chosen."""
    if request.param is None:
        yield
    else:
        with opmill.use_backend(request.param):
            yield


@pytest.mark.parametrize("operators", [opset14, opset15, opset16, opset25])
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_sequence_gives_new_arrays(operators, kind) -> None:
    given = kind([A, B])
    found = operators.identity(given)
    assert isinstance(found, opmill.TensorSequence)
    assert [array.tolist() for array in found] == [A.tolist(), B.tolist()]
    assert not any(np.may_share_memory(one, other) for one, other in zip(found, given, strict=True))
    assert all(array.dtype == np.float32 for array in found)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_sequence_of_any_type_of_the_schema(dtype: str) -> None:
    (found,) = opset14.identity([np.ones(2, dtype)])
    assert found.dtype == dtype


def test_strings_in_a_sequence() -> None:
    (found,) = opset16.identity([np.array(["a", "b"], object)])
    assert found.tolist() == ["a", "b"]


def test_a_sequence_of_nothing() -> None:
    assert opset14.identity([]) == []


def test_an_optional_without_contents() -> None:
    assert opset16.identity(None) is None


REFUSED = {
    "no sequences yet": (
        lambda: opset13.identity([A]),
        "OpError",
        "Identity-13: input has type list, expected a NumPy array",
    ),
    "no optionals yet": (
        lambda: opset14.identity(None),
        "OpError",
        "Identity-14: input 'input' is absent, expected a value",
    ),
    "two types": (
        lambda: opset14.identity([A, np.ones(1, np.int8)]),
        "TypeConstraintError",
        "Identity-14: input has tensors of types float and int8, expected one type",
    ),
    "numbers": (
        lambda: opset14.identity([1.5]),
        "OpError",
        "Identity-14: input[0] has type float, expected a NumPy array",
    ),
    "out": (
        lambda: opset14.identity([A], out=A),
        "OpError",
        "Identity-14: out is given, expected none where input is seq(tensor(float))",
    ),
    "infer": (
        lambda: opmill.operator("Identity", 14).infer([[A]], {}),
        "OpError",
        "Identity-14: input has type seq(tensor(float)), expected a tensor for infer",
    ),
    "infer of nothing": (
        lambda: opmill.operator("Identity", 16).infer([None], {}),
        "OpError",
        "Identity-16: input has type optional, expected a tensor for infer",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(opmill.OpError) as caught:
        call()
    assert (type(caught.value).__name__, str(caught.value)) == (kind, text)


def test_a_sequence_of_a_type_that_is_not_listed() -> None:
    with pytest.raises(
        opmill.OpError, match=r", expected one of seq\(tensor\(bool\)\), "
    ) as caught:
        opset25.identity([np.ones(1, ml_dtypes.bfloat16)])
    assert type(caught.value).__name__ == "TypeConstraintError"


def test_strings_and_narrow_elements_are_computed_on_every_backend() -> None:
    found = opset25.cast(np.array([1.5, 2], np.float32), to="string")
    assert found.tolist() == ["1.5", "2"]
    assert opset25.cast(A, to="int4").tolist() == [0, 1, 2]


def test_it_is_explained(request: pytest.FixtureRequest) -> None:
    explained = opmill.operator("Identity", 16).explain([[A]], {})
    chosen = request.node.callspec.params["backend"]
    expected = ("numpy", None) if chosen == "numpy" else ("c", "memcpy")
    assert (explained.backend, explained.kernel) == expected


def test_onnx_s_backend_runs_nodes_with_a_sequence() -> None:
    from onnx import helper

    node = helper.make_node("Identity", ["x"], ["y"])
    (found,) = OnnxBackend.run_node(node, [[A, B]])
    assert [array.tolist() for array in found] == [A.tolist(), B.tolist()]
