"""Networks of the onnx package: every one of whose operators are supported gives what is expected.

What others need is computed by onnxruntime, and compared with onnxruntime as a whole.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import numpy_helper

import opmill
from onnx_suite import refusing

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
LIGHT = sorted(path.stem for path in (DATA / "light").glob("*.onnx"))
CASES = sorted(
    f"{kind}/{path.parent.name}"
    for kind in ("simple", "pytorch-converted", "pytorch-operator")
    for path in (DATA / kind).glob("*/model.onnx")
)


def read(path, declared):
    kind = declared.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(path.read_bytes()))
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def close(outputs, expected, rtol=1e-3, atol=1e-6):
    for output, other in zip(outputs, expected, strict=True):
        if isinstance(other, list):
            close(output, other)
        elif other.dtype == object:
            assert output.tolist() == other.tolist()
        else:
            assert (output.dtype, output.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(output, other, rtol, atol)


def test_there_are_networks():
    assert len(LIGHT) == 9
    assert len(CASES) > 90


@pytest.mark.slow
@pytest.mark.parametrize("name", LIGHT)
def test_a_light_network_agrees_with_onnxruntime(name):
    path = DATA / "light" / f"{name}.onnx"
    model = opmill.Model(path, fallback="onnxruntime")
    generator = np.random.default_rng(1)
    inputs = {
        declared.name: generator.standard_normal(declared.type.dims).astype(np.float32)
        for declared in model.inputs
    }
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    close(model.run(inputs), session.run(None, inputs), 1e-3, 1e-5)


def refuses(name, graph):
    """Return whether an operator's own tests say that a version refuses what this test asks for."""
    return refusing(name.rpartition("/")[2], {node.op_type for node in graph.node}) is not None


def test_tests_of_onnx_give_what_is_expected():
    ran, lacking, bad = [], {}, {}
    for name in CASES:
        folder = DATA / name
        message = onnx.load(folder / "model.onnx")
        try:
            model = opmill.Model(folder / "model.onnx")
        except opmill.UnsupportedOperatorError as error:
            lacking[name] = {(one.operator, one.domain) for one in error.missing}
            continue
        except opmill.ModelError as error:
            if "deprecated" not in str(error):
                raise
            continue
        for data in sorted(folder.glob("test_data_set_*")):
            graph = message.graph
            inputs = {
                declared.name: read(data / f"input_{k}.pb", declared)
                for k, declared in enumerate(graph.input)
                if (data / f"input_{k}.pb").exists()
            }
            expected = [read(data / f"output_{k}.pb", one) for k, one in enumerate(graph.output)]
            if refuses(name, graph):
                with pytest.raises(opmill.OpError):
                    model.run(inputs)
                continue
            try:
                close(model.run(inputs), expected)
            except (AssertionError, opmill.Error) as error:
                bad[name] = str(error)
        ran.append(name)
    assert bad == {}
    assert ran
    supported = {(name, domain) for domain, name, _ in opmill.operators()}
    for name, operators in lacking.items():  # none is refused that could run
        assert operators, name
        assert any(
            (operator, domain) not in supported or _other_version(operator)
            for operator, domain in operators
        ), name


def _other_version(operator):
    """Return whether versions of the operator are supported, but not all."""
    versions = {schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
                if (schema.name, schema.domain) == (operator, "")}  # fmt: skip
    return not versions <= {version for _, name, version in opmill.operators() if name == operator}
