"""The generated package as its user meets it: opset modules, versions, errors, buffers, types."""

import pickle
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import opmill
from checked_tree import checked_tree
from opmill import opset13 as op
from opmill import opset22
from opmill._runtime.versions import MODULES
from opmill.conv_transpose import v11
from opmill.expand import v13 as expand13
from opmill.tile import v1 as tile1
from opmill.tile import v6 as tile6
from opmill.tile import v13 as tile13
from opmill_gen.spec.operator_version import DomainIndex
from unsupported import unsupported


@pytest.fixture(scope="module")
def index() -> DomainIndex:
    return checked_tree().indexes["ai.onnx"]


def floats(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


# Opsets


def test_there_is_a_module_for_every_opset(index):
    for opset in range(1, index.opset + 1):
        assert hasattr(opmill, f"opset{opset}")
    assert not hasattr(opmill, f"opset{index.opset + 1}")
    assert not hasattr(opmill, "opset0")


@pytest.mark.parametrize(
    ("opset", "name", "version"),
    [
        (1, "tile", 1),
        (5, "tile", 1),
        (6, "tile", 6),
        (12, "tile", 6),
        (13, "tile", 13),
        (28, "tile", 13),
        (8, "expand", 8),
        (12, "expand", 8),
        (13, "expand", 13),
        (1, "conv_transpose", 1),
        (10, "conv_transpose", 1),
        (11, "conv_transpose", 11),
        (21, "conv_transpose", 11),
        (22, "conv_transpose", 22),
        (28, "conv_transpose", 22),
    ],
)
def test_an_opset_has_each_operator_at_the_version_in_force(opset, name, version):
    module = getattr(opmill, f"opset{opset}")
    function = getattr(module, name)
    assert function.__module__ == f"opmill.{name}.v{version}"
    assert name in dir(module)


@pytest.mark.parametrize(
    ("opset", "name", "reason"),
    [
        (7, "expand", "Expand is not in opset 7; its first version is Expand-8"),
        (10, "upsample", "Upsample is deprecated since opset 10"),
        (13, "tiel", "opset 13 has no operator 'tiel'; did you mean 'tile'?"),
        (13, "Concat", "opset 13 has no operator 'Concat'; did you mean 'concat'?"),
        (
            13,
            "convtranspose",
            "opset 13 has no operator 'convtranspose'; did you mean 'conv_transpose'?",
        ),
    ],
)
def test_an_opset_names_what_it_lacks(opset, name, reason):
    module = getattr(opmill, f"opset{opset}")
    assert not hasattr(module, name)
    with pytest.raises(opmill.NotInOpsetError) as raised:
        getattr(module, name)
    assert str(raised.value) == reason
    assert name not in dir(module)


def test_an_opset_names_what_is_not_supported(monkeypatch):
    for lacking in unsupported(monkeypatch, 2):
        for opset in {13, lacking.versions[0]}:
            words = f"{lacking.operator}-{lacking.at(opset)} is published for opset {opset} but not"
            with pytest.raises(opmill.NotInOpsetError, match=f"^{words} supported yet$"):
                getattr(getattr(opmill, f"opset{opset}"), lacking.name)


def test_every_published_operator_is_supported_or_named_at_every_opset(index):
    from checked_tree import checked_tree
    from opmill_gen.base.names import snake_case

    stated = {v.spec.operator: v.spec.python_name for v in checked_tree().versions}
    for opset in range(1, index.opset + 1):
        module = getattr(opmill, f"opset{opset}")
        for operator, published in index.operators.items():
            in_force = [version for version in published.versions if version <= opset]
            name = stated.get(operator) or snake_case(operator)
            if name in dir(module):
                assert getattr(module, name).__module__.endswith(f".v{in_force[-1]}")
            else:
                with pytest.raises(opmill.NotInOpsetError, match=operator):
                    getattr(module, name)


def test_importing_the_package_loads_neither_numpy_nor_operators():
    code = (
        "import sys, opmill; print(sorted(m for m in sys.modules if 'numpy' in m or 'tile' in m))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_distribution():
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    assert opmill.__version__ == project["project"]["version"]


def test_the_runtime_needs_numpy_and_ml_dtypes_only():
    code = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'jinja2', 'yaml', 'onnx', 'black', 'click', 'rich'}:\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import numpy as np\n"
        "from opmill import opset13, opset22\n"
        "opset13.tile(np.ones(2, np.float32), [2])\n"
        "opset22.conv_transpose(np.ones((1, 1, 2), np.float32), np.ones((1, 1, 2), np.float32))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_operators_are_found_by_name():
    assert opmill.operator("Tile", 13) is tile13.OPERATOR
    assert opmill.operator("Tile", 13, "") is tile13.OPERATOR
    assert ("ai.onnx", "ConvTranspose", 22) in opmill.operators()
    (result,) = opmill.operator("Tile", 6)([floats(2), np.array([2])], {})
    assert result.tolist() == [0, 1, 0, 1]


def test_an_operator_version_that_is_not_there_is_told_in_the_words_of_an_opset(
    monkeypatch: pytest.MonkeyPatch,
):
    # Every deprecated version of ai.onnx is supported; this one is taken out.
    monkeypatch.delitem(MODULES, ("ai.onnx", "Upsample", 10))
    (lacking,) = unsupported(monkeypatch, 1)
    operator, version = lacking.operator, lacking.versions[0]
    cases = {
        (operator, version): f"{operator}-{version} is published for opset {version} but not "
        "supported yet",
        ("Upsample", 10): "Upsample is deprecated since opset 10",
        ("Tile", 7): "no Tile-7 in ai.onnx; there are [1, 6, 13]",
        ("Tiel", 1): "ai.onnx has no operator 'Tiel'; did you mean 'Tile'?",
        ("concat", 13): "ai.onnx has no operator 'concat'; did you mean 'Concat'?",
        ("conv_transpose", 1): "ai.onnx has no operator 'conv_transpose'; did you mean "
        "'ConvTranspose'?",
        ("Tile", 1, "com.nowhere"): "no Tile-1 in com.nowhere; there is no such domain, but "
        + ", ".join(sorted({domain for domain, _, _ in opmill.operators()})),
    }
    for asked, words in cases.items():
        with pytest.raises(opmill.NoOperatorError) as raised:
            opmill.operator(*asked)
        assert str(raised.value) == words
        assert isinstance(raised.value, opmill.Error)
        assert isinstance(raised.value, LookupError)


# Errors


def test_errors_tell_the_operator_and_survive_pickling():
    with pytest.raises(ValueError, match="expected at least 0") as raised:
        op.tile(floats(2), [-1])
    error = raised.value
    assert isinstance(error, opmill.ShapeError)
    assert isinstance(error, opmill.OpError)
    assert (error.operator, error.since_version) == ("Tile", 13)
    assert error.reason == "repeats[0] is -1, expected at least 0"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error) == "Tile-13: repeats[0] is -1, expected at least 0"


