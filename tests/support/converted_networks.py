"""Networks moved to other opsets, and there and back; compared with the originals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, checker, helper

import conversion_onnx
import opmill
from compiled_networks import NETWORKS, proto
from conversion_results import compared
from opmill._convert.model import conversion

TARGETS = (7, 9, 11, 13, 17, 18, 21, 25, 28)
ATOL = 1e-5

WORDS = ("exact", "close", "refused", "wrong")

INFERRED_FROM = {"known_branch": 11, "pools": 22}
"""Networks that are right, and that ONNX's inference refuses before these opsets.

Branches have different ranks; a last window of ``ceil_mode`` begins behind the input, which
onnxruntime leaves out too.
"""


class Moved(NamedTuple):
    """Outcome of a network.

    Args:
        name: its name.
        opset: the opset that it was moved to.
        word: one of ``WORDS``.
        reason: why nodes were refused, or what is wrong.
        onnx: what ONNX's converter does with it, a word of ``conversion_onnx.WORDS``.
    """

    name: str
    opset: int
    word: str
    reason: str
    onnx: str


def moved(
    name: str, targets: tuple[int, ...] = TARGETS, *, beside: bool = False
) -> Iterator[Moved]:
    """Move a network to each opset; ``beside`` has ONNX's converter do the same."""
    model = network(name)
    feeds = feeds_of(model)
    wanted = opmill.Model(model).run(feeds)
    for opset in targets:
        word, reason = _judged(name, model, opset, feeds, wanted)
        by_onnx = ""
        if beside:
            by_onnx = conversion_onnx.judged(
                model, opset, wanted, lambda one: opmill.Model(one).run(feeds)
            )
        yield Moved(name, opset, word, reason, by_onnx)


def there_and_back(name: str, opset: int) -> str:
    """Return the outcome of converting a network to an opset and back: a word of ``WORDS``."""
    model = network(name)
    feeds = feeds_of(model)
    wanted = opmill.Model(model).run(feeds)
    there = conversion(model, opset)
    if there.refused:
        return "refused"
    back = opmill.convert(there.model, there.source)
    checker.check_model(back, full_check=True)
    return _compared(wanted, opmill.Model(back).run(feeds))


def network(name: str) -> ModelProto:
    """A network of ``NETWORKS``, with the shapes of its outputs."""
    model = proto(NETWORKS[name])
    results = opmill.Model(model).run(feeds_of(model))
    for info, array in zip(model.graph.output, results, strict=True):
        element = info.type.tensor_type.elem_type
        info.type.CopyFrom(helper.make_tensor_type_proto(element, array.shape))
    return model


def feeds_of(model: ModelProto) -> dict[str, Any]:
    """Inputs of a network, the same on each call."""
    random = np.random.default_rng(7)
    found: dict[str, Any] = {}
    for info in model.graph.input:
        tensor = info.type.tensor_type
        shape = [size.dim_value if size.HasField("dim_value") else 2 for size in tensor.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        values = random.standard_normal(shape)
        if np.dtype(dtype).kind in "iub":
            values = random.integers(0, 2, shape)
        found[info.name] = np.asarray(values).astype(dtype)
    return found


def _judged(name: str, model: ModelProto, opset: int, feeds: Any, wanted: Any) -> tuple[str, str]:
    done = conversion(model, opset)
    if done.refused:
        return "refused", "; ".join(dict.fromkeys(one.reason for one in done.refused))
    try:
        is_inferred = opset >= INFERRED_FROM.get(name, 1)
        checker.check_model(done.model, full_check=is_inferred)
        found = opmill.Model(done.model).run(feeds)
    except Exception as error:  # of any class: it is what the test reports
        return "wrong", str(error)
    word = _compared(wanted, found)
    return word, "" if word != "wrong" else "results differ"


def _compared(wanted: Any, found: Any) -> str:
    word = compared(wanted, found, ATOL)
    return "wrong" if word == "different" else word
