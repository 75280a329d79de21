"""What a user is told whose call has another form: no list of inputs, no dict, no argument."""

from __future__ import annotations

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
    words = "^Relu-14: the inputs must be a list of arrays, got {}$"
    given: Any
    for ask in (relu, relu.infer, relu.explain):
        for given in (ROW, 3, None, {"X": ROW}):  # the one row of an array is no input
            kind = type(given).__name__
            told = pytest.raises(opmill.OpError, match=words.format(kind))
            with opmill.use_backend(backend), told:
                ask(given)


@pytest.mark.parametrize("backend", opmill.backends())
def test_attributes_that_are_no_dict(backend: str) -> None:
    tile = opmill.operator("Tile", 13)
    words = "^Tile-13: the attributes must be a dict of them by name, got {}$"
    given: Any
    with opmill.use_backend(backend):
        for given in (None, [], "axis"):
            kind = type(given).__name__
            with pytest.raises(opmill.AttributeValueError, match=words.format(kind)):
                tile([ROW, [1, 2]], given)
        assert tile((ROW, [1, 2]), MappingProxyType({}))[0].shape == (1, 4)


def test_arguments_that_are_missing() -> None:
    call: Any = op.tile
    with pytest.raises(TypeError, match=r"^tile\(\) missing 1 required .*: 'repeats'$"):
        call(ROW)
    call = op.concat
    with pytest.raises(TypeError, match=r"^concat\(\) missing 1 required .*: 'axis'$"):
        call(ROW)


def test_words_for_calls_of_many_values() -> None:
    x = np.arange(2, dtype=np.float32)
    with pytest.raises(opmill.OpError, match="got list; give the arrays one after the other"):
        op.concat([x, x], axis=0)
    with pytest.raises(opmill.OpError, match="outputs must be an integer, got str"):
        op.split(x, outputs="2")
    assert opmill.operator("Relu", 14)([-x])[0].tolist() == [0, 0]
