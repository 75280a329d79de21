"""``opmill.Model``: constants that nodes compute are computed once, within a budget of memory."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

MIB = 1 << 20
X = np.ones(512, np.float32)


def chain(count, elements):
    """As many constants of so many int8 elements, each cast to float and read by the run."""
    nodes, constants = [], []
    for k in range(count):
        values = np.full(elements, k + 1, np.int8)
        constants.append(numpy_helper.from_array(values, f"w{k}"))
        nodes.append(helper.make_node("Cast", [f"w{k}"], [f"f{k}"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Neg", [f"f{k}"], [f"n{k}"]))
        nodes.append(helper.make_node("Add", ["x", f"n{k}"], [f"y{k}"]))
    outputs = [f"y{k}" for k in range(count)]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        constants,
    )
    message = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    message.ir_version = 10
    return message


def computed(model, x):
    """The operators that a run computes, and its outputs."""
    with model.trace() as trace:
        outputs = model.run([x])
    return [one.operator.split("-")[0] for one in trace.nodes], outputs


def test_large_constants_are_computed_once():
    elements = 5 * MIB  # float32 of 20 MiB
    operators, (y,) = computed(opmill.Model(chain(1, elements)), np.zeros(1, np.float32))
    assert operators == ["Add"]
    assert (y == -1).all()
    assert y.shape == (elements,)


def test_the_budget_is_of_all_constants_together():
    # 2 KiB each, and as many for the value in between: of four, three and one half-way.
    message = chain(8, 512)
    for budget, left in ((None, 0), (9 * 2048, 0), (4 * 2048, 9), (2048, 15), (0, 16)):
        options = {} if budget is None else {"max_constant_bytes": budget}
        operators, outputs = computed(opmill.Model(message, **options), X)
        assert operators.count("Add") == 8
        assert len(operators) - 8 == left, budget
        assert [float(y[0]) for y in outputs] == [-k for k in range(8)]


def test_a_run_gives_the_same_with_and_without_constants():
    whole, nothing = opmill.Model(chain(3, 512)), opmill.Model(chain(3, 512), max_constant_bytes=0)
    for one, other in zip(whole.run([X]), nothing.run([X]), strict=True):
        assert one.tobytes() == other.tobytes()
    assert computed(pickle.loads(pickle.dumps(nothing)), X)[0].count("Cast") == 3
    assert computed(copy.deepcopy(nothing), X)[0].count("Cast") == 3


def test_max_bytes_bounds_the_constants_too():
    for options in ({}, {"max_constant_bytes": 1 << 30}):
        model = opmill.Model(chain(8, 512), max_bytes=4 * 2048, **options)
        assert sum(value.nbytes for value in _stored(model).values()) == 4 * 2048


@pytest.mark.parametrize("given", [-1, -(10**30)])
def test_a_negative_budget(given):
    with pytest.raises(ValueError, match=r"^max_constant_bytes is -1.*, expected at least 0$"):
        opmill.Model(chain(1, 4), max_constant_bytes=given)


def test_a_budget_of_another_type():
    with pytest.raises(TypeError, match=r"^max_constant_bytes has type str, expected an integer$"):
        opmill.Model(chain(1, 4), max_constant_bytes="4 GiB")


def test_plans_share_the_constants():
    model = opmill.Model(chain(2, 512))
    model.run([X])
    before = {number: id(value) for number, value in _stored(model).items()}
    assert len(before) == 2
    model.run([X], outputs=["y1"])
    model.run([X], outputs=["y0"])
    assert {number: id(value) for number, value in _stored(model).items()} == before


def _stored(model):
    (stored,) = model._shared.folded.values()
    return stored
