"""The native module: what it takes itself, what it hands to the Python runtime, what it leaves.

The generated tests run on every backend and judge results and messages. Here is what they cannot
see: that both ways of a call agree; ``test_native_memory`` has references and memory,
``test_native_threads`` threads, forks and the environment.
"""

import ml_dtypes
import numpy as np
import pytest

import opmill
from native_calls import floats, needs_c, python, watch_numpy
from opmill import opset13 as op
from opmill import opset22
from opmill.conv_transpose import v22 as conv22
from opmill.expand import v13 as expand13
from opmill.tile import v1 as tile1
from opmill.tile import v13 as tile13

pytestmark = needs_c


@pytest.fixture
def watched(monkeypatch):
    """The calls that NumPy computes."""
    return watch_numpy(monkeypatch)


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
    assert len(watched) == (given.size > 0)  # an empty result needs no kernel
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


def test_an_operator_of_other_kernels_is_not_computed_by_c():
    def ones(input, output, *, repeats):
        output[...] = 1

    rules = tile13.OPERATOR._checker.rules
    operator = opmill.Operator(tile13.SCHEMA, rules, ones, kernel_inputs=(0,))
    assert operator.backends == ("numpy",)
    assert operator([floats(2), [1]], {})[0].tolist() == [1, 1]
    with opmill.use_backend("c"):
        assert operator([floats(2), [1]], {})[0].tolist() == [1, 1]
        assert operator.explain([floats(2), [1]]).backend == "numpy"


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


@pytest.mark.parametrize("backend", opmill.backends())
def test_an_output_that_does_not_fit_into_memory_is_refused(backend):
    words = "Expand-13: output has shape [{}] and type {}, expected an output that fits into memory"
    for dtype, word, size in ((bool, "bool", 2**62), (np.float64, "double", 2**59)):
        with opmill.use_backend(backend), pytest.raises(opmill.ShapeError) as refused:
            op.expand(np.ones(1, dtype), [size])
        assert str(refused.value) == words.format(size, word)


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
        _native.setup(lambda: None, (), {}, object, list)
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
        expected = (
            f"auto_pad is '<{shown}>', expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'"
        )
        for backend in opmill.backends():
            with opmill.use_backend(backend), pytest.raises(opmill.OpError) as caught:
                opset22.conv_transpose(X, X, auto_pad=f"<{chr(code)}>")
            assert caught.value.reason == expected, (backend, code)


def test_a_huge_view_is_refused_before_it_is_copied():
    huge = np.broadcast_to(np.float32(1), (1 << 20, 3 << 20))  # 12 TiB
    with pytest.raises(opmill.ShapeError, match=r"^MatMul-13: "):
        op.mat_mul(huge, np.ones((5, 2), np.float32))
