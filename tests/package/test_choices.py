"""The scope of ``use_backend`` and ``use_instruction_set``: the process, or one context."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest
from onnx import parser

import opmill
from native_calls import floats, needs_c, python, watch_numpy
from opmill import opset13 as op
from opmill._runtime import backend

pytestmark = needs_c


@pytest.fixture(autouse=True)
def _restored():
    """The choice of the process, as it was before the test."""
    before = backend._process.copy()
    yield
    backend._process[:] = before


def elsewhere(compute=opmill.backend_name):
    """Return the choice that a new thread finds."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(compute).result()


def test_a_statement_holds_in_threads_that_run_and_in_threads_that_start(monkeypatch):
    watched = watch_numpy(monkeypatch)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(opmill.backend_name).result() == "c"
        opmill.use_backend("numpy")
        assert opmill.backend_name() == "numpy"
        assert pool.submit(opmill.backend_name).result() == "numpy"
        pool.submit(op.tile, floats(2), [2]).result()
        assert (elsewhere(), len(watched)) == ("numpy", 1)
        pool.submit(opmill.use_backend, "c").result()
        assert (opmill.backend_name(), elsewhere()) == ("c", "c")
    op.tile(floats(2), [2])
    assert len(watched) == 1


def test_a_block_holds_in_its_context_alone():
    opmill.use_backend("numpy")
    with opmill.use_backend("c"):
        assert (opmill.backend_name(), elsewhere()) == ("c", "numpy")
        with ExitStack() as stack:
            stack.enter_context(opmill.use_backend("numpy"))
            assert opmill.backend_name() == "numpy"
        assert opmill.backend_name() == "c"
    assert (opmill.backend_name(), elsewhere()) == ("numpy", "numpy")


def test_a_statement_in_a_block_holds_there_and_afterwards():
    with opmill.use_backend("c"):
        opmill.use_backend("numpy")
        assert opmill.backend_name() == "numpy"
    assert (opmill.backend_name(), elsewhere()) == ("numpy", "numpy")


def test_one_object_serves_many_blocks():
    choice = opmill.use_backend("numpy")
    for _ in range(2):
        with choice:
            assert (opmill.backend_name(), elsewhere()) == ("numpy", "c")
        assert opmill.backend_name() == "c"
    del choice
    assert opmill.backend_name() == "c"


def test_other_threads_never_see_the_choice_of_a_block():
    stop, seen = threading.Event(), set()

    def choose():
        while not stop.is_set():
            with opmill.use_backend("numpy"), opmill.use_instruction_set("plain"):
                pass

    threads = [threading.Thread(target=choose) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20_000):
        seen.add(tuple(backend.chosen()))
    stop.set()
    for thread in threads:
        thread.join()
    assert seen == {(None, 0)}
    assert backend._process == [None, 0]


def test_an_interactive_session_shows_and_keeps_what_chooses():
    """The session's ``_`` refers to the object, which no block follows either."""
    code = """
import code
from concurrent.futures import ThreadPoolExecutor
session = code.InteractiveInterpreter({"pool": ThreadPoolExecutor(1)})
for line in (
    "import opmill",
    "opmill.use_backend('numpy')",
    "opmill.backend_name(), pool.submit(opmill.backend_name).result()",
):
    session.runsource(line)
"""
    assert python(code).splitlines() == ["<use_backend: numpy>", "('numpy', 'numpy')"]


def test_instruction_sets_have_the_same_scope():
    def loops():
        x = np.ones((1, 16, 20, 20)), np.ones((16, 8, 3, 3))
        return opmill.operator("ConvTranspose", 22).explain(x).kernel

    with opmill.use_instruction_set("plain"):
        plain = loops()
    best = loops()
    assert plain != best
    opmill.use_instruction_set("plain")
    assert (loops(), elsewhere(loops)) == (plain, plain)
    opmill.use_backend("c")
    assert loops() == plain
    with opmill.use_instruction_set(opmill.instruction_sets()[0]):
        assert (loops(), elsewhere(loops)) == (best, plain)


def test_a_run_keeps_the_backend_that_it_began_with(monkeypatch):
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[2] x, int64[1] n) => (float[a] z) { y = Tile(x, n)  z = Tile(y, n) }"""
    model, names = opmill.Model(parser.parse_model(text)), []
    tile = opmill.operator("Tile", 13)
    compute = tile._computation.compute

    def chosen_elsewhere(*arguments, **plan):
        names.append(opmill.backend_name())
        elsewhere(lambda: opmill.use_backend("c"))
        compute(*arguments, **plan)

    monkeypatch.setattr(tile._computation, "compute", chosen_elsewhere)
    opmill.use_backend("numpy")
    model.run([floats(2), np.array([2])])
    assert names == ["numpy", "numpy"]
    assert opmill.backend_name() == "c"


def test_c_computes_the_nodes_of_sequences_and_optionals():
    text = """
    <ir_version: 8, opset_import: ["": 17]>
    g (float[2] x) => (float[m] z) {
        s = SequenceConstruct(x, x)
        o = Optional(s)
        t = OptionalGetElement(o)
        y = ConcatFromSequence <axis = 0> (t)
        z = Neg(y)
    }"""
    opmill.use_backend("c")
    model = opmill.Model(parser.parse_model(text))
    with model.trace() as trace:
        outputs = model.run([floats(2)])
    assert outputs["z"].tolist() == [0, -1, 0, -1]
    backends = {node.operator: node.kernel.split()[0] for node in trace.nodes}
    assert backends == {
        "SequenceConstruct-11": "c",
        "Optional-15": "c",
        "OptionalGetElement-15": "c",
        "ConcatFromSequence-11": "c",
        "Neg-13": "c",
    }
