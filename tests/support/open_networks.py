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
