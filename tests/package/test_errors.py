"""The classes of errors: what they have in common, and what they say of a node of a model."""

from __future__ import annotations

import importlib
import pickle
import pkgutil

import numpy as np
import pytest
from onnx import helper

import opmill
from opmill.onnx_backend import OnnxBackend
from unsupported import unsupported

INTERNAL = {
    *("ContentsError", "GraphShapeError", "GraphTypeError", "Int64OverflowError"),
    *("TooManyValuesError", "Refusal", "ValueNeededError", "_Refusal", "_Refused", "_Unusual"),
}
"""Those that are caught before a caller sees them."""

BASES = {
    "AttributeValueError": ValueError,
    "BackendError": RuntimeError,
    "FeedError": ValueError,
    "ModelError": ValueError,
    "NoOperatorError": LookupError,
    "NotInOpsetError": AttributeError,
    "UnsupportedOperatorError": ValueError,
    "OpError": ValueError,
    "ShapeError": ValueError,
    "TypeConstraintError": ValueError,
}


def defined() -> dict[str, type[Exception]]:
    """All classes of exceptions in the modules of the runtime and of the adapters."""
    found: dict[str, type[Exception]] = {}
    for package in ("opmill._runtime", "opmill._model", "opmill._onnx"):
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            for name, one in vars(importlib.import_module(module.name)).items():
                ours = isinstance(one, type) and one.__module__.startswith("opmill")
                if ours and issubclass(one, Exception) and name not in INTERNAL:
                    found[name] = one
    return found


@pytest.mark.parametrize("name", ["", ".onnx_backend", ".onnx_reference", ".onnxruntime_ops"])
def test_public_names_have_public_modules(name):
    module = importlib.import_module(f"opmill{name}")
    names = [name for name in getattr(module, "__all__", opmill._MEMBERS) if name != "DOMAIN"]
    for name in names:
        member = getattr(module, name)
        # The package exports the errors of models, and so do two modules.
        public = {module.__name__, "opmill"}
        assert member.__module__ in public, name
        assert pickle.loads(pickle.dumps(member)) is member, name


def test_all_errors_have_one_base():
    found = defined()
    assert found.pop("Error") is opmill.Error
    assert found.keys() == BASES.keys()
    for name, error in found.items():
        assert issubclass(error, opmill.Error), name
        assert issubclass(error, BASES[name]), name
    assert not issubclass(opmill.BackendError, opmill.OpError)


def test_one_clause_catches_what_a_call_can_raise(monkeypatch):
    with pytest.raises(opmill.Error, match=r"^Tile-13: number of inputs is 0, expected 2$"):
        opmill.operator("Tile", 13)([])
    with pytest.raises(opmill.Error, match=r"^use_backend asks for backend 'tpu'"):
        opmill.use_backend("tpu")
    (lacking,) = unsupported(monkeypatch, 1)
    with pytest.raises(
        opmill.Error, match=rf"^{lacking.operator}-\d+ is published for opset 13 but"
    ):
        getattr(opmill.opset13, lacking.name)


def test_a_single_node_is_named_by_its_refusal():
    x = np.ones((1, 2), np.float32)
    node = helper.make_node("Tile", ["x", "n"], ["y"], name="twice")
    with pytest.raises(opmill.ShapeError) as caught:
        OnnxBackend.run_node(node, [x, [2]], opset_version=6)
    reason = "repeats has 1 value, expected 2 (the rank of input)"
    assert str(caught.value) == f"node 'twice' of ai.onnx: Tile-6: {reason}"
    assert caught.value.location == "node 'twice' of ai.onnx"
    assert (caught.value.operator, caught.value.since_version) == ("Tile", 6)
    assert caught.value.reason == reason
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (opmill.ShapeError, str(caught.value))
    node = helper.make_node("Tile", ["x", "n"], ["y"], tiles=2)
    with pytest.raises(opmill.AttributeValueError) as caught:
        OnnxBackend.run_node(node, [x, [1, 2]])
    assert str(caught.value) == (
        "node 'Tile' of ai.onnx: Tile-13: attribute 'tiles' is unknown, expected none"
    )


def test_an_error_outside_of_a_model_has_no_location():
    with pytest.raises(opmill.OpError) as caught:
        opmill.operator("Tile", 13)([])
    assert caught.value.location == ""
