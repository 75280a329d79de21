"""Writes ensembles of complete trees as files of ONNX, for one row and for several, the same ones
every time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, save

_FEATURES = 20
_CLASSES = 5
TREES, DEPTHS, ROWS = (10, 100, 1000), (6, 12), (1, 100, 100_000)


def write(folder: Path, *, trees: tuple[int, ...] = TREES) -> Iterator[Path]:
    """Write regressors and classifiers; rows times trees are limited to 10^7.

    Args:
        folder: where to; it is created.
        trees: how many trees they have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for count, depth, rows, classifies in product(trees, DEPTHS, ROWS, (False, True)):
        rows = min(rows, 10_000_000 // count)
        kind = "classifier" if classifies else "regressor"
        path = folder / f"trees_{kind}_{count}_depth_{depth}_rows_{rows}.onnx"
        save(_model(count, depth, rows, classifies), path)
        yield path


def _model(trees: int, depth: int, rows: int, classifies: bool) -> Any:
    """A model of one node. The scores are its first output."""
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, None)]
    if classifies:
        outputs.append(helper.make_tensor_value_info("labels", TensorProto.INT64, None))
    node = helper.make_node(
        "TreeEnsembleClassifier" if classifies else "TreeEnsembleRegressor",
        ["x"],
        ["labels", "scores"] if classifies else ["scores"],
        domain="ai.onnx.ml",
        **_attributes(trees, depth, classifies),
    )
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, _FEATURES])
    graph = helper.make_graph([node], "trees", [given], outputs)
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _attributes(trees: int, depth: int, classifies: bool) -> dict[str, Any]:
    """Trees of random comparisons, each leaf with one vote."""
    rng = np.random.default_rng(1)
    nodes, inner = 2 ** (depth + 1) - 1, 2**depth - 1
    ids = np.tile(np.arange(nodes), trees)
    leaf = ids >= inner
    owners = np.repeat(np.arange(trees), nodes)
    votes = int(leaf.sum())
    kind = "class" if classifies else "target"
    targets = rng.integers(0, _CLASSES, votes) if classifies else np.zeros(votes, np.int64)
    found: dict[str, Any] = {
        "nodes_treeids": owners.tolist(),
        "nodes_nodeids": ids.tolist(),
        "nodes_featureids": np.where(leaf, 0, rng.integers(0, _FEATURES, len(ids))).tolist(),
        "nodes_values": np.where(leaf, 0, rng.standard_normal(len(ids))).tolist(),
        "nodes_modes": ["LEAF" if end else "BRANCH_LEQ" for end in leaf],
        "nodes_truenodeids": np.where(leaf, 0, 2 * ids + 1).tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, 2 * ids + 2).tolist(),
        f"{kind}_treeids": owners[leaf].tolist(),
        f"{kind}_nodeids": ids[leaf].tolist(),
        f"{kind}_ids": targets.tolist(),
        f"{kind}_weights": (rng.random(votes) / trees).tolist(),
    }
    if classifies:
        return found | {"classlabels_int64s": list(range(_CLASSES))}
    return found | {"n_targets": 1}