def test_a_message_is_never_longer_than_a_c_buffer_holds():
    shapes = (1, 1, 3), (1, 1, 2), (2**62,) * 64
    with pytest.raises(opmill.ShapeError) as raised:
        v11.infer(*(opmill.TensorType("float", one) for one in shapes))
    assert len(str(raised.value)) == 255
    assert str(raised.value).startswith("ConvTranspose-11: B.shape is [4611686018427387904, ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0.0, 1.0]], "Tile-13: input has type list, expected a NumPy array"),
        (1.5, "Tile-13: input has type float, expected a NumPy array"),
        (None, "Tile-13: input 'input' is absent, expected a value"),
        (
            np.ma.masked_array([1.0]),
            "Tile-13: input has type MaskedArray, expected an array without a mask",
        ),
    ],
)
def test_what_is_no_array_is_refused(given, message):
    with pytest.raises(opmill.OpError) as raised:
        op.tile(given, [1])
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([True], "repeats has type list of bool, expected int64"),
        ([1.0], "repeats has type list of float64, expected int64"),
        ([[1], [1, 2]], "repeats has type ragged list, expected int64"),
        ([2**63], "repeats has type list of uint64, expected int64"),
        ([2**64], "repeats has type list of object, expected int64"),
        (["1"], "repeats has type list of <U1, expected int64"),
        (np.array([1], "M8[s]"), "repeats has type datetime64[s], expected int64"),
        (np.array([1], np.int32), "repeats has type int32, expected int64"),
        (2, "repeats has rank 0, expected 1"),
    ],
)
def test_lists_of_integers_are_the_only_lists(given, reason):
    with pytest.raises(opmill.OpError) as raised:
        op.tile(floats(2), given)
    assert raised.value.reason == reason


@pytest.mark.parametrize("repeats", [[2], (2,), range(2, 3), np.array([2]), np.array([2], ">i8")])
def test_integers_come_in_many_containers(repeats):
    assert op.tile(floats(2), repeats).tolist() == [0, 1, 0, 1]


