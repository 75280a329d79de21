"""Messages for calls of another form: no list of inputs, no dict, no argument."""

from __future__ import annotations

import copy
import pickle
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import opmill
from opmill import opset13 as op

ROW = np.arange(2, dtype=np.float32).reshape(1, 2)


@pytest.mark.parametrize("backend", opmill.backends())
def test_inputs_that_are_no_list(backend: str) -> None:
    relu = opmill.operator("Relu", 14)
    words = "^Relu-14: inputs has type {}, expected a list of arrays$"
    given: Any
    for ask in (relu, relu.infer, relu.explain):
        for given in (ROW, 3, None, {"X": ROW}):  # the one row of an array is no input
            kind = type(given).__name__
            refused = pytest.raises(opmill.OpError, match=words.format(kind))
            with opmill.use_backend(backend), refused:
                ask(given)


@pytest.mark.parametrize("backend", opmill.backends())
def test_attributes_that_are_no_dict(backend: str) -> None:
    tile = opmill.operator("Tile", 13)
    words = "^Tile-13: attributes has type {}, expected a dict of values by name$"
    given: Any
    with opmill.use_backend(backend):
        for given in (None, [], "axis"):
            kind = type(given).__name__
            with pytest.raises(opmill.AttributeValueError, match=words.format(kind)):
                tile([ROW, [1, 2]], given)
        assert tile((ROW, [1, 2]), MappingProxyType({}))[0].shape == (1, 4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Tile", "13"), "since_version is of type str, expected an integer"),
        (("Tile", 13.0), "since_version is of type float, expected an integer"),
        (("Tile", True), "since_version is of type bool, expected an integer"),
        ((13, "Tile"), "name is of type int, expected a string"),
        ((["Tile"], 13), "name is of type list, expected a string"),
        (("Tile", 13, None), "domain is of type NoneType, expected a string"),
    ],
)
def test_operators_that_are_named_by_other_types(arguments: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"^operator: {words}$"):
        opmill.operator(*arguments)


def test_operators_of_versions_beyond_all_sense() -> None:
    with pytest.raises(opmill.NoOperatorError, match=r"^no Tile-an integer of 16610 bits in ai"):
        opmill.operator("Tile", 10**5000)
    assert opmill.operator("Tile", np.int64(13)) is opmill.operator("Tile", 13)  # type: ignore[arg-type]


class Foreign:
    """An array of another library, on a device that NumPy cannot read."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert device array")


@pytest.mark.parametrize("backend", opmill.backends())
def test_arrays_that_do_not_convert(backend: str) -> None:
    words = (
        "has type .*Foreign, expected one that converts to a NumPy array: "
        "can't convert device array"
    )
    given: Any = Foreign()
    with opmill.use_backend(backend):
        with pytest.raises(opmill.OpError, match=f"^Tile-13: input {words}$") as refused:
            op.tile(given, [1])
        assert isinstance(refused.value.__cause__, TypeError)
        with pytest.raises(opmill.OpError, match=rf"^Concat-13: inputs\[1\] {words}$"):
            op.concat(ROW, given, axis=0)


def test_operators_are_pickled_and_copied() -> None:
    tile = opmill.operator("Tile", 13)
    assert pickle.loads(pickle.dumps(tile)) is tile
    assert copy.copy(tile) is tile
    assert copy.deepcopy({"tile": tile})["tile"] is tile


def test_arguments_that_are_missing() -> None:
    call: Any = op.tile
    with pytest.raises(TypeError, match=r"^tile\(\) missing 1 required .*: 'repeats'$"):
        call(ROW)
    call = op.concat
    with pytest.raises(TypeError, match=r"^concat\(\) missing 1 required .*: 'axis'$"):
        call(ROW)


def test_words_for_calls_of_many_values() -> None:
    x = np.arange(2, dtype=np.float32)
    with pytest.raises(opmill.OpError, match=r"list, expected a NumPy array \(arrays one after"):
        op.concat([x, x], axis=0)
    with pytest.raises(opmill.OpError, match="outputs has type str, expected an integer"):
        op.split(x, outputs="2")
    assert opmill.operator("Relu", 14)([-x])[0].tolist() == [0, 0]
