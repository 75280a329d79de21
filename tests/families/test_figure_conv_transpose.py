"""The pictures of ConvTranspose's examples place the output where the rule places it."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest

from c_library import ROOT
from checked_tree import checked_tree
from opmill._families.conv_transpose.rules_attributes import rules
from opmill._runtime.rule_support import Tensor
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.figures import example_figure, figure_arguments
from opmill_gen.figures.svg import Pictured
from opmill_gen.spec.cases import Example
from opmill_gen.yaml_reader.tree import plain

pytestmark = pytest.mark.operators("ConvTranspose")

VERSIONS = [
    version
    for version in checked_tree().versions
    if version.instance.family.name == "conv_transpose" and version.spec.domain == "ai.onnx"
]


@pytest.fixture(scope="module")
def figure() -> ModuleType:
    path = ROOT / "families" / "conv_transpose" / "figure.py"
    spec = importlib.util.spec_from_file_location("conv_transpose_figure", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def shapes(arguments: Any) -> dict[str, tuple[int, ...] | None]:
    return {n: a.tensors[0].shape if a.tensors else None for n, a in arguments.items()}


def drawn(figure: ModuleType, dims: tuple[int, int, int], **attributes: Any) -> str | None:
    """The picture of a call with an axis of the given inputs, taps and outputs."""
    X, W, Y = (Pictured((1, 1, dim), None) for dim in dims)
    made: str | None = figure.figure({"X": X, "W": W}, attributes, {"Y": Y})
    return made


def given(version: CheckedVersion, example: Example) -> dict[str, Any]:
    values = {a.name: a.default_value for a in version.spec.attributes}
    return values | {name: plain(tree) for name, tree in example.attributes.items()}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.spec.label)
def test_the_figure_crops_as_the_rule_does(figure: ModuleType, version: CheckedVersion):
    for example in version.spec.examples:
        inputs = shapes(example.inputs)
        tensors = [
            None if inputs.get(name) is None else Tensor(name, "float", inputs[name], None)
            for name in ("X", "W", "B")
        ]
        plan = rules("ConvTranspose", *tensors, **given(version, example)).plan
        axes = figure.axes(*figure_arguments(version, example))
        assert [axis.begin for axis in axes] == list(plan["begin"]), example.name
        assert [axis.stride for axis in axes] == list(plan["strides"])
        assert [axis.dilation for axis in axes] == list(plan["dilations"])


def test_most_examples_are_drawn(figure: ModuleType):
    for version in VERSIONS:
        drawn = [example_figure(version, example) for example in version.spec.examples]
        assert sum(picture is not None for picture in drawn) > len(drawn) / 2


def test_a_picture_tells_what_it_shows(figure: ModuleType):
    picture = drawn(figure, (4, 3, 6), strides=[2], pads=[0, 3])
    assert picture is not None
    assert (
        "<title>axis 0: 4 inputs, 3 taps, stride 2, dilation 1, 9 positions, 0 cut off at the "
        "beginning and 3 at the end, 6 in the output</title>"
    ) in picture
    assert picture.count("opmill-tap") == 4 * 3
    assert picture.count("opmill-kept") == 6
    assert picture.count("opmill-cut") == 3
    assert drawn(figure, (4000, 3, 4002)) is None


def test_positions_that_no_tap_reaches_are_told_apart(figure: ModuleType):
    picture = drawn(figure, (2, 1, 4), strides=[3])
    assert picture is not None
    assert picture.count("opmill-kept") == 2
    assert picture.count("opmill-empty") == 2
