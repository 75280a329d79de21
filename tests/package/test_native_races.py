"""Lists and dicts that change during a call: by another thread, or by code that NumPy runs."""

import threading

import numpy as np
import pytest

import opmill
from native_calls import needs_c, python
from opmill.concat import v13 as concat13
from opmill.split import v13 as split13

# Copying the strided input releases the GIL: the other thread, which waits for it, runs then. With
# this interval it runs no sooner.
CALLS = """
import sys, threading, numpy as np, opmill
sys.setswitchinterval(60)
concat, split = opmill.operator("Concat", 13), opmill.operator("Split", 13)
strided = np.zeros((4000, 8000), np.int8)[:, ::2]
shapes = set()
for _ in range(10):
    inputs, attributes = {inputs}, {{"axis": 1}}
    outputs = [np.empty((4000, 2000), np.int8), np.empty((4000, 2000), np.int8)]
    begin = threading.Event()
    def change():
        begin.wait()
        {changed}.clear()
    other = threading.Thread(target=change)
    other.start()
    begin.set()
    shapes.add(str([one.shape for one in {call}]))
    other.join()
print(shapes)
"""
CONCAT = "concat(inputs, attributes)"
SPLIT = "split(inputs, attributes, out=outputs, outputs=2)"


@needs_c
@pytest.mark.parametrize("changed", ["inputs", "attributes"])
def test_inputs_and_attributes_are_those_at_the_begin_of_a_call(changed):
    pair = "[strided, np.ones((4000, 1), np.int8)]"
    code = CALLS.format(inputs=pair, changed=changed, call=CONCAT)
    assert python(code) == "{'[(4000, 4001)]'}"


@needs_c
def test_outputs_are_those_at_the_begin_of_a_call():
    code = CALLS.format(inputs="[strided]", changed="outputs", call=SPLIT)
    assert python(code) == "{'[(4000, 2000), (4000, 2000)]'}"


class Emptying(np.ndarray):
    """An array whose copies empty a list."""

    victim: list | dict | None = None

    def __array_finalize__(self, source):
        if Emptying.victim is not None:
            Emptying.victim.clear()


@pytest.fixture
def emptying():
    yield np.zeros((4, 8), np.int8)[:, ::2].view(Emptying)
    Emptying.victim = None


@needs_c
def test_copies_that_run_python_code_leave_a_call_as_it_was(emptying):
    ones = np.ones((4, 1), np.int8)
    for victim in (0, 1, 2):
        out = np.zeros((4, 5), np.int8)
        arguments = [emptying, ones], {"axis": 1}, [out]
        Emptying.victim = arguments[victim]
        assert concat13.OPERATOR._kernel.run(*arguments)
        assert arguments[victim] == type(arguments[victim])()
        assert out[:, 4].tolist() == [1, 1, 1, 1]
        Emptying.victim = None


class Emptied:
    """An object that empties a list while it is converted to an array."""

    def __init__(self, victim):
        self.victim = victim

    def __array__(self, dtype=None, copy=None):
        self.victim.clear()
        return np.ones((2, 2), np.float32)


@pytest.mark.parametrize("backend", opmill.backends())
def test_inputs_that_run_python_code_leave_a_call_as_it_was(backend):
    inputs, attributes = [], {"axis": 0}
    inputs[:] = [Emptied(inputs), np.zeros((1, 2), np.float32)]
    with opmill.use_backend(backend):
        (result,) = concat13.OPERATOR(inputs, attributes)
    assert result.shape == (3, 2)


@pytest.mark.parametrize("backend", opmill.backends())
def test_other_threads_change_what_calls_read(backend):
    x, inputs, attributes, end = np.ones((4, 4), np.float32), [], {}, threading.Event()

    def change():
        while not end.is_set():
            inputs[:] = [x.copy()]
            attributes["axis"] = 0
            inputs.clear()
            attributes.clear()

    other = threading.Thread(target=change)
    other.start()
    try:
        with opmill.use_backend(backend):
            for _ in range(2000):
                try:
                    halves = split13.OPERATOR(inputs, attributes, outputs=2)
                except opmill.OpError as refused:
                    assert "number of inputs is 0, expected 1 to 2" in str(refused)  # noqa: PT017
                else:
                    assert [half.shape for half in halves] == [(2, 4)] * 2
    finally:
        end.set()
        other.join()
