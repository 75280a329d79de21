"""The native module: what it takes itself, what it hands to the Python runtime, what it leaves.

The generated tests run on every backend and judge results and messages. Here is what they cannot
see: that both ways of a call agree, references, memory, threads, forks and the environment.
"""

import asyncio
import contextlib
import contextvars
import gc
import os
import subprocess
import sys
import threading
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import opmill
from opmill import opset13 as op
from opmill import opset22
from opmill.conv_transpose import v22 as conv22
from opmill.expand import v13 as expand13
from opmill.tile import v1 as tile1
from opmill.tile import v13 as tile13

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)


def floats(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints, its errors too."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return (done.stdout + done.stderr).strip()


@pytest.fixture
def watched(monkeypatch):
    """Counts the calls that the NumPy kernel of Tile-13 computes."""
    calls = []
    compute = tile13.OPERATOR._compute

    def counted(*arguments, **plan):
        calls.append(arguments)
        compute(*arguments, **plan)

    monkeypatch.setattr(tile13.OPERATOR, "_compute", counted)
    return calls


# Who computes


def test_c_is_the_default():
    assert opmill.backends() == ("c", "numpy")
    assert opmill.backend_name() == "c"
    assert tile13.OPERATOR.backends == ("c", "numpy")


MIRRORED = floats(2, 3)[:, ::-1]
READ_ONLY = floats(2, 3)
READ_ONLY.flags.writeable = False
UNALIGNED = np.frombuffer(b"\0" + floats(2, 3).tobytes(), np.uint8)[1:].view(np.float32)
GIVEN = {
    "plain": floats(2, 3),
    "mirrored": MIRRORED,
    "transposed": floats(3, 2).T,
    "byte-swapped": floats(2, 3).astype(">f4"),
    "byte-swapped and mirrored": floats(2, 3).astype(">f4")[::-1],
    "unaligned": UNALIGNED.reshape(2, 3),
    "read-only": READ_ONLY,
    "subclass": floats(2, 3).view(np.recarray),
    "broadcast": np.broadcast_to(np.float32(3), (2, 3)),
    "empty": np.empty((0, 3), np.float32),
    "long long": np.ones((2, 3), np.longlong),
    "long": np.ones((2, 3), np.dtype("long")),
    "bfloat16": np.ones((2, 3), ml_dtypes.bfloat16),
    "bool": np.ones((2, 3), bool),
    "complex": np.ones((2, 3), complex),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_numbers_are_computed_by_c_however_they_lie(given, watched):
    before = given.copy()
    result = op.tile(given, [2, 1])
    assert watched == []
    with opmill.use_backend("numpy"):
        expected = op.tile(given, [2, 1])
    assert len(watched) == 1
    assert result.dtype == expected.dtype
    assert result.dtype.isnative
    assert result.tobytes() == expected.tobytes()
    assert np.array_equal(given, before)
    assert not np.may_share_memory(result, given)


@pytest.mark.parametrize("repeats", [[2, 1], (2, 1), range(2, 0, -1), np.array([2, 1], ">i8")])
def test_lists_are_read_by_c_or_brought_to_it(repeats, watched):
    assert op.tile(floats(2, 3), repeats).shape == (4, 3)
    assert watched == []


def test_a_scalar_is_brought_to_c(watched):
    assert op.tile(np.float32(5), []).shape == ()
    assert watched == []


@pytest.mark.parametrize("dtype", [object, "U3", "S3", np.dtypes.StringDType()])
def test_strings_are_computed_by_numpy_on_both_backends(dtype, watched):
    words = np.array(["a", "bcd"], dtype)
    with opmill.use_backend("c"):
        assert op.tile(words, [2]).tolist() == words.tolist() * 2
    assert len(watched) == 1


@pytest.mark.parametrize("stepping", [slice(None), slice(None, None, 2)])
@pytest.mark.parametrize("dtype", ["<f4", ">f4"])
def test_buffers_are_filled_by_c(stepping, dtype, watched):
    memory = np.full(8, 7, dtype)
    out = memory[stepping]
    repeats = [out.size // 2]
    assert op.tile(floats(2), repeats, out=out) is out
    assert out.tolist() == [0, 1] * (out.size // 2)
    assert watched == []


def test_a_buffer_may_come_in_a_list_and_may_be_a_subclass():
    out = np.empty(4, np.float32)
    assert tile13.OPERATOR([floats(2), [2]], {}, out=[out])[0] is out
    mapped = out.view(np.recarray)
    assert op.tile(floats(2), [2], out=mapped) is mapped
    assert mapped.tolist() == [0, 1, 0, 1]


def test_one_input_may_be_given_twice():
    W = floats(1, 1, 3)
    assert opset22.conv_transpose(W, W).tolist() == [[[0, 0, 1, 4, 4]]]


# Errors: the same on both backends, whoever finds them

WRONG = {
    "too few inputs": lambda: tile13.OPERATOR([floats(2)], {}),
    "too many inputs": lambda: tile13.OPERATOR([floats(2), [1], [1]], {}),
    "a missing input": lambda: op.tile(None, [1]),
    "no array": lambda: op.tile([1.0], [1]),
    "a type": lambda: tile1.tile(np.ones(2, int), np.float32(1), np.float32(0)),
    "another type": lambda: opset22.conv_transpose(floats(1, 1, 2), np.ones((1, 1, 2))),
    "no type of ONNX": lambda: op.tile(np.array([1], "M8[s]"), [1]),
    "long double": lambda: op.tile(np.ones(1, np.longdouble), [1]),
    "a record": lambda: op.tile(np.ones(1, "f4,f4"), [1]),
    "objects": lambda: op.tile(np.array([1], object), [1]),
    "int32 counts": lambda: op.tile(floats(2), np.array([1], np.int32)),
    "bools": lambda: op.tile(floats(2), [True]),
    "2**63": lambda: op.tile(floats(2), [2**63]),
    "2**64": lambda: op.tile(floats(2), [2**64]),
    "a negative count": lambda: op.tile(floats(2), [-1]),
    "overflow": lambda: op.tile(floats(2), [2**62]),
    "a long list": lambda: op.expand(floats(2), list(range(100))),
    "a long message": lambda: op.expand(floats(*(2,) * 17), [3] * 17),
    "an unknown attribute": lambda: tile13.OPERATOR([floats(2), [1]], {"axis": 0}),
    "no name": lambda: tile13.OPERATOR([floats(2), [1]], {1: 0}),
    "a float": lambda: conv22.OPERATOR([floats(1, 1, 2)] * 2, {"group": 1.0}),
    "a large int": lambda: conv22.OPERATOR([floats(1, 1, 2)] * 2, {"group": 2**63}),
    "no list": lambda: conv22.OPERATOR([floats(1, 1, 2)] * 2, {"strides": 1}),
    "a list of floats": lambda: conv22.OPERATOR([floats(1, 1, 2)] * 2, {"strides": [1.5]}),
    "a word": lambda: opset22.conv_transpose(floats(1, 1, 2), floats(1, 1, 2), auto_pad="SAME"),
    "no ASCII": lambda: opset22.conv_transpose(
        floats(1, 1, 2), floats(1, 1, 2), auto_pad="S\u00c4ME\n"
    ),
    "a NUL": lambda: opset22.conv_transpose(floats(1, 1, 2), floats(1, 1, 2), auto_pad="VALID\0"),
    "half a character": lambda: opset22.conv_transpose(
        floats(1, 1, 2), floats(1, 1, 2), auto_pad="\ud800"
    ),
    "out of another type": lambda: op.tile(floats(2), [2], out=np.empty(4)),
    "out of another shape": lambda: op.tile(floats(2), [2], out=floats(3)),
    "out of another rank": lambda: op.tile(floats(2), [2], out=floats(2, 2)),
    "read-only out": lambda: op.tile(floats(2, 3), [1, 1], out=READ_ONLY),
    "out that is no array": lambda: op.tile(floats(2), [2], out="abcd"),
    "too many out": lambda: tile13.OPERATOR([floats(2), [2]], {}, out=[floats(4), floats(4)]),
    "too many outputs": lambda: tile13.OPERATOR([floats(2), [2]], {}, outputs=2),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_errors_are_the_same_on_both_backends(wrong):
    caught = []
    for backend in opmill.backends():
        with opmill.use_backend(backend), pytest.raises(opmill.OpError) as raised:
            wrong()
        error = raised.value
        caught.append((type(error), error.label, error.reason, str(error)))
    assert caught[0] == caught[1]
    assert len(caught[0][3]) <= 255


def test_memory_that_is_not_there_is_a_memory_error():
    with pytest.raises(MemoryError):
        op.expand(np.ones(1, bool), [2**62])


# References and memory


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
    yield "large", lambda: op.expand(large, [2, 64, 1024]), (large,)
    yield "scratch", lambda: opset22.conv_transpose(X, W, strides=[2, 2]), (X, W)
    yield "tiles", lambda: tile1.tile(x, np.float32(2), np.float32(1)), (x,)
    yield "refused", lambda: op.tile(x, [-1, 1]), (x,)
    yield "refused type", lambda: op.tile(x, np.array([1.5])), (x,)
    yield "refused out", lambda: op.tile(x, counts, out=x), (x, counts)
    yield "refused attribute", lambda: opset22.conv_transpose(X, W, auto_pad="NO"), (X, W)
    yield "refused kind", lambda: opset22.conv_transpose(X, W, strides=[1.5]), (X, W)
    yield "refused objects", lambda: op.tile(np.array([1], object), [1]), ()


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
        return opmill.Operator(
            tile13.SCHEMA, tile13.OPERATOR._rules, tile13.OPERATOR._compute, native=True
        )

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


# Threads, tasks, processes


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
    with pytest.raises(ValueError, match="must be 1 or more, got 0"):
        opmill.set_threads(0)


def test_the_environment_sets_the_number_of_threads():
    code = "import opmill; from opmill import opset13; opset13.tile; print(opmill.get_threads())"
    assert python(code, OPMILL_THREADS="3") == "3"
    assert python(code, OPMILL_THREADS="1") == "1"
    assert python(code, OPMILL_THREADS="") == str(len(os.sched_getaffinity(0)))
    for wrong in ("all", "0", "-1"):
        said = python(code, OPMILL_THREADS=wrong)
        assert f"OPMILL_THREADS must be a number from 1, got '{wrong}'" in said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_computes_on_one_thread():
    code = """
import os, numpy as np, opmill
from opmill import opset22
X, W = np.ones((2, 16, 64, 64), np.float32), np.ones((16, 16, 3, 3), np.float32)
opmill.set_threads(2)
expected = opset22.conv_transpose(X, W)
child = os.fork()
if not child:
    same = np.array_equal(opset22.conv_transpose(X, W), expected)
    try:
        opmill.set_threads(2)
    except opmill.BackendError:
        os._exit(0 if same and opmill.get_threads() == 1 else 1)
    os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code, PYTHONWARNINGS="ignore") == "0"


def test_an_operator_of_other_kernels_is_not_computed_by_c():
    def ones(input, repeats, output):
        output[...] = 1

    operator = opmill.Operator(tile13.SCHEMA, tile13.OPERATOR._rules, ones)
    assert operator.backends == ("numpy",)
    assert operator([floats(2), [1]], {})[0].tolist() == [1, 1]
    with opmill.use_backend("c"), pytest.raises(opmill.BackendError, match="Tile-13 has no kernel"):
        operator([floats(2), [1]], {})


# Where the module is not there


def test_without_the_module_numpy_computes_and_c_is_an_error():
    code = """
import sys, importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "opmill._native" else find(name)
import numpy as np, opmill
from opmill import opset13
print(opmill.backends(), opmill.backend_name(), opset13.tile(np.ones(1), [2]).tolist())
print(opmill.free_workspace(), opmill.operator("Tile", 13).backends)
print("opmill._native" in sys.modules)
try:
    opmill.use_backend("c")
except opmill.BackendError as error:
    print(error)
"""
    assert python(code).splitlines() == [
        "('numpy',) numpy [1.0, 1.0]",
        "0 ('numpy',)",
        "False",
        "use_backend asks for backend 'c', which is not there; available: numpy",
    ]


def test_the_module_refuses_what_the_runtime_never_does():
    from opmill import _native

    with pytest.raises(RuntimeError, match="setup has been called already"):
        _native.setup(lambda: None, (), {})
    with pytest.raises(TypeError, match="cannot create"):
        _native.Kernel()
    kernel = _native.find("ai.onnx", "Tile", 13, lambda *call: ())
    assert repr(kernel) == "<Kernel Tile-13 of ai.onnx>"
    assert _native.find("ai.onnx", "Tile", 12, lambda *call: ()) is None
    for method in (kernel.result, kernel.results, kernel.run):
        with pytest.raises(TypeError, match="expected the arguments"):
            method()
    with pytest.raises(IndexError):
        kernel.result(None, {}, None)
    assert kernel.run((np.array(["a"]), np.array([1])), {}, [np.empty(1, "U1")]) is False
    assert kernel.run((floats(1), np.array([1])), {}, [floats(2)]) is False


def test_infer_needs_no_memory_on_either_backend():
    for backend in opmill.backends():
        with opmill.use_backend(backend):
            assert expand13.infer(np.ones(1, bool), [2**40]).shape == (2**40,)


def test_every_byte_of_a_text_in_a_message():
    X = np.ones((1, 1, 1), np.float32)
    for code in range(256):
        shown = "".join(
            chr(byte) if chr(byte).isprintable() and byte < 128 and byte != 92 else f"\\x{byte:02x}"
            for byte in chr(code).encode()
        )
        expected = f"auto_pad '<{shown}>' is not NOTSET, SAME_UPPER, SAME_LOWER or VALID"
        for backend in opmill.backends():
            with opmill.use_backend(backend), pytest.raises(opmill.OpError) as caught:
                opset22.conv_transpose(X, X, auto_pad=f"<{chr(code)}>")
            assert caught.value.reason == expected, (backend, code)
