"""Networks for ``opmill.compile`` whose shapes a run chooses, or data that it computes."""

from __future__ import annotations

import numpy as np

from compiled_networks import NETWORKS, Source

_HEAD = (
    "k = NonMaxSuppression(boxes, scores, most, overlap, threshold) "
    "which = Gather<axis=1>(k, two) one = Gather<axis=1>(k, one_) "
    "flat = Squeeze(boxes, zero) chosen = Gather<axis=0>(flat, which) "
    "pairs = Concat<axis=1>(u1, u0) u1 = Unsqueeze(one, axis) u0 = Unsqueeze(which, axis) "
    "table = Squeeze(scores, zero) marks = GatherND(table, pairs) s = Shape(marks) "
    "limit = Min(s, best) top, at = TopK<axis=0>(marks, limit) kept = Gather<axis=0>(chosen, at) "
    "labels = Gather<axis=0>(one, at)"
)

OPEN = {
    "open_batch": (NETWORKS["mlp"]._replace(signature="float[n,16] x => float y"), {"n": 9}),
    "open_images": (NETWORKS["cnn"]._replace(signature="float[n,3,h,16] x => float y"),
                    {"n": 3, "h": 20}),
    "open_sequence": (NETWORKS["transformer"]._replace(signature="float[batch,t,16] x => float y"),
                      {"batch": 3, "t": 12}),
    "open_lstm": (
        Source(
            "float[t,n,5] x, int32[n] lengths => float y, float last",
            "y, last = LSTM<hidden_size=4, activations=[\"Sigmoid\", \"Tanh\", \"Relu\"]>"
            "(x, w, r, b, lengths)",
            {"w": "float 1,16,5", "r": "float 1,16,4", "b": "float 1,32"},
        ),
        {"n": 2, "t": 6},
    ),
    "detections": (
        Source(
            "float[1,12,4] boxes, float[1,3,12] scores => float kept, int64 labels, float top",
            _HEAD,
            {"most": np.int64(4), "overlap": np.float32(0.5), "threshold": np.float32(0.1),
             "zero": np.array([0]), "axis": np.array([1]), "two": np.int64(2),
             "one_": np.int64(1), "best": np.array([5])},
        ),
        {},
    ),
    "open_detections": (
        Source(
            "float[1,n,4] boxes, float[1,3,n] scores => float kept, int64 labels, float top",
            _HEAD,
            {"most": np.int64(4), "overlap": np.float32(0.5), "threshold": np.float32(0.1),
             "zero": np.array([0]), "axis": np.array([1]), "two": np.int64(2),
             "one_": np.int64(1), "best": np.array([5])},
        ),
        {"n": 40},
    ),
    "found": (
        Source(
            "float[3,4] x, bool[3] mask => int64 where, float rows, float sums, int64 counts, "
            "float values, float copy, int64 size",
            "p = Relu(x) where = NonZero(p) rows = Compress<axis=0>(x, mask) "
            "sums = ReduceSum<keepdims=0>(rows, zero) e = Round(x) "
            "values, i, j, counts = Unique(e) flat = Reshape(rows, all) copy = Identity(flat) "
            "size = Size(where)",
            {"zero": np.array([0]), "all": np.array([-1])},
        ),
        {},
    ),
    "open_values": (
        Source(
            "float[2,10] x, int64[1] k, int64 last => float best, int64 at, int64 steps, "
            "float part",
            "best, at = TopK(x, k) steps = Range(first, last, one) part = Slice(x, none, k, axis)",
            {"first": np.int64(0), "one": np.int64(1), "none": np.array([0]),
             "axis": np.array([1])},
        ),
        {"k": 7, "last": 11},
    ),
    "computed_values": (
        Source(
            "float[2,10] x, float[10] z, float limit => float best, int64 at, int64 steps, "
            "float part, float hot, float rest, float sums",
            "a = Abs(z) m = ReduceMax(a) c = Cast<to=7>(m) k = Add(c, one1) "
            "best, at = TopK(x, k) last = Cast<to=7>(limit) "
            "steps = Range(first, last, one) where = ArgMax<axis=0,keepdims=1>(z) "
            "part = Slice(x, none, where, axis) d = ReduceMax<keepdims=0>(where) "
            "depth = Add(d, one) hot = OneHot(where, depth, values) "
            "found = NonZero(part) s = Shape<start=1>(found) left = Sub(twenty, s) "
            "rest = ConstantOfShape(left) r = Relu(rest) sums = ReduceSum(r)",
            {"first": np.int64(0), "one": np.int64(1), "one1": np.array([1]),
             "none": np.array([0]), "axis": np.array([1]), "values": np.float32([2, 3]),
             "twenty": np.array([20])},
        ),
        {"k": 6, "last": 11, "where": 9, "depth": 10, "left": 20},
    ),
    "stated_elements": (
        Source(
            "float[12] x, float[2] wide, int64[4] pads, int64[4] sizes, float[4] scales, "
            "int64[2] times => float e, float p, float q, float r, float t",
            "six = Cast<to=7>(wide) small = Reshape(x, column) e = Expand(small, six) "
            "p = Pad(small, pads) image = Reshape(x, square) "
            'q = Resize<mode="linear">(image, , , sizes) r = Resize(image, , scales) '
            "t = Tile(small, times)",
            {"column": np.array([12, 1]), "square": np.array([1, 1, 3, 4])},
        ),
        {"wide": (12, 4), "pads": (0, 2, 1, 3), "sizes": (1, 1, 7, 5), "scales": (1, 1, 2, 3),
         "times": (2, 3)},
    ),
    "stated_shape": (
        Source(
            "float[12] x, int64[2] shape => float y, float z",
            "v = Reshape(x, shape) y = Relu(v) z = ReduceMean<keepdims=0>(v, axis)",
            {"axis": np.array([0])},
        ),
        {"shape": (12, 12)},
    ),
    "stated_parts": (
        Source("float[6] x, int64[2] sizes => float y, float z", "y, z = Split(x, sizes)"),
        {"sizes": (4, 6)},
    ),
    "open_shapes": (
        Source(
            "float[n,2] x, float[m,1] y => float filled, float tail, float joined, float[n,2] same",
            "s = Shape<start=0,end=1>(x) d = Sub(top, s) "
            "filled = ConstantOfShape<value: tensor = float[1] {2.5}>(d) "
            "from = Neg(s) tail = Slice(filled, zero, s) "
            "wide = Expand(y, pair) joined = Concat<axis=0>(x, wide) same = Identity(x)",
            {"top": np.array([9]), "zero": np.array([0]), "pair": np.array([1, 2])},
        ),
        {"n": 9, "m": 4},
    ),
}  # fmt: skip
"""Those whose shapes are open: with the maxima of the sizes that a run chooses."""
