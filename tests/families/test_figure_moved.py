"""Pictures of moved elements: what they show is what the kernels do, not what the figure computes.

The examples' elements are replaced by numbers that are all different: the NumPy kernel's results
name the element that each one of the output copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from differential.versions import Version
from figure_cells import Picture, pictured
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.figures import figure_arguments
from opmill_gen.figures.svg import element_text
from opmill_gen.spec.cases import Example

FAMILIES = {
    "tile": ("Tile", ["input"]),
    "expand": ("Expand", ["input"]),
    "concat": ("Concat", ["inputs"]),
    "split": ("Split", ["input"]),
    "transpose": ("Transpose", ["data"]),
    "gather": ("Gather GatherND", ["data"]),
    "pad": ("Pad CenterCropPad", ["data", "input_data"]),
}


def numbered(
    version: CheckedVersion, call: Version, example: Example, moved: list[str]
) -> tuple[dict[int, tuple[str, int]], list[Any]]:
    """Return the number of each element, and the kernel's output for the numbers."""
    inputs, attributes, outputs = figure_arguments(version, example)
    elements: dict[int, tuple[str, int]] = {}
    given: list[Any] = []

    def numbers(name: str, tensor: Any) -> Any:
        first = len(elements) + 1
        elements.update({first + k: (name, k) for k in range(tensor.size)})
        return np.arange(first, first + tensor.size, dtype=np.float32).reshape(tensor.shape)

    for parameter in version.spec.inputs:
        tensor, dtype = inputs.get(parameter.name), np.int64
        if parameter.name in moved:
            many = isinstance(tensor, list)
            tensors = tensor if many else [tensor]
            made = [
                numbers(f"{parameter.name}[{k}]" if many else parameter.name, one)
                for k, one in enumerate(tensors)
            ]
            given += made
            continue
        if tensor is None:
            given.append(None)
            continue
        if parameter.name == "constant_value":
            given.append(np.full(tensor.shape, -1, np.float32))
            continue
        if version.spec.operator in ("Tile", "Split") and version.spec.since_version == 1:
            dtype = np.float32
        given.append(np.array(tensor.elements, dtype).reshape(tensor.shape))
    while given and given[-1] is None:
        given.pop()
    asked = {name: value for name, value in attributes.items() if name in example.attributes}
    if "value" in asked:
        asked["value"] = -1.0
    count = sum(len(one) if isinstance(one, list) else 1 for one in outputs.values())
    return elements, list(call.operator(given, asked, outputs=count))


def stated(version: CheckedVersion, example: Example) -> list[Any]:
    """The outputs that the example states."""
    outputs = figure_arguments(version, example)[2].values()
    return [one for some in outputs for one in (some if isinstance(some, list) else [some])]


def check(
    picture: Picture,
    elements: dict[int, tuple[str, int]],
    results: list[Any],
    shapes: dict[str, tuple[int, ...]],
) -> None:
    """Each box of an output has the text and the colour of the element that the kernel copied."""
    inputs = {name for name, _ in elements.values()}
    parts = {part.label: part for part in picture.parts}
    shown = [part for part in picture.parts if part.label in inputs]
    made = [part for part in picture.parts[len(shown) :] if part.label != "indices"]
    tensors = [result for result in results if result.size]
    assert len(made) == len(tensors)
    given = {name: parts[name].in_order(shape) for name, shape in shapes.items() if name in parts}
    used = set()
    for part, result in zip(made, tensors, strict=True):
        boxes = part.in_order(result.shape)
        assert len(boxes) == result.size
        for box, number in zip(boxes, result.ravel(), strict=True):
            if int(number) not in elements:
                assert "opmill-filled" in box.kinds
                continue
            name, k = elements[int(number)]
            used.add((name, k))
            origin = given[name][k]
            assert (box.text, box.colour) == (origin.text, origin.colour)
            assert box.colour is not None
    for name, k in elements.values():
        if name in given:
            assert (given[name][k].colour is None) == ((name, k) not in used)


@pytest.mark.parametrize(
    "family",
    [pytest.param(f, marks=pytest.mark.operators(names)) for f, (names, _) in FAMILIES.items()],
)
def test_boxes_show_what_the_kernel_moves(family: str):
    drawn = 0
    for version, call, example, picture in pictured(family):
        moved = FAMILIES[family][1]
        elements, results = numbered(version, call, example, moved)
        shapes: dict[str, tuple[int, ...]] = {}
        for name, tensor in figure_arguments(version, example)[0].items():
            for k, one in enumerate(tensor if isinstance(tensor, list) else [tensor]):
                if one is not None:
                    label = f"{name}[{k}]" if isinstance(tensor, list) else name
                    shapes[label] = one.shape
        check(picture, elements, results, shapes)
        drawn += 1
    assert drawn >= 20


@pytest.mark.parametrize(
    "family",
    [pytest.param(f, marks=pytest.mark.operators(names)) for f, (names, _) in FAMILIES.items()],
)
def test_boxes_have_the_values_of_the_example(family: str):
    checked = 0
    for version, _, example, picture in pictured(family):
        tensors = [one for one in stated(version, example) if one.size]
        for tensor, part in zip(tensors, picture.parts[-len(tensors) :], strict=True):
            if tensor.elements is not None:
                texts = [box.text for box in part.in_order(tensor.shape)]
                assert texts == [element_text(e) for e in tensor.elements], example.name
                checked += 1
    assert checked >= 20


@pytest.mark.operators("Gather")
def test_indices_have_the_colour_of_what_they_choose():
    for version, _, example, picture in pictured("gather"):
        inputs, attributes, _ = figure_arguments(version, example)
        if "axis" not in attributes or len(inputs["data"].shape) != 1:
            continue
        data, indices = picture.parts[:2]
        chosen = indices.in_order(inputs["indices"].shape)
        for box in chosen:
            assert box.colour == data.in_order(inputs["data"].shape)[int(box.text)].colour


@pytest.mark.operators("Pad")
def test_what_is_added_is_dashed():
    """An example whose reflection has the same values twice."""
    for _, _, example, picture in pictured("pad"):
        if example.name == "reflect":
            boxes = picture.parts[-1].in_order((3, 4))
            added = ["opmill-added" in box.kinds for box in boxes]
            assert added == [True, True, False, False] * 3
            return
    raise AssertionError
