"""The native module in threads, tasks and processes, and as contexts and the environment choose."""

import asyncio
import contextvars
import os
import threading

import numpy as np
import pytest

import opmill
from native_calls import floats, needs_c, python, watch_numpy
from opmill import opset13 as op
from opmill import opset22

pytestmark = needs_c


@pytest.fixture
def watched(monkeypatch):
    """The calls that NumPy computes."""
    return watch_numpy(monkeypatch)


def test_the_backend_is_chosen_by_context(watched):
    def compute():
        op.tile(floats(2), [2])
        return len(watched)

    with opmill.use_backend("numpy"):
        assert compute() == 1
        with opmill.use_backend("c"):
            assert compute() == 1
        inherited = contextvars.copy_context()
    assert compute() == 1
    assert inherited.run(compute) == 2
    thread = threading.Thread(target=compute)
    with opmill.use_backend("numpy"):
        thread.start()
        thread.join()
    assert len(watched) == 2, "a new thread starts with the default"


def test_tasks_choose_apart():
    async def task(backend):
        with opmill.use_backend(backend):
            await asyncio.sleep(0)
            return opmill.backend_name()

    async def both():
        return await asyncio.gather(task("numpy"), task("c"), task("numpy"))

    assert asyncio.run(both()) == ["numpy", "c", "numpy"]


def test_the_environment_is_obeyed_by_every_call(monkeypatch, watched):
    monkeypatch.setenv("OPMILL_BACKEND", "numpy")
    op.tile(floats(2), [2])
    assert len(watched) == 1
    monkeypatch.setenv("OPMILL_BACKEND", "")
    op.tile(floats(2), [2])
    monkeypatch.setenv("OPMILL_BACKEND", "c")
    op.tile(floats(2), [2])
    assert len(watched) == 1
    monkeypatch.setenv("OPMILL_BACKEND", "tpu")
    with pytest.raises(opmill.BackendError, match="asks for backend 'tpu'"):
        op.tile(floats(2), [2])
    with opmill.use_backend("c"):
        op.tile(floats(2), [2])


def test_large_calls_run_in_many_threads_at_once():
    X = [np.full((1, 8, 48, 48), k, np.float32) for k in range(4)]
    W = np.ones((8, 8, 3, 3), np.float32)
    expected = [opset22.conv_transpose(x, W) for x in X]
    wrong = []

    def work(k):
        for _ in range(20):
            if not np.array_equal(opset22.conv_transpose(X[k], W), expected[k]):
                wrong.append(k)
            if not np.array_equal(op.expand(X[k], [2, 8, 48, 48])[1], X[k][0]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_number_of_threads_does_not_change_results():
    X, W = floats(2, 16, 30, 30) % 7, floats(16, 8, 3, 3) % 5
    usual = opmill.get_threads()
    try:
        opmill.set_threads(1)
        one = opset22.conv_transpose(X, W)
        opmill.set_threads(3)
        assert opmill.get_threads() == 3
        assert np.array_equal(opset22.conv_transpose(X, W), one)
    finally:
        opmill.set_threads(usual)


@pytest.mark.parametrize(
    ("count", "error", "words"),
    [
        (0, ValueError, "count is 0, expected 1 to 1024"),
        (1025, ValueError, "count is 1025, expected 1 to 1024"),
        (10**30, ValueError, f"count is {10**30}, expected 1 to 1024"),
        (10**5000, ValueError, "count is an integer of 16610 bits, expected 1 to 1024"),
        (True, TypeError, "count is of type bool, expected an integer"),
        ("2", TypeError, "count is of type str, expected an integer"),
        (2.0, TypeError, "count is of type float, expected an integer"),
    ],
    ids=["0", "1025", "10**30", "10**5000", "True", "'2'", "2.0"],
)
def test_a_number_of_threads_that_is_none(count, error, words):
    usual = opmill.get_threads()
    with pytest.raises(error, match=f"^set_threads: {words}$"):
        opmill.set_threads(count)
    assert opmill.get_threads() == usual


def test_an_interrupt_waits_for_the_end_of_a_call():
    # A timer sends the signal: no thread has to be scheduled while the call computes. On a busy
    # machine the time may pass before the call begins; then nothing is written yet.
    code = """
import signal, numpy as np
from opmill import opset22
signal.signal(signal.SIGALRM, signal.default_int_handler)
X, W = np.ones((1, 64, 256, 256), np.float32), np.ones((64, 64, 5, 5), np.float32)
opset22.conv_transpose(X[..., :8, :8], W)
out = np.empty((1, 64, 260, 260), np.float32)
for attempt in range(300):
    out[...] = np.nan
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        opset22.conv_transpose(X, W, out=out)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        if not np.isnan(out).all():
            print("after:", np.isnan(out).any(), out[0, 0, 100, 100])
            break
"""
    assert python(code).splitlines() == ["after: False 1600.0"]


def test_the_environment_sets_the_number_of_threads():
    code = "import opmill; from opmill import opset13; opset13.tile; print(opmill.get_threads())"
    assert python(code, OPMILL_THREADS="3") == "3"
    assert python(code, OPMILL_THREADS="1") == "1"
    assert python(code, OPMILL_THREADS="") == str(len(os.sched_getaffinity(0)))
    for wrong in ("all", "0", "-1", "1025", "9" * 20, "9" * 5000, "\u0663"):
        said = python(code, OPMILL_THREADS=wrong)
        words = f"OPMILL_THREADS is '{wrong[:40]}', expected an integer from 1 to 1024"
        assert said.endswith(f"BackendError: {words}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_computes_with_threads_of_its_own():
    code = """
import os, numpy as np, opmill
from opmill import opset22
X, W = np.ones((2, 16, 64, 64), np.float32), np.ones((16, 16, 3, 3), np.float32)
opmill.set_threads(2)
expected = opset22.conv_transpose(X, W)
child = os.fork()
if not child:
    same = np.array_equal(opset22.conv_transpose(X, W), expected)
    tasks = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 2
    os._exit(0 if same and opmill.get_threads() == 2 and tasks == 2 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code, PYTHONWARNINGS="ignore") == "0"
