"""ONNX's own backend tests, and which of them this package must pass.

``onnx.backend.test`` has a case a call for each operator at its newest version, and models that
other tools have exported. A case is ours when it has only supported operators and constants.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OptionalProto,
    SequenceProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    defs,
    numpy_helper,
    shape_inference,
)
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

import opmill
from onnx_rewrites import exceptions
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name
from opmill._runtime.operator import Operator
from opmill.onnx_backend import OnnxBackend
from stored import stored

KINDS = ("node", "simple", "real", "pytorch-converted", "pytorch-operator")

DataSet = tuple[list[Any], list[Any]]
"""The inputs of a model, and the outputs that are expected."""


@dataclass(frozen=True, eq=False)
class Case:
    """A model with the data that it is judged by."""

    name: str
    kind: str
    model: ModelProto
    data: tuple[DataSet, ...]
    rtol: float
    atol: float

    @cached_property
    def nodes(self) -> tuple[NodeProto, ...]:
        """The nodes of the model's graphs, of its own domain."""
        return tuple(own_nodes(self.model))

    @cached_property
    def domain(self) -> str:
        return domain_of(self.model)

    @cached_property
    def opset(self) -> int:
        return opset_of(self.model)

    @cached_property
    def versions(self) -> dict[str, int]:
        """The version of each operator of the model, constants left out."""
        return versions_of(self.model)

    @cached_property
    def types(self) -> dict[str, str]:
        """ONNX's word for the type of each value of the model, as ``tensor(float)``."""
        inferred = shape_inference.infer_shapes(self.model).graph
        return {name: word for graph in graphs_of(inferred) for name, word in _types(graph)}


def graphs_of(graph: GraphProto) -> Iterator[GraphProto]:
    """A graph, and those of its nodes at any depth."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def nodes_of(graph: GraphProto) -> list[NodeProto]:
    """The nodes of a graph and of the graphs in it."""
    return [node for one in graphs_of(graph) for node in one.node]


def _types(graph: GraphProto) -> Iterator[tuple[str, str]]:
    """Each value of a graph with ONNX's word for its type."""
    for entry in (*graph.input, *graph.value_info, *graph.output):
        yield entry.name, _type_word(entry.type)
    for tensor in graph.initializer:
        yield tensor.name, _tensor_word(tensor.data_type)


def _type_word(type_: TypeProto) -> str:
    """ONNX's word for a type, as ``optional(seq(tensor(float)))``."""
    kind = type_.WhichOneof("value")
    if kind == "sequence_type":
        return f"seq({_type_word(type_.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({_type_word(type_.optional_type.elem_type)})"
    assert kind == "tensor_type"
    return _tensor_word(type_.tensor_type.elem_type)


def _tensor_word(code: int) -> str:
    return f"tensor({TensorProto.DataType.Name(code).lower()})"


@cache
def cases() -> tuple[Case, ...]:
    """Every case that consists of supported operators and constants, sorted by name."""
    found = [_read(kind, case) for kind, case in _listed()]
    return tuple(sorted((case for case in found if case is not None), key=lambda c: c.name))


@cache
def _listed() -> tuple[tuple[str, TestCase], ...]:
    """The tests of each kind that are installed. ONNX computes most of them when it is imported."""
    releases = f"{onnx.__version__} {np.__version__} {sys.version}"
    return stored("onnx-suite", releases, tuple, _load)


def listed(kind: str) -> list[TestCase]:
    """The tests of a kind."""
    return [case for its, case in _listed() if its == kind]


