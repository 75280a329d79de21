"""The native module keeps no references and no memory, but the scratch memory of a thread."""

import contextlib
import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import opmill
from native_calls import floats, needs_c
from opmill import opset13 as op
from opmill import opset22
from opmill.tile import v1 as tile1
from opmill.tile import v13 as tile13

pytestmark = [needs_c, pytest.mark.slow]


def calls():
    """One call of each way through the module, by name; some raise."""
    x, counts, out = floats(2, 3), np.array([2, 1]), np.empty((4, 3), np.float32)
    X = floats(1, 2, 40, 40)
    W = floats(2, 3, 3, 3)
    words = np.array(["one", "two"], object)
    large = floats(64, 1024)
    yield "plain", lambda: op.tile(x, counts), (x, counts)
    yield "list", lambda: op.tile(x, [2, 1]), (x,)
    yield "out", lambda: op.tile(x, counts, out=out), (x, counts, out)
    yield "strided", lambda: op.tile(x[:, ::-1], counts), (x, counts)
    yield "strided out", lambda: op.tile(x[:2, :1], counts, out=out[:, ::3]), (x, counts, out)
    yield "overlap", lambda: op.tile(out[:2], counts, out=out), (counts, out)
    yield "scalar", lambda: op.expand(np.float32(1), counts), (counts,)
    yield "strings", lambda: op.tile(words, [3]), (words, words[0])
    yield "new strings", lambda: opset22.string_concat(words, words), (words, words[0])
    yield "refused strings", lambda: opset22.cast(words, to="float"), (words, words[0])
    yield "large", lambda: op.expand(large, [2, 64, 1024]), (large,)
    yield "scratch", lambda: opset22.conv_transpose(X, W, strides=[2, 2]), (X, W)
    yield "tiles", lambda: tile1.tile(x, np.float32(2), np.float32(1)), (x,)
    yield "refused", lambda: op.tile(x, [-1, 1]), (x,)
    yield "refused type", lambda: op.tile(x, np.array([1.5])), (x,)
    yield "refused out", lambda: op.tile(x, counts, out=x), (x, counts)
    yield "refused attribute", lambda: opset22.conv_transpose(X, W, auto_pad="NO"), (X, W)
    yield "refused kind", lambda: opset22.conv_transpose(X, W, strides=[1.5]), (X, W)
    yield "refused objects", lambda: op.tile(np.array([1], object), [1]), ()


@pytest.fixture(scope="module", autouse=True)
def _own_garbage_alone():
    """Hide the objects of other tests from the collections below, which would walk all of them."""
    gc.collect()
    gc.freeze()


def attempt(call):
    with contextlib.suppress(opmill.OpError):
        call()


@pytest.mark.parametrize(
    ("call", "objects"), [case[1:] for case in calls()], ids=[case[0] for case in calls()]
)
def test_calls_keep_no_references_and_no_memory(call, objects):
    for _ in range(20):
        attempt(call)
    gc.collect()
    before = [sys.getrefcount(one) for one in (*objects, None, np.float32)]
    tracemalloc.start()
    try:
        for _ in range(20):
            attempt(call)
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            attempt(call)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    after = [sys.getrefcount(one) for one in (*objects, None, np.float32)]
    assert all(abs(b - a) < 50 for a, b in zip(before, after, strict=True))
    assert after[: len(objects)] == before[: len(objects)]
    assert grown < 300 * 16


def test_a_result_holds_its_strings():
    word = "".join(["not", " interned"])
    words = np.array([word], object)
    before = sys.getrefcount(word)
    result = op.tile(words, [5])
    assert sys.getrefcount(word) == before + 5
    del result
    assert sys.getrefcount(word) == before


def test_a_kernel_and_its_operator_are_collected_together():
    def make():
        tile = tile13.OPERATOR
        rules, compute = tile._checker.rules, tile._computation.compute
        return opmill.Operator(tile13.SCHEMA, rules, compute, native=True)

    assert make().backends == ("c", "numpy")

    make()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        make()
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_a_thread_keeps_scratch_memory_until_it_is_freed():
    X, W = floats(1, 16, 40, 40), floats(16, 16, 3, 3)
    opset22.conv_transpose(X, W)
    assert opmill.free_workspace() > 0
    assert opmill.free_workspace() == 0
    expected = opset22.conv_transpose(X, W)
    opmill.free_workspace()
    assert np.array_equal(opset22.conv_transpose(X, W), expected)
    freed = []
    thread = threading.Thread(target=lambda: freed.append(opmill.free_workspace()))
    thread.start()
    thread.join()
    assert freed == [0]