def test_an_object_array_must_hold_strings():
    with pytest.raises(opmill.TypeConstraintError, match="has type object array of int, expected"):
        op.tile(np.array([1, "a"], dtype=object), [1])


CONV_TRANSPOSE_ATTRIBUTES = (
    "one of auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads, strides"
)


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"group": 1.0}, "attribute 'group' is float 1.0, expected INT"),
        ({"group": True}, "attribute 'group' is bool True, expected INT"),
        ({"group": 2**63}, "attribute 'group' is int 9223372036854775808, expected INT of 64 bits"),
        ({"strides": 2}, "attribute 'strides' is int 2, expected INTS"),
        ({"strides": [2.5]}, "attribute 'strides' is of type list, expected INTS"),
        (
            {"strides": np.ones((1, 1), int)},
            "attribute 'strides' is of type ndarray, expected INTS",
        ),
        ({"auto_pad": 1}, "attribute 'auto_pad' is int 1, expected STRING"),
        ({"stride": [1]}, "attribute 'stride' is unknown, expected " + CONV_TRANSPOSE_ATTRIBUTES),
    ],
)
def test_attributes_of_the_wrong_kind(attributes, reason):
    X = W = np.ones((1, 1, 2), np.float32)
    with pytest.raises(opmill.AttributeValueError) as raised:
        v11.OPERATOR([X, W], attributes)
    assert raised.value.reason == reason


@pytest.mark.parametrize("strides", [[2], (2,), np.array([2], np.int32), range(2, 3)])
def test_attributes_come_in_many_containers(strides):
    X = W = np.ones((1, 1, 2), np.float32)
    assert v11.conv_transpose(X, W, strides=strides).shape == (1, 1, 4)


# Buffers


@pytest.mark.parametrize(
    ("out", "kind", "reason"),
    [
        (floats(3), opmill.ShapeError, "out for output has shape [3], expected [4]"),
        (np.zeros(4), opmill.TypeConstraintError, "out for output has type double, expected float"),
        ([0.0] * 4, opmill.OpError, "number of arrays in out is 4, expected 1"),
        ("abcd", opmill.OpError, "out for output has type str, expected a NumPy array"),
    ],
)
def test_a_buffer_that_does_not_fit_is_refused_untouched(out, kind, reason):
    before = np.array(out).copy()
    with pytest.raises(kind) as raised:
        op.tile(floats(2), [2], out=out)
    assert raised.value.reason == reason
    assert np.array_equal(np.array(out), before)


def test_a_read_only_buffer_is_refused():
    out = floats(4)
    out.flags.writeable = False
    with pytest.raises(
        opmill.OpError, match="out for output is read-only, expected a writeable array"
    ):
        op.tile(floats(2), [2], out=out)


def test_the_result_is_the_buffer():
    out = np.empty(4, np.float32)
    assert op.tile(floats(2), [2], out=out) is out
    assert out.tolist() == [0, 1, 0, 1]


def test_a_buffer_may_be_strided_and_byte_swapped():
    out = np.zeros((4, 3), ">f4")[:, 1]
    assert op.tile(floats(2), [2], out=out) is out
    assert out.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("backend", opmill.backends())
def test_buffers_must_not_overlap_each_other(backend):
    x, room, y = floats(6), floats(6), np.zeros((1, 1, 2))
    parts = [room[:3], room[3:]]
    with opmill.use_backend(backend):
        with pytest.raises(opmill.OpError, match=r"out for outputs\[1\] overlaps another output"):
            op.split(x, outputs=2, out=[room[:3], room[2:5]])
        both = [y, y.view(np.int64)]
        with pytest.raises(opmill.OpError, match="out for Indices overlaps another output"):
            opset22.max_pool(np.ones_like(y), kernel_shape=[1], outputs=2, out=both)
        assert not y.any()
        assert room.tolist() == [0, 1, 2, 3, 4, 5]
        op.split(x[::-1], outputs=2, out=parts)
        assert room.tolist() == [5, 4, 3, 2, 1, 0]
        interleaved = np.zeros((3, 2), np.float32)
        op.split(x, outputs=2, out=[interleaved[:, 0], interleaved[:, 1]])
        assert interleaved.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_buffer_may_overlap_the_input():
    memory = floats(6)
    op.tile(memory[:3], [2], out=memory)
    assert memory.tolist() == [0, 1, 2, 0, 1, 2]
    memory = floats(6)
    op.tile(memory[3:], [2], out=memory)
    assert memory.tolist() == [3, 4, 5, 3, 4, 5]
    row = floats(1, 4)
    op.expand(row[:, ::-1], [1, 4], out=row)
    assert row.tolist() == [[3, 2, 1, 0]]