def _load() -> tuple[tuple[str, TestCase], ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some cases overflow on purpose while they are made
        listed = [(kind, case) for kind in KINDS for case in load_model_tests(kind=kind)]
    return tuple((kind, case) for kind, case in listed if case.url is None)


def _model(case: TestCase) -> ModelProto:
    return onnx.load(Path(case.model_dir) / "model.onnx") if case.model_dir else case.model


def is_ours(model: ModelProto) -> bool:
    """Return whether there is a supported operator in the model, and none else but constants."""
    supported = {(domain, name) for domain, name, _ in opmill.operators()}
    used = {(domain_name(node.domain), node.op_type) for node in nodes_of(model.graph)}
    constant = {(MAIN_DOMAIN, "Constant")}  # the backend makes them as it reads a model
    return bool(used & supported - constant) and used <= supported | constant


def holds_others_than_tensors(model: ModelProto) -> bool:
    """Return whether a sequence or an optional goes in or out."""
    values = (*model.graph.input, *model.graph.output)
    return any(value.type.WhichOneof("value") != "tensor_type" for value in values)


def _read(kind: str, case: TestCase) -> Case | None:
    """A case of ours as it is; ``None`` for another one."""
    folder = Path(case.model_dir) if case.model_dir else None
    model = _model(case)
    if not is_ours(model):
        return None
    data = [read_data(model, part) for part in folder.glob("test_data_set_*")] if folder else []
    sets = [tuple([_array(one) for one in part] for part in pair) for pair in case.data_sets or ()]
    operators = {node.op_type for node in nodes_of(model.graph)}
    rtol = max(case.rtol, rounded(case.name, operators))
    expected = corrected(case.name, operators)
    data = data or sets
    if expected is not None:
        data = [(inputs, [np.array(expected, output.dtype)]) for inputs, (output,) in data]
    return Case(case.name, kind, model, tuple(data), rtol, case.atol)


def corrected(name: str, operators: Iterable[str]) -> Any:
    """The right output of a test that a later release of ONNX corrects; else ``None``."""
    found = (exceptions(one).CORRECTED.get(name) for one in operators)
    return next((output for output in found if output is not None), None)


def rounded(name: str, operators: Iterable[str]) -> float:
    """The relative tolerance of a test whose own asks for more than its types hold; else 0."""
    return max((exceptions(one).ROUNDED.get(name, 0.0) for one in set(operators)), default=0.0)


def read_data(model: ModelProto, folder: Path) -> DataSet:
    """The data in a folder beside a model, read by the types that the model declares."""
    return (
        list(_values(folder, "input", model.graph.input)),
        list(_values(folder, "output", model.graph.output)),
    )


def _values(folder: Path, word: str, declared: Iterable[ValueInfoProto]) -> Iterator[Any]:
    """``input_0.pb`` and so on; inputs that have initializers have no file."""
    for number, entry in enumerate(declared):
        path = folder / f"{word}_{number}.pb"
        if path.exists():
            proto, read = _READERS[entry.type.WhichOneof("value")]
            yield read(proto.FromString(path.read_bytes()))


_READERS: dict[str | None, tuple[Any, Callable[[Any], Any]]] = {
    "tensor_type": (TensorProto, numpy_helper.to_array),
    "sequence_type": (SequenceProto, numpy_helper.to_list),
    "optional_type": (OptionalProto, numpy_helper.to_optional),
}


def _array(given: Any) -> Any:
    """Types that NumPy lacks stand in the cases as ONNX's tensors, and some tensors as scalars.

    onnxruntime takes no scalars of NumPy.
    """
    if isinstance(given, TensorProto):
        return numpy_helper.to_array(given)
    return np.asarray(given) if isinstance(given, np.generic) else given


def judge(case: Case, outputs: Any, expected: list[Any]) -> None:
    """Compare with ONNX's own words for what is similar enough."""
    atol = own_tolerance(case.name, case.versions) or case.atol
    assert len(outputs) == len(expected), case.name
    for output, other in zip(outputs, expected, strict=True):
        # ONNX's function goes into the tensors of a sequence, where it takes none of rank 0.
        assert isinstance(output, list) == isinstance(other, list), case.name
        pair = (other, output) if isinstance(output, list) else ([other], [output])
        Runner.assert_similar_outputs(*pair, case.rtol, atol, case.name)


def has_sequences_of_scalars(case: Case) -> bool:
    """True if a test expects a sequence with a tensor of rank 0, which ONNX's runner refuses."""
    lists = [one for _, outputs in case.data for one in outputs if isinstance(one, list)]
    return any(np.ndim(one) == 0 for values in lists for one in values)


def own_tolerance(name: str, operators: Iterable[str]) -> float | None:
    """The absolute tolerance of a test whose results are less accurate than ONNX's tolerance."""
    found = (exceptions(one).ATOL.get(name) for one in operators)
    return next((atol for atol in found if atol is not None), None)


def judge_random(case: Case, outputs: Sequence[Any], expected: list[Any]) -> None:
    """Compare types and shapes: the values come from another generator of random numbers."""
    described = [[(one.dtype, one.shape) for one in some] for some in (outputs, expected)]
    assert described[0] == described[1], case.name


def is_random(name: str, operators: Iterable[str]) -> bool:
    """Return whether one of the operators of a test lists it as one with random values."""
    return any(name in exceptions(one).RANDOM for one in operators)


def refusing(name: str, operators: Iterable[str]) -> str | None:
    """The operator that refuses what a test asks for, at the version that the test has."""
    return next((one for one in operators if name in exceptions(one).REFUSED), None)


def refusal(case: Case, model: ModelProto) -> tuple[type[Exception], str] | None:
    """Error by which a model of a case must be refused; ``None`` where it must pass."""
    name = refusing(case.name, operators_of(model))
    if name is None:
        return None
    version = versions_of(model)[name]
    if version != case.versions[name]:
        return None
    error, words = exceptions(name).REFUSED[case.name]
    return error, f"{name}-{version}: {words}"


def run_and_judge(case: Case, model: ModelProto, run: Callable[[list[Any]], Any]) -> None:
    """Run a model of a case on all its data; ``run`` takes inputs and gives outputs."""
    refused = refusal(case, model)
    compare = judge_random if is_random(case.name, operators_of(model)) else judge
    for inputs, expected in case.data:
        if refused is None:
            compare(case, run(inputs), expected)
            continue
        error, words = refused
        place = rf"\Anode .+ of {re.escape(domain_of(model))}: "
        with pytest.raises(error, match=rf"{place}{re.escape(words)}\Z"):
            run(inputs)


def run_in_backend(case: Case, model: ModelProto) -> None:
    """Run a model of a case through ONNX's backend interface."""
    prepared = OnnxBackend.prepare(model)
    count = len(prepared.input_names)
    run_and_judge(case, model, lambda inputs: prepared.run(inputs[:count]))


# The same test at other opsets


@cache
def published_domains() -> dict[str, str]:
    """The domain of each operator that onnx knows: no two of its domains share a name."""
    schemas = defs.get_all_schemas_with_history()
    found = {schema.name: domain_name(schema.domain) for schema in schemas}
    assert all(found[schema.name] == domain_name(schema.domain) for schema in schemas)
    return found


def domain_of(model: ModelProto) -> str:
    """The domain of a model's operators, constants left out.

    All have one, but that graphs inside of FlexAttention have nodes of the main domain.
    """
    (domain,) = {domain_name(n.domain) for n in model.graph.node if n.op_type != "Constant"}
    return domain


def own_nodes(model: ModelProto) -> list[NodeProto]:
    """The nodes that are of the model's own domain."""
    domain = domain_of(model)
    return [node for node in nodes_of(model.graph) if domain_name(node.domain) == domain]


def supported(name: str, version: int) -> Operator:
    """A version of an operator that onnx knows, whatever its domain."""
    return opmill.operator(name, version, published_domains()[name])


@cache
def schema_of(name: str, opset: int) -> defs.OpSchema:
    """ONNX's schema of the version of an operator that an opset of its domain uses."""
    domain = published_domains()[name]
    return defs.get_schema(name, opset, "" if domain == MAIN_DOMAIN else domain)


def opset_of(model: ModelProto) -> int:
    """The opset of its operators' domain that a model imports."""
    domain = domain_of(model)
    (opset,) = (e.version for e in model.opset_import if domain_name(e.domain) == domain)
    return opset


def operators_of(model: ModelProto) -> list[str]:
    """The operators of a model's own domain, constants left out."""
    return sorted({node.op_type for node in own_nodes(model)} - {"Constant"})


def versions_of(model: ModelProto) -> dict[str, int]:
    """The version of each operator in a model, constants left out."""
    opset = opset_of(model)
    return {name: schema_of(name, opset).since_version for name in operators_of(model)}


def backends_of(versions: dict[str, int]) -> tuple[str, ...]:
    """The backends that have kernels of all these operator versions."""
    every = [supported(name, version).backends for name, version in versions.items()]
    return tuple(name for name in opmill.backends() if all(name in some for some in every))


def legal_versions(case: Case, opset: int) -> dict[str, int] | None:
    """The versions that a case's model has at an opset; ``None`` where it is not the same there.

    The same means: each node's schema takes the same inputs and outputs, the attributes that the
    node has, with the same defaults for those it leaves out, and the types of the data. What only
    one of two schemas has may be left out where it is ``NEUTRAL``, or ``consumed_inputs``, a hint
    of the first versions.
    """
    names = sorted({node.op_type for node in case.nodes})
    found = {name: _version(name, opset) for name in names}
    if None in found.values() or not _is_legal(case, tuple(found.items())):
        return None
    return {name: found[name] for name in names if name != "Constant"}


@cache
def _version(name: str, opset: int) -> int | None:
    """The version of an operator that is in force at an opset."""
    try:
        return schema_of(name, opset).since_version
    except defs.SchemaError:
        return None


@cache
def _is_legal(case: Case, versions: tuple[tuple[str, int], ...]) -> bool:
    """True if a case means the same with these versions; asked once, as many opsets share them."""
    there = {name: schema_of(name, version) for name, version in versions}
    return all(
        _same_call(
            node,
            schema_of(node.op_type, case.opset),
            there[node.op_type],
        )
        and _takes(node, there[node.op_type], case.types)
        and not exceptions(node.op_type).differs(node, there[node.op_type], case)
        for node in case.nodes
    )


def rebuilt(case: Case, opset: int) -> ModelProto | None:
    """The model of a case at another opset; ``None`` where it is not the same there."""
    if legal_versions(case, opset) is None:
        return None
    model = ModelProto()
    model.CopyFrom(case.model)
    for entry in model.opset_import:
        if domain_name(entry.domain) == case.domain:
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
    if any(
        name not in there.attributes or there.attributes[name].type != here.attributes[name].type
        for name in given
    ):
        return False
    left_out = {*here.attributes, *there.attributes} - given
    return all(
        _same_default(here.attributes[name], there.attributes[name])
        if name in here.attributes and name in there.attributes
        else name in exceptions(node.op_type).NEUTRAL or name == "consumed_inputs"
        for name in left_out
    )


def _same_default(here: defs.OpSchema.Attribute, there: defs.OpSchema.Attribute) -> bool:
    return bool(here.default_value == there.default_value)


def _takes(node: onnx.NodeProto, schema: defs.OpSchema, types: dict[str, str]) -> bool:
    """Return whether a schema allows the types of a node's inputs and outputs."""
    pairs = [
        *zip(node.input, schema.inputs, strict=False),
        *zip(node.output, schema.outputs, strict=False),
    ]
    return all(types[name] in formal.types for name, formal in pairs if name)
