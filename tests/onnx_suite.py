"""ONNX's own backend tests, and which of them this package must pass.

``onnx.backend.test`` has a case a call for each operator at its newest version, and models that
other tools have exported. A case is ours when it consists of milled operators and constants alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import onnx
from onnx import ModelProto, TensorProto, defs, numpy_helper, shape_inference
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

import opmill

KINDS = ("node", "simple", "real", "pytorch-converted", "pytorch-operator")

DataSet = tuple[list[Any], list[Any]]
"""The inputs of a model, and the outputs that are expected."""


@dataclass(frozen=True)
class Case:
    """A model with the data that it is judged by."""

    name: str
    kind: str
    model: ModelProto
    data: tuple[DataSet, ...]
    rtol: float
    atol: float

    @cached_property
    def types(self) -> dict[str, str]:
        """ONNX's word for the type of each value of the model, as ``tensor(float)``."""
        inferred = shape_inference.infer_shapes(self.model).graph
        typed = (*inferred.input, *inferred.value_info, *inferred.output)
        codes = {entry.name: entry.type.tensor_type.elem_type for entry in typed}
        codes |= {tensor.name: tensor.data_type for tensor in inferred.initializer}
        names = TensorProto.DataType.Name
        return {name: f"tensor({names(code).lower()})" for name, code in codes.items()}


@cache
def cases() -> tuple[Case, ...]:
    """Every case that consists of milled operators and constants, sorted by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some cases overflow on purpose while they are made
        listed = [(kind, case) for kind in KINDS for case in load_model_tests(kind=kind)]
    found = [_read(kind, case) for kind, case in listed if case.url is None]
    return tuple(sorted((case for case in found if case is not None), key=lambda c: c.name))


def is_ours(model: ModelProto) -> bool:
    """Whether there is a milled operator in the model, and none else but constants.

    The backend takes models of tensors alone, no sequences and no optionals.
    """
    values = (*model.graph.input, *model.graph.output)
    if any(value.type.WhichOneof("value") != "tensor_type" for value in values):
        return False
    milled = {(domain, name) for domain, name, _ in opmill.operators()}
    used = {(node.domain or "ai.onnx", node.op_type) for node in model.graph.node}
    return bool(used & milled) and used <= milled | {("ai.onnx", "Constant")}


def _read(kind: str, case: TestCase) -> Case | None:
    """A case of ours as it is; ``None`` for another one."""
    folder = Path(case.model_dir) if case.model_dir else None
    model = onnx.load(folder / "model.onnx") if folder else case.model
    if not is_ours(model):
        return None
    data = [_read_data(model, part) for part in folder.glob("test_data_set_*")] if folder else []
    sets = [tuple([_array(one) for one in part] for part in pair) for pair in case.data_sets or ()]
    return Case(case.name, kind, model, tuple(data or sets), case.rtol, case.atol)


def _read_data(model: ModelProto, folder: Path) -> DataSet:
    return (
        [_tensor(path) for path in _numbered(folder, "input", len(model.graph.input))],
        [_tensor(path) for path in _numbered(folder, "output", len(model.graph.output))],
    )


def _numbered(folder: Path, word: str, most: int) -> Iterator[Path]:
    """``input_0.pb`` and so on; inputs that have initializers have no file."""
    for number in range(most):
        path = folder / f"{word}_{number}.pb"
        if path.exists():
            yield path


def _array(given: Any) -> Any:
    """Types that NumPy lacks stand in the cases as ONNX's tensors."""
    return numpy_helper.to_array(given) if isinstance(given, TensorProto) else given


def _tensor(path: Path) -> Any:
    return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))


# The same test at other opsets


def opset_of(model: ModelProto) -> int:
    """The opset of ONNX's own domain that a model imports."""
    (opset,) = (entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    return opset


def versions_of(model: ModelProto, opset: int) -> dict[str, int]:
    """The version in force at an opset of each operator in a model, constants left out."""
    names = {node.op_type for node in model.graph.node} - {"Constant"}
    return {name: defs.get_schema(name, opset, "").since_version for name in names}


def rebuilt(case: Case, opset: int) -> ModelProto | None:
    """The model of a case at another opset; ``None`` where it is not legal or not the same there.

    The same means: each node's schema takes the same inputs and outputs, the attributes that the
    node has, with the same defaults for those it leaves out, and the types of the data.
    """
    for node in case.model.graph.node:
        here = defs.get_schema(node.op_type, opset_of(case.model), node.domain)
        try:
            there = defs.get_schema(node.op_type, opset, node.domain)
        except defs.SchemaError:
            return None
        if not (_same_call(node, here, there) and _takes(node, there, case.types)):
            return None
    model = ModelProto()
    model.CopyFrom(case.model)
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = opset
    return model


def _same_call(node: onnx.NodeProto, here: defs.OpSchema, there: defs.OpSchema) -> bool:
    if [(p.name, p.option) for p in here.inputs] != [(p.name, p.option) for p in there.inputs]:
        return False
    if [(p.name, p.option) for p in here.outputs] != [(p.name, p.option) for p in there.outputs]:
        return False
    given = {attribute.name for attribute in node.attribute}
    if node.op_type == "Constant":
        return given <= set(there.attributes)
    if not given <= set(there.attributes):
        return False
    return all(
        name in given
        or (
            name in here.attributes
            and name in there.attributes
            and here.attributes[name].default_value == there.attributes[name].default_value
        )
        for name in {*here.attributes, *there.attributes}
    )


def _takes(node: onnx.NodeProto, schema: defs.OpSchema, types: dict[str, str]) -> bool:
    """Whether a schema allows the types of a node's inputs and outputs."""
    pairs = [
        *zip(node.input, schema.inputs, strict=False),
        *zip(node.output, schema.outputs, strict=False),
    ]
    return all(types[name] in formal.types for name, formal in pairs if name)
