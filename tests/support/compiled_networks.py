"""Networks of every kind for ``opmill.compile``, as nodes in ONNX's text and random weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from onnx import ModelProto, helper, numpy_helper, parser

_TYPES = {"float": np.float32, "int8": np.int8, "uint8": np.uint8, "int32": np.int32,
          "int64": np.int64, "double": np.float64, "float16": np.float16}  # fmt: skip


class Source(NamedTuple):
    """A network.

    Args:
        signature: the inputs and outputs, in ONNX's text.
        nodes: the nodes, in ONNX's text.
        weights: the type and shape of each random weight by name, or its values.
        opset: the opset.
    """

    signature: str
    nodes: str
    weights: Mapping[str, Any] = {}
    opset: int = 21


def proto(source: Source) -> ModelProto:
    """The model."""
    model = parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {source.opset}]> '
        f"net ({source.signature.replace('=>', ') => (')}) {{ {source.nodes} }}"
    )
    random = np.random.default_rng(1)
    for name, value in source.weights.items():
        if isinstance(value, str):
            word, _, dims = value.partition(" ")
            shape = tuple(map(int, dims.split(","))) if dims else ()
            values = random.standard_normal(shape) / 2
            value = np.asarray(values * (40 if "int" in word else 1)).astype(_TYPES[word])
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return model


_INT64 = np.int64

NETWORKS = {
    "mlp": Source(
        "float[1,16] x => float y",
        "a = Gemm<transB=1>(x, w1, b1) b = Relu(a) c = Gemm(b, w2, b2) y = Softmax<axis=1>(c)",
        {"w1": "float 32,16", "b1": "float 32", "w2": "float 32,10", "b2": "float 10"},
    ),
    "cnn": Source(
        "float[1,3,16,16] x => float y",
        "a = Conv<pads=[1,1,1,1]>(x, w1, b1) b = Relu(a) "
        "c = MaxPool<kernel_shape=[2,2],strides=[2,2]>(b) d = Conv<pads=[1,1,1,1]>(c, w2, b2) "
        "e = Clip(d, low, high) f = GlobalAveragePool(e) g = Flatten(f) "
        "h = Gemm(g, w3, b3) y = Softmax(h)",
        {
            "w1": "float 8,3,3,3",
            "b1": "float 8",
            "w2": "float 16,8,3,3",
            "b2": "float 16",
            "w3": "float 16,10",
            "b3": "float 10",
            "low": np.float32(0),
            "high": np.float32(6),
        },
    ),
    "depthwise": Source(
        "float[1,8,9,9] x => float y",
        'a = Conv<group=8,strides=[2,2],auto_pad="SAME_UPPER">(x, w1) b = Relu(a) '
        "c = Conv(b, w2, b2) y = HardSwish(c)",
        {"w1": "float 8,1,3,3", "w2": "float 12,8,1,1", "b2": "float 12"},
    ),
    "residual": Source(
        "float[2,8,8,8] x => float y",
        "a = Conv<pads=[1,1,1,1]>(x, w) b = BatchNormalization(a, s, t, m, v) c = Add(b, x) "
        "y = Relu(c)",
        {
            "w": "float 8,8,3,3",
            "s": "float 8",
            "t": "float 8",
            "m": "float 8",
            "v": np.ones(8, np.float32),
        },
    ),
    "lstm": Source(
        "float[5,2,6] x => float y, float h, float c",
        'y, h, c = LSTM<hidden_size=4,direction="bidirectional">(x, w, r, b)',
        {"w": "float 2,16,6", "r": "float 2,16,4", "b": "float 2,32"},
    ),
    "gru": Source(
        "float[5,2,6] x => float h",
        "y, h = GRU<hidden_size=4,linear_before_reset=1>(x, w, r, b)",
        {"w": "float 1,12,6", "r": "float 1,12,4", "b": "float 1,24"},
    ),
    "rnn": Source(
        "float[5,2,6] x => float y",
        'y = RNN<hidden_size=4,activations=["Relu"]>(x, w, r)',
        {"w": "float 1,4,6", "r": "float 1,4,4"},
    ),
    "transformer": Source(
        "float[1,8,16] x => float y",
        "n = LayerNormalization<axis=-1>(x, s, t) q = MatMul(n, wq) k = MatMul(n, wk) "
        "v = MatMul(n, wv) z = Shape(x) length = Slice(z, zero, two, zero) "
        "heads = Concat<axis=0>(length, split) q1 = Reshape(q, heads) k1 = Reshape(k, heads) "
        "v1 = Reshape(v, heads) q2 = Transpose<perm=[0,2,1,3]>(q1) "
        "k2 = Transpose<perm=[0,2,3,1]>(k1) v2 = Transpose<perm=[0,2,1,3]>(v1) "
        "m = MatMul(q2, k2) m1 = Mul(m, scale) p = Softmax<axis=-1>(m1) o = MatMul(p, v2) "
        "o1 = Transpose<perm=[0,2,1,3]>(o) o2 = Reshape(o1, z) o3 = MatMul(o2, wo) "
        "r = Add(x, o3) f = MatMul(r, w1) g = Gelu(f) e = MatMul(g, w2) y = Add(r, e)",
        {
            "s": "float 16",
            "t": "float 16",
            "wq": "float 16,16",
            "wk": "float 16,16",
            "wv": "float 16,16",
            "wo": "float 16,16",
            "w1": "float 16,32",
            "w2": "float 32,16",
            "scale": np.float32(0.5),
            "zero": np.array([0]),
            "two": np.array([2]),
            "split": np.array([4, 4]),
        },
    ),
    "embedding": Source(
        "int64[1,7] ids => float y, int64 best",
        "e = Gather<axis=0>(table, ids) m = ReduceMean<keepdims=0>(e, axis) "
        "y = MatMul(m, w) best = ArgMax<axis=-1,keepdims=0>(y)",
        {"table": "float 20,8", "axis": np.array([1]), "w": "float 8,5"},
    ),
    "qlinear": Source(
        "int8[1,3,8,8] x => int8 y",
        "a = QLinearConv<pads=[1,1,1,1]>(x, s, z, w, sw, z, s2, z, b) "
        "f = Flatten(a) y = QLinearMatMul(f, s2, z, m, sw, z, s, z)",
        {
            "s": np.float32(0.1),
            "z": np.int8(0),
            "w": "int8 4,3,3,3",
            "sw": np.float32(0.02),
            "s2": np.float32(0.2),
            "b": "int32 4",
            "m": "int8 256,6",
        },
    ),
    "qdq": Source(
        "float[1,3,8,8] x => float y",
        "q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) "
        "wd = DequantizeLinear<axis=0>(w, sw) c = Conv(d, wd) r = Relu(c) "
        "q2 = QuantizeLinear(r, s, z) y = DequantizeLinear(q2, s, z)",
        {
            "s": np.float32(0.05),
            "z": np.uint8(120),
            "w": "int8 4,3,3,3",
            "sw": np.full(4, 0.02, np.float32),
        },
    ),
    "dynamic_quantize": Source(
        "float[3,8] x => int32 y, float s",
        "q, s, z = DynamicQuantizeLinear(x) y = MatMulInteger(q, w, z)",
        {"w": "uint8 8,4"},
    ),
    "images": Source(
        "float[1,2,5,5] x => float y, float z",
        'r = Resize<mode="linear">(x, none, scales) p = Pad(r, pads) '
        "y = AveragePool<kernel_shape=[3,3],strides=[2,2]>(p) "
        "t = ConvTranspose<strides=[2,2]>(x, w) z = DepthToSpace<blocksize=2>(t)",
        {
            "none": np.zeros(0, np.float32),
            "scales": np.array([1, 1, 2, 2], np.float32),
            "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1]),
            "w": "float 2,4,3,3",
        },
    ),
    "moves": Source(
        "float[2,6,4] x => float y, float z, float b",
        "a, b, c = Split<axis=1,num_outputs=3>(x) d = Concat<axis=2>(a, c, a) "
        "e = Slice(d, starts, ends) y = Transpose<perm=[2,0,1]>(e) t = Tile(b, two) "
        "u = Unsqueeze(t, axis) s = Squeeze(u, axis) z = Expand(s, whole)",
        {
            "starts": np.array([0, 0, 1]),
            "ends": np.array([2, 2, 9]),
            "two": np.array([1, 2, 1]),
            "axis": np.array([0]),
            "whole": np.array([2, 4, 4]),
        },
    ),
    "normalizations": Source(
        "float[2,4,5] x => float y",
        "a = InstanceNormalization(x, s, t) b = GroupNormalization<num_groups=2>(a, s, t) "
        "c = LpNormalization(b) d = MeanVarianceNormalization<axes=[0,2]>(c) y = LRN<size=3>(d)",
        {"s": "float 4", "t": "float 4"},
    ),
    "choices": Source(
        "float[3,4] x, float[3,1] t => float y, bool m, float v, int64 i",
        "m = Greater(x, t) n = Neg(x) y = Where(m, x, n) v, i = TopK<axis=1>(x, k)",
        {"k": np.array([2])},
    ),
    "indices": Source(
        "float[4,5] x, int64[2,1] i => float y, float z, float h",
        "y = ScatterND(x, i, u) z = GatherND(x, i) h = OneHot(i, depth, ends)",
        {"u": "float 2,5", "depth": np.array(3), "ends": np.array([0, 1], np.float32)},
    ),
    "functions": Source(
        "float[3,7] x => float y, float z",
        "a = Exp(x) b = Log(a) c = Tanh(b) d = Erf(c) e = Sigmoid(d) f = Sin(e) g = Pow(f, p) "
        "y = Sum(a, b, c, d, g) z = CumSum(y, axis)",
        {"p": np.float32(1.5), "axis": np.array(1)},
    ),
    "reductions": Source(
        "float[2,3,4] x => float y, float z, float s",
        "y = ReduceMax(x, a) z = ReduceL2<keepdims=0>(x, a) l = ReduceLogSumExp(x, a) "
        "s = Sub(y, l)",
        {"a": np.array([0, 2])},
    ),
    "einsum": Source(
        "float[2,3] a, float[3,4] b => float y", 'y = Einsum<equation="ij,jk->ki">(a, b)'
    ),
    "types": Source(
        "double[2,3] x, float16[2,3] h => double y, float16 z, int8 i, bool b",
        "a = Abs(x) y = Sqrt(a) z = Add(h, h) i = Cast<to=3>(x) b = Cast<to=9>(h)",
    ),
    "bfloat16": Source(
        "bfloat16[2,3] x => bfloat16 y",
        "y = Mul(x, w)",
        {"w": np.arange(3).astype(ml_dtypes.bfloat16)},
    ),
    "spectrum": Source(
        "float[1,16,1] x => float y",
        "y = DFT<onesided=1>(x, none, axis)",
        {"none": np.array(16), "axis": np.array(1)},
        20,
    ),
    "no_calls": Source(
        "float[2] x => float y, float z, float c, float d",
        "y = Identity(x) z = Identity(x) c = Identity(w) d = Identity(c)",
        {"w": np.array([-0.0, np.inf], np.float32)},
    ),
    "no_elements": Source(
        "float[0,3] x => float y, float z", "y = Relu(x) z = ReduceSum(y, a)", {"a": np.array([0])}
    ),
    "twice": Source("float[3] x => float y, float z", "y = Relu(x) z = Neg(y)"),
    "old": Source(
        "float[1,4] x => float y",
        "a = Gemm<broadcast=1>(x, w, b) y = Softmax(a)",
        {"w": "float 4,3", "b": "float 3"},
        1,
    ),
    "branches": Source(
        "float[2,3] x, bool c => float y, float z",
        "a = Abs(x) y, z = If(c)<then_branch = t () => (float[2,3] p, float[2,3] q) "
        "{ p = Add(a, w) q = Identity(x) }, else_branch = f () => (float[2,3] p, float[2,3] q) "
        "{ r = Neg(a) p = Exp(r) q = Identity(r) }>",
        {"w": "float 2,3"},
    ),
    "known_branch": Source(
        "float[2,3] x => float y",
        "n = Size(x) c = Less(n, nine) y = If(c)<then_branch = t () => (float[2,3] p) "
        "{ p = Add(x, x) }, else_branch = f () => (float[6] p) { p = Reshape(x, six) }>",
        {"nine": np.array(9), "six": np.array([6])},
    ),
    "counted_loop": Source(
        "float[3] x, float[3] w => float a, float b, float s",
        "a, b, s = Loop(trips, on, x, w)<body = g (int64 i, bool c, float[3] p, float[3] q) => "
        "(bool d, float[3] r, float[3] p2, float[3] t) { d = Identity(c) f = Cast<to=1>(i) "
        "m = Mul(q, f) r = Add(m, w) p2 = Identity(p) t = Sub(p, q) }>",
        {"trips": np.array(4), "on": np.array(True)},
    ),
    "swapping_loop": Source(
        "float[3] x, float[3] w, int64 n => float y, float z",
        "y, z = Loop(n, , x, w)<body = g (int64[1] i, bool c, float[3] p, float[3] q) => "
        "(bool c2, float[3] q2, float[3] p2) { c2 = Identity(c) q2 = Identity(q) "
        "p2 = Identity(p) }>",
    ),
    "open_loop": Source(
        "float[2] x => float y",
        "m = ReduceMax<keepdims=0>(x) on = Less(m, ten) y = Loop(, on, x)<body = g (int64 i, "
        "bool c, float[2] p) => (bool d, float[2] q) { a = Abs(p) e = Add(a, one) q = Mul(e, two) "
        "n = ReduceMax<keepdims=0>(q) d = Less(n, ten) }>",
        {"ten": np.float32(30), "one": np.float32(1), "two": np.float32(2)},
    ),
    "loops_in_branches": Source(
        "float[2,3] x, int64 n, bool c => float y",
        "y = If(c)<then_branch = t () => (float[2,3] p) { p = Loop(n, , x)<body = g (int64 i, "
        "bool b, float[2,3] v) => (bool b2, float[2,3] u) { b2 = Identity(b) o = Loop(k, , v)<body "
        "= h (int64 j, bool e, float[2,3] v1) => (bool e2, float[2,3] v2) { e2 = Identity(e) "
        "v2 = Add(v1, x) }> u = Tanh(o) }> }, else_branch = f () => (float[2,3] q) { q = Neg(x) }>",
        {"k": np.array(3)},
    ),
    "scanned": Source(
        "float[2] s, float[4,3,2] x, float[3,4] z => float e, float y, float u",
        "e, y, u = Scan<num_scan_inputs=2,scan_input_axes=[1,-2],scan_input_directions=[0,1],"
        "scan_output_axes=[1,0],scan_output_directions=[1,0],body = g (float[2] p, float[4,2] v, "
        "float[4] t) => (float[2] q, float[4,2] r, float m) { r = Mul(v, p) "
        "d = ReduceSum<keepdims=0>(r, axis) q = Add(p, d) m = ReduceMax<keepdims=0>(t) }>(s, x, z)",
        {"axis": np.array([0])},
    ),
    "sums": Source(
        "float[2,6,9,7] x, float[3,40] m => float y, float z, float g, float e, float s",
        "a = Conv<group=2,dilations=[2,1],strides=[1,2],pads=[2,1,1,2]>(x, w, b) y = Relu(a) "
        "z = Conv(x, w1) c = Conv<pads=[1,1,1,1]>(x, w2, b2) d = Conv<pads=[1,1,1,1]>(c, w3, b2) "
        "e = GlobalAveragePool(d) r = Reshape(x, rows) q = Conv<pads=[1,1]>(r, w4) "
        "s = ReduceMean(q, last) "
        "g1 = Gemm<transB=1,alpha=0.5,beta=2.0>(m, k, t) g2 = Softmax(g1) "
        "g = Gemm<transA=1>(g2, u)",
        {
            "w": "float 4,3,3,3",
            "b": "float 4",
            "w1": "float 5,6,1,1",
            "w2": "float 40,6,3,3",
            "b2": "float 40",
            "w3": "float 40,40,3,3",
            "w4": "float 3,6,3",
            "rows": np.array([2, 6, 63]),
            "last": np.array([2]),
            "k": "float 50,40",
            "t": "float 50",
            "u": "float 3,2",
        },
    ),
    "integers": Source(
        "uint8[2,4,7,9] x, float[2,3,4] f, int8[5,3] a, int8[2,3,4] e => uint8 y, uint8 m, int8 q, "
        "float d, uint8 p, float r",
        "y = QLinearConv<pads=[1,2,0,1],strides=[2,1],dilations=[1,2]>(x, s, z, w, sw, zw, t, z, b)"
        " c = QLinearConv(y, t, z, v, s, i, s, z) "
        "g = QLinearConv<group=4,pads=[1,1,1,1]>(x, s, z, u, sw4, z4, t, z) "
        "m = MaxPool<kernel_shape=[3,2],strides=[2,1],pads=[1,0,1,1],dilations=[1,2]>(g) "
        "q = QuantizeLinear<axis=1>(f, s3, z3) d = DequantizeLinear<axis=2>(e, s4) "
        "p = QLinearMatMul(c, s, z, n, sn, zn, t, z) "
        "o = QLinearMatMul(a, s, i, k, s, i, t, i) r = DequantizeLinear(o, s)",
        {
            "s": np.float32(0.02),
            "t": np.float32(0.3),
            "z": np.uint8(101),
            "i": np.int8(-3),
            "w": "int8 6,4,2,3",
            "sw": np.linspace(0.01, 0.2, 6, dtype=np.float32),
            "zw": np.array([0, 1, -2, 0, 5, -128], np.int8),
            "b": "int32 6",
            "v": "int8 5,6,1,1",
            "u": np.arange(36, dtype=np.uint8).reshape(4, 1, 3, 3) * 7,
            "sw4": np.linspace(0.01, 0.1, 4, dtype=np.float32),
            "z4": np.array([0, 100, 255, 3], np.uint8),
            "s3": np.array([0.01, 0.02, 3e-40], np.float32),
            "z3": np.array([0, -7, 90], np.int8),
            "s4": np.array([0.1, 0.2, 0.3, 3e38], np.float32),
            "n": "int8 8,7",
            "sn": np.linspace(0.01, 0.1, 7, dtype=np.float32),
            "zn": np.array([0, 1, 2, 3, -4, 5, 6], np.int8),
            "k": "int8 3,2",
        },
    ),
    "between_quantizers": Source(
        "uint8[2,3,4,6] x, int8[2,3,4,6] w => uint8 m, int8 a, uint8 s, uint8 t, uint8 p, uint8 v, "
        "float f, int8 c, uint8 u",
        "d = DequantizeLinear(x, sx, zx) e = DequantizeLinear(w, sw) g = GlobalAveragePool(d) "
        "flat = Flatten(g) m = QuantizeLinear(flat, sy, zx) b = Add(d, e) r = Relu(b) "
        "a = QuantizeLinear(r, sy, zw) i = Sigmoid(d) h = HardSwish(i) "
        "s = QuantizeLinear(h, sx, zx) k = AveragePool<kernel_shape=[2,3],pads=[1,1,0,0]>(d) "
        "l = Clip(k, low, high) t = QuantizeLinear(l, sy, zx) n = MaxPool<kernel_shape=[2,2]>(d) "
        "p = QuantizeLinear(n, sx, zx) o = Reshape(d, row) v2 = QuantizeLinear(o, sx, zx) "
        "v = MaxPool<kernel_shape=[3]>(v2) f = Neg(e) j = AveragePool<kernel_shape=[4,6]>(e) "
        "c = QuantizeLinear(j, sy, zw) u = QuantizeLinear(d, sx, zx)",
        {
            "sx": np.float32(0.02),
            "zx": np.uint8(110),
            "sw": np.float32(0.031),
            "sy": np.float32(0.013),
            "zw": np.int8(-5),
            "low": np.float32(-0.2),
            "high": np.float32(0.6),
            "row": np.array([2, 3, 24]),
        },
    ),
    "dense_layers": Source(
        "float[3,16] x => float y",
        "q = QuantizeLinear(x, s, zx) d = DequantizeLinear(q, s, zx) "
        "w = DequantizeLinear<axis=0>(wq, sw) b = DequantizeLinear<axis=0>(bq, sb) "
        "g = Gemm<transB=1>(d, w, b) r = Relu(g) q2 = QuantizeLinear(r, t, zt) "
        "d2 = DequantizeLinear(q2, t, zt) v = DequantizeLinear<axis=1>(vq, sv) "
        "h = Gemm(d2, v) q3 = QuantizeLinear(h, s, zx) d3 = DequantizeLinear(q3, s, zx) "
        "m = DequantizeLinear(mq, s) p = MatMul(d3, m) q4 = QuantizeLinear(p, t, zt) "
        "y = DequantizeLinear(q4, t, zt)",
        {
            "s": np.float32(0.02),
            "zx": np.int8(-9),
            "t": np.float32(0.25),
            "zt": np.int8(-100),
            "wq": "int8 10,16",
            "sw": np.linspace(0.01, 0.2, 10, dtype=np.float32),
            "bq": "int32 10",
            "sb": np.linspace(0.01, 0.2, 10, dtype=np.float32) * np.float32(0.02),
            "vq": "int8 10,7",
            "sv": np.linspace(0.01, 0.1, 7, dtype=np.float32),
            "mq": "int8 7,5",
        },
    ),
    "activations": Source(
        "float[2,3,4,5] x, int8[2,3] q, float[4,1] k => float y, float z, int8 c, float t, "
        "float u, int8 v, float o, float e, float f, float g",
        "a = Clip(x, low, high) b = Clip(x, , high) h = HardSwish(a) "
        "s = HardSigmoid<alpha=0.3>(b) l = LeakyRelu<alpha=0.1>(x) n = Neg(l) y = Abs(n) "
        "m = Mul(x, channel) w = Sub(k, m) "
        "z = Add(w, s) c = Clip(q, ql, qh) t = Transpose<perm=[2,0,3,1]>(h) u = Transpose(l) "
        "v = Transpose(c) o = Concat<axis=1>(x, y, k4) e = Clip(x, nothing) f = Clip(x, low) "
        "r = Reciprocal(null) i = Mul(x, r) j = Clip(i) "
        "g = BatchNormalization(j, wide, bias, mean, spread)",
        {
            "low": np.float32(-0.4),
            "high": np.float32(0.75),
            "channel": "float 3,1,1",
            "ql": np.int8(-7),
            "qh": np.int8(90),
            "k4": "float 2,1,4,5",
            "nothing": np.float32(np.nan),
            "null": np.float32(0),
            "wide": np.array([1, -2.5e13, 3], np.float32),
            "bias": np.array([-0.0, 3e20, 0.1], np.float32),
            "mean": np.array([0.3, -1, 2e18], np.float32),
            "spread": np.array([0.7, 1, 0], np.float32),
        },
    ),
    "labels": Source(
        "float[3,1500] x, int8[2,3,4] q, uint8[2,3,4] u => int64 a, int64 b, int64 c, int64 d, "
        "int64 e, int64 f, float s, int32 g, int64 h, int8 i, uint8 j, bool k, float l, float m, "
        "int8 n, uint8 o, int32 p, float t, bool v, float w",
        "a = ArgMax<axis=1>(x) b = ArgMin<axis=0,keepdims=0,select_last_index=1>(x) "
        "c = ArgMax<axis=1>(q) d = ArgMin<axis=2,select_last_index=1>(u) z = Mul(x, marks) "
        "e = ArgMin<axis=1>(z) f = ArgMax<axis=1,select_last_index=1>(z) s = ReduceSum(x, last) "
        "y = Mul(z, huge) g = Cast<to=6>(y) h = Cast<to=7>(y) i = Cast<to=3>(y) j = Cast<to=2>(y) "
        "k = Cast<to=9>(z) l = Cast<to=1>(k) m = Cast<to=1>(q) n = Cast<to=3>(u) o = Cast<to=2>(q) "
        "p = Cast<to=6>(h) t = Cast<to=1>(h) v = Cast<to=9>(g) w = Cast<to=1>(g)",
        {
            "last": np.array([1]),
            "marks": np.array([0, 1, np.inf, np.nan, -0.0, np.nan, *[1] * 1494], np.float32),
            "huge": np.tile(np.float32([1, 100, 3e9, 1e12, 3e18, 1e25]), 250),
        },
    ),
    "long_lines": Source(
        "float[2,1500] x, float[2,3,1024] w => float y, float z, int8 m, int8 n, float s",
        "y = Softmax(x) z = ReduceMean(x, last) q = QuantizeLinear(x, t, o) "
        "d = DequantizeLinear(q, t, o) a = ReduceMean(d, last) m = QuantizeLinear(a, u, o) "
        "v = QuantizeLinear(w, t, o) e = DequantizeLinear(v, t, o) r = GlobalAveragePool(e) "
        "n = QuantizeLinear(r, u, o) s = Softmax(w)",
        {"last": np.array([1]), "t": np.float32(0.02), "u": np.float32(0.001), "o": np.int8(3)},
    ),
    "pools": Source(
        "float[2,3,7,9] x, int8[1,2,11] q => float y, float z, int8 p, float a, float b, float c, "
        "float d, float e, float g, float h, float k, float l, float o",
        "n = Sqrt(x) y = MaxPool<kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]>(n) "
        "z = MaxPool<kernel_shape=[2,1],dilations=[3,1],ceil_mode=1,strides=[2,3]>(x) "
        "p = MaxPool<kernel_shape=[4],strides=[3],pads=[2,1]>(q) "
        "a = AveragePool<kernel_shape=[3,2],strides=[2,2],pads=[1,1,1,0]>(x) "
        "b = AveragePool<kernel_shape=[3,3],pads=[1,2,1,0],count_include_pad=1,ceil_mode=1>(x) "
        "c = AveragePool<kernel_shape=[7,9]>(x) d = AveragePool<kernel_shape=[3,9],pads=[1,0,1,0],"
        "strides=[2,1]>(x) r = Reshape(x, row) e = AveragePool<kernel_shape=[20],strides=[3],"
        "pads=[4,4]>(r) m = Mul(x, huge) g = AveragePool<kernel_shape=[2,2]>(m) "
        "h = AveragePool<kernel_shape=[2,3],dilations=[3,2]>(n) s = Sub(x, n) t = Add(s, x) "
        "o = Sub(huge, t) w = Mul(x, nil) k = Relu(w) "
        "l = Relu(n)",
        {"row": np.array([2, 3, 63]), "huge": np.float32(2.5e38), "nil": np.float32(0)},
    ),
    "scalar": Source("float x, float[2] v => float y", "y = Mul(x, v)"),
}
"""By name."""

COMPACT = ("mlp", "cnn", "depthwise", "residual", "loops_in_branches", "sums", "qlinear", "qdq",
           "integers", "pools", "between_quantizers", "activations", "long_lines",
           "labels")  # fmt: skip
"""Those that are compiled with compact kernels too."""

FUSED = ("qdq", "dense_layers")
"""Those in QDQ form that are compiled in integers too, with compact kernels."""


def names() -> ModelProto:
    """A network whose names are keywords, labels and variables of C, or no identifiers at all."""
    inputs = ["int", "i0", "memory", "context", "a-b", "a b", "1st", "NULL", "ü", "INT8_MAX"]
    outputs = ["plan", "code", "inputs", "*/", "errno", "INT", "uint8_t"]
    floats = [
        [helper.make_tensor_value_info(name, 1, [2]) for name in some] for some in (inputs, outputs)
    ]
    nodes = [helper.make_node("Sum", inputs, [outputs[0]], name="/* \\ %s ?" + "?/")]
    nodes += [helper.make_node("Neg", [outputs[0]], [name]) for name in outputs[1:]]
    graph = helper.make_graph(nodes, "g", *floats)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
