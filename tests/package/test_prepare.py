"""Inputs that are packed once: the bits of a call without, what is refused, what is copied."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import opmill
from native_calls import needs_c
from opmill.com_microsoft.attention import v1 as attention1
from opmill.com_microsoft.dynamic_quantize_lstm import v1 as dynamic_lstm1
from opmill.com_microsoft.dynamic_quantize_mat_mul import v1 as dynamic_matmul1
from opmill.com_microsoft.mat_mul_integer_to_float import v1 as matmul_to_float1
from opmill.com_microsoft.q_attention import v1 as q_attention1
from opmill.com_microsoft.q_gemm import v1 as q_gemm1
from opmill.conv import v11 as conv11
from opmill.conv_integer import v10 as conv_integer10
from opmill.gemm import v13 as gemm13
from opmill.mat_mul import v9 as matmul9
from opmill.mat_mul import v13 as matmul13
from opmill.mat_mul_integer import v10 as matmul_integer10
from opmill.q_linear_conv import v10 as qlinear_conv10
from opmill.q_linear_mat_mul import v10 as qlinear_matmul10

ISAS = list(opmill.instruction_sets()) or [None]
FLOATS = (np.float32, np.float64, np.float16)
PRODUCTS = (*FLOATS, ml_dtypes.bfloat16, np.int32, np.uint64)
BYTES = (np.int8, np.uint8)


@pytest.fixture(params=[*ISAS, "numpy"])
def backend(request):
    if request.param == "numpy":
        with opmill.use_backend("numpy"):
            yield "numpy"
        return
    if request.param is None:
        pytest.skip("there is no C library")
    with opmill.use_instruction_set(request.param):
        yield request.param


@pytest.fixture(params=[1, 2])
def threads(request):
    before = opmill.get_threads()
    opmill.set_threads(request.param)
    yield request.param
    opmill.set_threads(before)


def drawn(rng, dtype, *shape):
    if np.dtype(dtype).itemsize == 1:
        return rng.integers(0, 256, shape).astype(np.uint8).view(dtype)
    return (rng.standard_normal(shape) * 4).astype(dtype)


def agree(operator, inputs, attributes, fixed, compute=None):
    """The call with and without packed inputs; whether something has been packed.

    An operator of several outputs has the function ``compute``, of whose results the first counts.
    """
    names = [parameter.name for parameter in operator.schema.inputs]
    given = {n: v for n, v in zip(names, inputs, strict=True) if n in fixed}
    rest = [v for n, v in zip(names, inputs, strict=True) if given.get(n) is None]
    if compute is None:
        expected = operator.result(inputs, attributes, None)
    else:
        expected = compute(*inputs, **attributes)
    prepared = operator.prepare(given, attributes)
    found = prepared(*rest)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    return prepared.nbytes > 0


def test_products_have_the_same_bits(backend, threads):
    rng, packed = np.random.default_rng(threads), 0
    for turn in range(30):
        dtype = PRODUCTS[turn % len(PRODUCTS)]
        m, k, n = (int(size) for size in rng.integers(1, (30, 40, 110)))
        k *= 1 if turn % 5 else 20  # blocks of k
        batch = [(), (2,), (1, 3), (2, 1)][int(rng.integers(4))]
        A, B = drawn(rng, dtype, *batch[:1], m, k), drawn(rng, dtype, *batch, k, n)
        if len(batch) == 2:
            A = drawn(rng, dtype, *batch, m, k)
        packed += agree(matmul13.OPERATOR, [A, B], {}, {"B"})
        turned = {"transA": turn % 2, "transB": turn // 2 % 2, "alpha": 0.5, "beta": 2.0}
        A, B = drawn(rng, dtype, m, k), drawn(rng, dtype, k, n)
        A, B = (x.T.copy() if t else x for x, t in ((A, turn % 2), (B, turn // 2 % 2)))
        C = drawn(rng, dtype, n) if turn % 3 else None
        packed += agree(gemm13.OPERATOR, [A, B, C], turned, {"B"})
    assert (packed > 40) == (backend != "numpy")


def test_a_zero_keeps_its_sign():
    """Sums that underflow to -0, in whole panels and in the last, narrower one."""
    A = np.full((5, 1), -1e-30, np.float32)
    for n in (3, 16, 17, 40, 70):
        B = np.full((1, n), 1e-30, np.float32)
        expected = matmul13.mat_mul(A, B)
        assert matmul13.prepare(B=B)(A).tobytes() == expected.tobytes()
        assert np.signbit(expected).all()
    X = np.full((1, 1, 7, 7), -1e-30, np.float32)
    W = np.full((40, 1, 1, 1), 1e-30, np.float32)
    for bias in (None, np.zeros(40, np.float32), np.full(40, -0.0, np.float32)):
        assert conv11.prepare(W=W)(X, bias).tobytes() == conv11.conv(X, W, bias).tobytes()


def test_convolutions_have_the_same_bits(backend, threads):
    rng, packed = np.random.default_rng(threads), 0
    for turn in range(30):
        dtype = FLOATS[turn % len(FLOATS)]
        group, channels, maps = (int(size) for size in rng.integers(1, (4, 24, 50)))
        rank = 1 + turn % 3
        taps = [int(size) for size in rng.integers(1, 4, rank)] if turn % 4 else [1] * rank
        sizes = [int(size) for size in rng.integers(4, 16 if rank < 3 else 7, rank)]
        X = drawn(rng, dtype, 2, channels * group, *sizes)
        W = drawn(rng, dtype, maps * group, channels, *taps)
        B = drawn(rng, dtype, maps * group) if turn % 2 else None
        attributes = {
            "group": group,
            "strides": [int(step) for step in rng.integers(1, 3 if turn % 4 else 2, rank)],
            "pads": [int(pad) for pad in rng.integers(0, 2 if turn % 4 else 1, 2 * rank)],
        }
        packed += agree(conv11.OPERATOR, [X, W, B], attributes, {"W"})
    assert (packed > 3) == (backend not in ("numpy", "plain"))


def test_recurrent_weights_have_the_same_bits(backend, threads):
    """One direction or both, zero points of directions or columns, rows beside each other."""
    rng, packed = np.random.default_rng(threads), 0
    for turn in range(12):
        dtype, directions = BYTES[turn % 2], 1 + turn // 2 % 2
        steps, batch, size, hidden = (int(n) for n in rng.integers(1, (5, 4, 40, 24)))
        columns = 4 * hidden
        zeros = (directions, columns) if turn % 3 else (directions,)
        scale = np.full(directions, 0.01, np.float32)
        inputs = [
            drawn(rng, np.float32, steps, batch, size),
            drawn(rng, dtype, directions, size, columns),
            drawn(rng, dtype, directions, hidden, columns),
            *[None] * 5,
            *(scale, drawn(rng, dtype, *zeros), scale, drawn(rng, dtype, *zeros)),
        ]
        attributes = {"direction": "bidirectional"} if directions == 2 else {}
        fixed = {"W", "W_zero_point", "R", "R_zero_point"}
        packed += agree(
            dynamic_lstm1.OPERATOR,
            inputs,
            attributes,
            fixed,
            dynamic_lstm1.dynamic_quantize_lstm,
        )
    assert (packed == 12) == (backend != "numpy")


def test_projections_have_the_same_bits(backend, threads):
    rng, packed = np.random.default_rng(threads), 0
    scale = np.array(0.01, np.float32)
    for turn in range(12):
        tokens, depth, heads, size = (int(n) for n in rng.integers(1, (6, 40, 3, 12)))
        width, dtype = 3 * heads * size, BYTES[turn % 2]
        bias = drawn(rng, np.float32, width)
        floats = [drawn(rng, np.float32, 2, tokens, depth), drawn(rng, np.float32, depth, width)]
        inputs = [*floats, bias, *[None] * 4]
        packed += agree(
            attention1.OPERATOR, inputs, {"num_heads": heads}, {"weights"}, attention1.attention
        )
        zero = drawn(rng, dtype, width) if turn % 3 else None
        inputs = [drawn(rng, np.uint8, 2, tokens, depth), drawn(rng, dtype, depth, width), bias]
        inputs += [scale, scale, None, drawn(rng, np.uint8), zero, None]
        fixed = {"weight", "weight_zero_point"}
        packed += agree(
            q_attention1.OPERATOR, inputs, {"num_heads": heads}, fixed, q_attention1.q_attention
        )
    assert (packed == 24) == (backend != "numpy")


def test_integers_have_the_same_bits(backend, threads):
    rng, scale = np.random.default_rng(threads), np.array(0.02, np.float32)
    for turn in range(20):
        a, b = BYTES[turn % 2], BYTES[turn // 2 % 2]
        m, k, n = (int(size) for size in rng.integers(1, (20, 60, 90)))
        A, B = drawn(rng, a, m, k), drawn(rng, b, 2, k, n)
        zeros = [None, drawn(rng, b), drawn(rng, b, n), drawn(rng, b, 2, 1, n)]
        zero = zeros[turn % 4]
        agree(matmul_integer10.OPERATOR, [A, B, drawn(rng, a), zero], {}, {"B", "b_zero_point"})
        agree(
            qlinear_matmul10.OPERATOR,
            [A, scale, drawn(rng, a), B[0], scale, drawn(rng, b), scale, drawn(rng, a)],
            {},
            {"b", "b_scale", "b_zero_point"},
        )
        X, W = drawn(rng, a, 1, 6, 9, 8), drawn(rng, b, 40, 6 - turn % 2 * 3, 3, 2)
        attributes = {"group": 1 + turn % 2, "pads": [1, 0, 1, 1]}
        middle = np.array(0 if b is np.int8 else 128, b)
        zero = [middle, drawn(rng, b), drawn(rng, b, 40)][turn % 3]
        agree(
            conv_integer10.OPERATOR, [X, W, drawn(rng, a), zero], attributes, {"w", "w_zero_point"}
        )
        scales = np.full(zero.shape, 0.5, np.float32)
        agree(
            qlinear_conv10.OPERATOR,
            [X, scale, drawn(rng, a), W, scales, zero, scale, drawn(rng, a), None],
            attributes,
            {"w", "w_scale", "w_zero_point"},
        )


def test_arrays_are_copied():
    B = np.ones((4, 20), np.float32)
    prepared = matmul13.prepare(B=B)
    B[:] = 7
    assert (prepared(np.ones((6, 4), np.float32)) == 4).all()


def test_the_rest_is_given_in_order_or_by_name():
    A, B, C = (np.ones((6, 6), np.float32) for _ in range(3))
    prepared = gemm13.prepare(B=B, alpha=2.0)
    expected = gemm13.gemm(A, B, C, alpha=2.0)
    out = np.empty_like(expected)
    assert (prepared(A, C) == expected).all()
    assert (prepared(A, C=C, out=out) == expected).all()
    assert (out == expected).all()
    assert (gemm13.prepare(B=B, C=C, alpha=2.0)(A=A) == expected).all()
    with pytest.raises(opmill.OpError, match=r"number of inputs is 3, expected at most 2"):
        prepared(A, C, C)
    with pytest.raises(opmill.OpError, match=r"input 'B' is given already or unknown"):
        prepared(A, B=B)
    with pytest.raises(opmill.OpError, match=r"input 'D' is unknown, expected one of A, B, C"):
        gemm13.OPERATOR.prepare({"D": B})
    with pytest.raises(opmill.OpError, match=r"A.shape\[1\]"):
        prepared(A[:, :3])


def test_a_prepared_call_is_pickled_and_copied():
    prepared = matmul13.prepare(B=np.eye(20, dtype=np.float32))
    A = np.arange(160, dtype=np.float32).reshape(8, 20)
    for other in (pickle.loads(pickle.dumps(prepared)), copy.deepcopy(prepared)):
        assert other.nbytes == prepared.nbytes
        assert (other(A) == A).all()


@needs_c
def test_nothing_is_packed_where_nothing_is_gained():
    assert matmul13.prepare(B=np.ones(20, np.float32)).nbytes == 0
    assert matmul13.prepare(B=np.ones((20, 0), np.float32)).nbytes == 0
    assert conv11.prepare(W=np.ones((1, 1, 3, 3), np.float32)).nbytes == 0
    assert matmul13.prepare(B=np.ones((20, 20), np.float32)).nbytes > 0


@needs_c
def test_what_is_packed_is_shown():
    A, B = np.ones((8, 20), np.float32), np.ones((20, 20), np.float32)
    packed = matmul13.OPERATOR.pack([None, B], {}, 1)
    assert matmul13.OPERATOR.explain([A, packed]).kernel == "packed_panels"
    assert matmul13.OPERATOR.explain([A, B]).kernel == "panels"


@needs_c
def test_a_packed_form_is_for_one_operator_and_input():
    B = np.ones((20, 20), np.float32)
    packed = matmul13.OPERATOR.pack([None, B], {}, 1)
    with pytest.raises(opmill.OpError, match=r"prepared B is for MatMul-13, expected MatMul-9"):
        matmul9.OPERATOR.result([B, packed], {}, None)
    with pytest.raises(opmill.OpError, match=r"prepared A is for another input, expected this"):
        matmul13.OPERATOR.result([packed, B], {}, None)
    turned = gemm13.OPERATOR.pack([None, B], {"transB": 1}, 1)
    with pytest.raises(opmill.OpError, match=r"prepared B is for other attributes"):
        gemm13.OPERATOR.result([B, turned], {}, None)
    bytes_ = B.astype(np.int8)
    prepared = matmul_integer10.prepare(B=bytes_)
    with pytest.raises(opmill.OpError, match=r"prepared B is for other attributes or zero points"):
        prepared(bytes_, None, np.array(3, np.int8))


def test_products_of_com_microsoft_have_the_same_bits(backend, threads):
    rng, packed = np.random.default_rng(threads), 0
    for turn in range(12):
        a, b = BYTES[turn % 2], BYTES[turn // 2 % 2]
        m, k, n = (int(size) for size in rng.integers(2, (30, 40, 110)))
        A, B, x = drawn(rng, a, m, k), drawn(rng, b, k, n), drawn(rng, np.float32, m, k)
        scale, scales, bias = (
            np.float32([0.5]),
            drawn(rng, np.float32, n),
            drawn(rng, np.float32, n),
        )
        zeros = drawn(rng, b, n) if turn % 3 else None
        fixed = {"B", "b_zero_point"}
        inputs = [A, B, scale, scales, drawn(rng, a, 1), zeros, bias]
        packed += agree(matmul_to_float1.OPERATOR, inputs, {}, fixed)
        packed += agree(dynamic_matmul1.OPERATOR, [x, B, scales, zeros, bias], {}, fixed)
        zero, turned = drawn(rng, b, n), {"transB": turn % 2}
        B = B.T.copy() if turn % 2 else B
        C, quantized = (
            drawn(rng, np.int32, n),
            [scale, drawn(rng, a, 1)] if turn % 3 else [None] * 2,
        )
        inputs = [A, scale, drawn(rng, a, 1), B, scales, zero, C, *quantized]
        packed += agree(q_gemm1.OPERATOR, inputs, turned, fixed)
    assert (packed > 20) == (backend != "numpy")


@needs_c
def test_another_instruction_set_takes_the_array():
    A, B = np.ones((8, 20), np.float32), np.ones((20, 20), np.float32)
    packed = matmul13.OPERATOR.pack([None, B], {}, 1)
    with opmill.use_instruction_set("plain"):
        assert (matmul13.OPERATOR.result([A, packed], {}, None) == 20).all()
        assert matmul13.OPERATOR.explain([A, packed]).kernel == "panels"