# Types


@pytest.mark.parametrize("dtype", [object, "<U3", ">U3", "S3", np.dtypes.StringDType()])
def test_strings_come_back_in_the_kind_of_array_that_they_came_in(dtype):
    words = np.array(["a", "bcd"], dtype=dtype)
    result = op.tile(words, [2])
    assert (result.dtype.char, result.dtype.isnative) == (words.dtype.char, True)
    assert result.tolist() == words.tolist() * 2
    assert op.expand(words.reshape(2, 1), [1, 2]).tolist() == [[w, w] for w in words.tolist()]


def test_bfloat16_is_of_ml_dtypes():
    x = np.array([1, 2], ml_dtypes.bfloat16)
    assert op.tile(x, [2]).dtype == ml_dtypes.bfloat16
    with pytest.raises(opmill.TypeConstraintError, match="input has type bfloat16, expected"):
        tile6.tile(x, [2])


def test_numpy_scalars_are_tensors_of_rank_0():
    assert op.expand(np.float32(5), [2]).tolist() == [5, 5]
    assert op.tile(np.float32(5), []).shape == ()


def test_objects_that_give_an_array_are_taken():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return floats(2)

    assert op.tile(Wrapped(), [2]).tolist() == [0, 1, 0, 1]


def test_floats_that_hold_counts_must_be_whole():
    x = floats(2, 3)
    assert tile1.tile(x, np.float32(2), np.float32(1)).shape == (2, 6)
    with pytest.raises(opmill.ShapeError, match=r"tiles is 2\.5"):
        tile1.tile(x, np.float32(2.5), np.float32(1))


# infer


def test_infer_takes_types_and_shapes_where_no_value_decides():
    X = opmill.TensorType("float", (1, 4, 8, 8))
    W = opmill.TensorType("float", (4, 3, 2, 2))
    inferred = v11.infer(X, W, strides=[2, 2])
    assert (inferred.type, inferred.shape) == ("float", (1, 3, 16, 16))
    assert inferred.bound == inferred.shape


def test_infer_says_which_value_it_needs():
    with pytest.raises(opmill.OpError) as raised:
        tile13.infer(opmill.TensorType("float", (2,)), opmill.TensorType("int64", (1,)))
    assert str(raised.value) == "Tile-13: value of repeats is unknown, expected a tensor with data"
    inferred = tile13.infer(opmill.TensorType("float", (2,)), [3])
    assert inferred.shape == (6,)


def test_infer_allocates_nothing():
    inferred = expand13.infer(opmill.TensorType("bool", (1,)), [2**40])
    assert inferred.shape == (2**40,)


@pytest.mark.parametrize(
    ("dims", "words"),
    [
        ((2, -1), "input.shape[1] is -1, expected 0 to 2^63-1"),
        ((2**63,), "input.shape[0] is 9223372036854775808, expected 0 to 2^63-1"),
        ((1,) * 65, "input has more than 64 dims, expected at most 64"),
    ],
)
def test_infer_refuses_shapes_that_cannot_be(dims, words):
    with pytest.raises(opmill.OpError, match=re.escape(words)):
        tile13.infer(opmill.TensorType("float", dims), [1])


def test_infer_refuses_unknown_types():
    with pytest.raises(
        opmill.TypeConstraintError, match="input has type 'float32', expected an element type"
    ):
        tile13.infer(opmill.TensorType("float32", (1,)), [1])


# Backends and threads


def test_the_backend_is_chosen_by_context(monkeypatch):
    assert opmill.backend_name() in ("numpy", "c")
    with opmill.use_backend("numpy"):
        assert opmill.backend_name() == "numpy"
    with pytest.raises(opmill.BackendError, match="backend 'cuda', which is not there"):
        opmill.use_backend("cuda")
    monkeypatch.setenv("OPMILL_BACKEND", "numpy")
    assert opmill.backend_name() == "numpy"
    monkeypatch.setenv("OPMILL_BACKEND", "tpu")
    with pytest.raises(opmill.BackendError, match="OPMILL_BACKEND asks for backend 'tpu'"):
        op.tile(floats(2), [2])


def test_operators_can_be_called_from_many_threads():
    results: dict[int, list[float]] = {}

    def work(k: int) -> None:
        for _ in range(50):
            results[k] = opset22.tile(np.full(2, k, np.float32), [3]).tolist()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: [k] * 6 for k in range(8)}
