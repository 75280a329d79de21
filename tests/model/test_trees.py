"""``opmill.Model``: trees are arranged once for all runs, which have the bits of single calls."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

pytestmark = pytest.mark.skipif("c" not in opmill.backends(), reason="there is no native module")

FEATURES = 5
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
TYPES = {np.float32: TensorProto.FLOAT, np.float64: TensorProto.DOUBLE,
         np.int64: TensorProto.INT64, np.int32: TensorProto.INT32}  # fmt: skip


@pytest.fixture
def arranged(monkeypatch):
    """The lists of attributes of all steps that are planned."""
    from opmill import _native

    lists, plan = [], _native.plan_segment

    def watched(steps, *rest):
        segment = plan(steps, *rest)
        lists.extend(step[-1] for step in steps)
        return segment

    monkeypatch.setattr(_native, "plan_segment", watched)
    return lambda: sum(
        one.nbytes for own in {id(one): one for one in lists}.values() for one in own
    )


def ensemble(rng, modes, classes, *, trees=7, depth=3):
    """The lists of complete trees; the votes are for ``classes`` classes or targets."""
    nodes, inner = 2 ** (depth + 1) - 1, 2**depth - 1
    ids = np.tile(np.arange(nodes), trees)
    leaf = ids >= inner
    owners = np.repeat(np.arange(trees), nodes)
    return {
        "nodes_treeids": owners,
        "nodes_nodeids": ids,
        "nodes_featureids": np.where(leaf, 0, rng.integers(0, FEATURES, len(ids))),
        "nodes_values": rng.integers(-2, 3, len(ids)).astype(np.float32),
        "nodes_missing_value_tracks_true": rng.integers(0, 2, len(ids)),
        "nodes_modes": ["LEAF" if end else str(rng.choice(modes)) for end in leaf],
        "nodes_truenodeids": np.where(leaf, 0, 2 * ids + 1),
        "nodes_falsenodeids": np.where(leaf, 0, 2 * ids + 2),
        "treeids": owners[leaf],
        "nodeids": ids[leaf],
        "ids": rng.integers(0, classes, leaf.sum()),
        "weights": rng.standard_normal(leaf.sum()).astype(np.float32),
    }


def listed(attributes, kind):
    votes = ("treeids", "nodeids", "ids", "weights")
    return {
        f"{kind}_{name}" if name in votes else name: list(value) if name == "nodes_modes"
        else value.tolist()
        for name, value in attributes.items()
    }  # fmt: skip


def model_of(operator, version, type_, attributes, outputs):
    node = helper.make_node(operator, ["X"], list(outputs), domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("X", type_, ["n", "m"])],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
    )
    return opmill.Model(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", version)])
    )


def classifier(rng, type_, modes=MODES, classes=3, single=False, **more):
    attributes = ensemble(rng, modes, classes)
    if single:
        attributes["ids"][:] = 1
    attributes = listed(attributes, "class") | {"classlabels_int64s": list(range(classes))} | more
    outputs = {"Y": TensorProto.INT64, "Z": TensorProto.FLOAT}
    return model_of("TreeEnsembleClassifier", 3, type_, attributes, outputs)


def regressor(rng, type_, modes=MODES, targets=1, **more):
    attributes = listed(ensemble(rng, modes, targets), "target") | {"n_targets": targets} | more
    return model_of("TreeEnsembleRegressor", 3, type_, attributes, {"Y": TensorProto.FLOAT})


def positions(rng, type_, dtype):
    """TreeEnsemble-5 with every mode, sets among them."""
    nodes, leaves = 7, 8
    modes = np.array([6, 0, 1, 2, 3, 4, 5], np.uint8)
    tensors = {
        "nodes_modes": modes,
        "nodes_splits": rng.integers(-2, 3, nodes).astype(dtype),
        "leaf_weights": rng.standard_normal(leaves).astype(dtype),
        "membership_values": np.array([1, -1, np.nan], dtype),
    }
    return model_of(
        "TreeEnsemble",
        5,
        type_,
        {name: numpy_helper.from_array(value) for name, value in tensors.items()}
        | {
            "n_targets": 2,
            "tree_roots": [0],
            "nodes_featureids": rng.integers(0, FEATURES, nodes).tolist(),
            "nodes_trueleafs": [0, 0, 0, 1, 1, 1, 1],
            "nodes_falseleafs": [0, 0, 0, 1, 1, 1, 1],
            "nodes_truenodeids": [1, 3, 5, 0, 2, 4, 6],
            "nodes_falsenodeids": [2, 4, 6, 1, 3, 5, 7],
            "leaf_targetids": rng.integers(0, 2, leaves).tolist(),
        },
        {"Y": type_},
    )


def rows_of(rng, dtype, rows):
    drawn = rng.integers(-2, 3, (rows, FEATURES)).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        drawn[rng.random(drawn.shape) < 0.1] = np.nan
    return drawn


def check(model, rng, dtype, rows=(1, 3, 100, 1)):
    """Runs have the bits of calls without anything arranged, in C and in NumPy."""
    for count in rows:
        X = rows_of(rng, dtype, count)
        with model.trace():
            expected = [value.tobytes() for value in model.run([X])]
        assert [value.tobytes() for value in model.run([X])] == expected
        assert [value.tobytes() for value in model.run([X])] == expected
        with opmill.use_backend("numpy"):
            assert [value.tobytes() for value in model.run([X])] == expected


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("modes", [MODES, MODES[:1], MODES[1:2]], ids=["any", "leq", "lt"])
def test_lists_of_all_types_and_modes(arranged, dtype, modes):
    rng = np.random.default_rng(5)
    for classes, single in ((3, False), (2, False), (2, True)):
        check(classifier(rng, TYPES[dtype], modes, classes, single), rng, dtype)
        assert arranged() > 0
    one_base = {"base_values": [0.25], "post_transform": "LOGISTIC"}
    check(classifier(rng, TYPES[dtype], modes, 2, True, **one_base), rng, dtype)
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        check(regressor(rng, TYPES[dtype], modes, aggregate_function=aggregate), rng, dtype)
        check(regressor(rng, TYPES[dtype], modes, 2, aggregate_function=aggregate), rng, dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_positions_of_all_modes(arranged, dtype):
    rng = np.random.default_rng(6)
    type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    for _ in range(4):
        check(positions(rng, type_, dtype), rng, dtype)
    assert arranged() > 0


def test_segments_share_what_is_arranged(arranged):
    rng = np.random.default_rng(7)
    model = regressor(rng, TensorProto.FLOAT)
    model.run([rows_of(rng, np.float32, 1)])
    once = arranged()
    assert once > 0
    for rows in (2, 3, 100):
        model.run([rows_of(rng, np.float32, rows)])
    assert arranged() == once


def test_every_number_of_features_is_checked():
    rng = np.random.default_rng(8)
    model = regressor(rng, TensorProto.FLOAT)
    for width in (FEATURES, FEATURES + 3):
        X = np.full((2, width), 0.5, np.float32)
        with model.trace():
            expected = model.run([X])["Y"].tobytes()
        assert model.run([X])["Y"].tobytes() == expected
    for _ in range(2):
        with pytest.raises(opmill.OpError, match=r"nodes_featureids\[\d+\] is 4, expected 0 to 3"):
            model.run([np.zeros((2, FEATURES - 1), np.float32)])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("target_ids", 3, r"target_ids\[2\] is 3, expected 0 to 0"),
        ("nodes_modes", "BRANCH", r"nodes_modes\[2\] is 'BRANCH', expected 'LEAF' or"),
        ("nodes_truenodeids", 99, r"nodes_truenodeids\[2\] is 99, expected a node of tree 0"),
        ("nodes_truenodeids", 0, r"node 0 is its own descendant, expected trees without cycles"),
    ],
)
def test_invalid_trees_raise_the_same_errors(name, change, message):
    rng = np.random.default_rng(9)
    attributes = listed(ensemble(rng, MODES, 1), "target") | {"n_targets": 1}
    attributes[name][2] = change
    model = model_of(
        "TreeEnsembleRegressor", 3, TensorProto.FLOAT, attributes, {"Y": TensorProto.FLOAT}
    )
    for _ in range(2):
        with pytest.raises(opmill.OpError, match=message):
            model.run([np.zeros((2, FEATURES), np.float32)])


def test_threads_have_no_effect_on_bits():
    rng = np.random.default_rng(10)
    before = opmill.get_threads()
    model = classifier(rng, TensorProto.FLOAT)
    X = rows_of(rng, np.float32, 5000)
    results = []
    for threads in (1, 2, 3):
        opmill.set_threads(threads)
        try:
            results.append([value.tobytes() for value in model.run([X])])
        finally:
            opmill.set_threads(before)
    assert results[0] == results[1] == results[2]
