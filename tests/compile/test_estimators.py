"""Networks of ai.onnx.ml: attributes of estimators become constants of C."""

from __future__ import annotations

import pytest
from onnx import ModelProto, parser

import opmill

TREES = """nodes_treeids=[0, 0, 0, 1], nodes_nodeids=[0, 1, 2, 0], nodes_featureids=[1, 0, 0, 0],
 nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0, 0],
 nodes_falsenodeids=[2, 0, 0, 0], nodes_values=[0.25, 0.0, 0.0, 0.0]"""

MODELS = {
    "linear classifier": (
        "float[4,3] x => int64 l, float p",
        "l, p = ai.onnx.ml.LinearClassifier<classlabels_ints=[4, 5], "
        "coefficients=[1.0, 2.0, 3.0, -1.0, 0.5, 0.25], intercepts=[0.5, -0.5], "
        'post_transform="SOFTMAX">(x)',
    ),
    "scaled linear regressor": (
        "float[4,3] x => float y",
        "s = ai.onnx.ml.Scaler<offset=[0.5, 0.25, 0.0], scale=[2.0, 1.0, 0.5]>(x) "
        "y = ai.onnx.ml.LinearRegressor<coefficients=[1.0, -2.0, 0.75], intercepts=[0.125]>(s)",
    ),
    "trees with classes": (
        "float[4,3] x => int64 l, float p",
        f"l, p = ai.onnx.ml.TreeEnsembleClassifier<{TREES}, class_treeids=[0, 0, 1], "
        "class_nodeids=[1, 2, 0], class_ids=[0, 1, 1], class_weights=[1.0, 0.5, 0.25], "
        "classlabels_int64s=[7, 9]>(x)",
    ),
    "trees with targets": (
        "float[4,3] x => float y",
        f"y = ai.onnx.ml.TreeEnsembleRegressor<n_targets=1, {TREES}, target_treeids=[0, 0, 1], "
        "target_nodeids=[1, 2, 0], target_ids=[0, 0, 0], target_weights=[1.5, -2.5, 0.25]>(x)",
    ),
    "support vectors": (
        "float[4,2] x => float y",
        'y = ai.onnx.ml.SVMRegressor<kernel_type="RBF", kernel_params=[0.5, 0.0, 3.0], '
        "n_supports=2, support_vectors=[0.5, 1.0, -1.0, 0.25], coefficients=[0.75, -1.5], "
        "rho=[0.25]>(x)",
    ),
}


def model_of(name: str) -> ModelProto:
    signature, nodes = MODELS[name]
    return parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 3]> '
        f"net ({signature.replace('=>', ') => (')}) {{ {nodes} }}"
    )


@pytest.mark.parametrize("name", MODELS)
def test_estimators_have_the_bits_of_the_model(name, tmp_path):
    """Each in C without weights in a file and with them, for plain C and for this processor."""
    for k, options in enumerate(({}, {"weights_file": True}, {"isa": "native"})):
        report = opmill.compile(model_of(name), tmp_path / str(k), check=True, **options)
        assert report["nodes"][-1]["weights"] > 0


def test_arrays_are_those_of_the_attributes(tmp_path):
    opmill.compile(model_of("trees with targets"), tmp_path, prefix="net")
    written = (tmp_path / "net_weights.c").read_text(encoding="utf-8")
    assert '    "BRANCH_LEQ", "LEAF", "LEAF", "LEAF",\n' in written
    assert "nodes_values: float[4]" in written


def test_labels_of_strings_are_refused(tmp_path):
    nodes = MODELS["linear classifier"][1]
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["ai.onnx.ml": 3]> net (float[4,3] x) => '
        "(string l, float p) { " + nodes.replace("ints=[4, 5]", 'strings=["a", "b"]') + " }"
    )
    with pytest.raises(opmill.CompileError, match="computes string, expected numbers"):
        opmill.compile(model, tmp_path / "net")
    assert not (tmp_path / "net").exists()
