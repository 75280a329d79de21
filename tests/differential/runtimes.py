"""Other implementations of ONNX operators, asked for one node at a time.

Nothing here knows an operator: the node is made from the schema. ``runtime_torch`` holds PyTorch,
which has functions of its own.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import onnx
from onnx import helper

from differential.drawn import Drawn, element_type
from differential.versions import Version
from opmill_checks.value import TYPES, type_of

NUMBERS = dict(zip(TYPES, range(1, len(TYPES) + 1), strict=True))
"""Element types by their number in TensorProto.DataType."""
IR_VERSION = 10


class RefusedByRuntime(Exception):
    """The runtime does not compute the call."""


class Runtime(Protocol):
    """Another implementation."""

    name: str
    version: str

    def takes(self, version: Version, drawn: Drawn) -> bool:
        """Whether the call can be put to it at all."""
        ...

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        """The outputs.

        Raises:
            RefusedByRuntime: it computes nothing.
        """
        ...


def model_of(version: Version, drawn: Drawn) -> onnx.ModelProto:
    """A model of one node, whose inputs have the drawn types and shapes.

    Raises:
        RefusedByRuntime: the format cannot hold the call.
    """
    schema = version.schema
    names = ["" if a is None else f"in{place}" for place, a in enumerate(drawn.inputs)]
    domain = "" if version.domain == "ai.onnx" else version.domain
    asked = drawn.asked(schema)
    outputs = [one.name for one in asked]
    try:
        node = helper.make_node(schema.name, names, outputs, domain=domain, **drawn.attributes)
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusedByRuntime(str(error)) from None
    types = {
        name: NUMBERS[element_type(listed[0])]
        for name, listed in schema.type_constraints.items()
        if len(listed) == 1
    }
    for one, array in zip(schema.inputs, drawn.inputs, strict=False):
        if array is not None:
            types.setdefault(one.type, NUMBERS[type_of(array.dtype)])
    for one in schema.outputs:
        for source in one.type_from[:1]:
            named = drawn.attributes.get(source.attribute)
            code = NUMBERS.get(str(named).lower(), named)
            types[one.type] = code if isinstance(code, int) and -(2**31) <= code < 2**31 else 1
    given = [
        helper.make_tensor_value_info(name, NUMBERS[type_of(array.dtype)], array.shape)
        for name, array in zip(names, drawn.inputs, strict=True)
        if array is not None
    ]
    results = [
        helper.make_tensor_value_info(one.name, types.get(one.type, 1), None) for one in asked
    ]
    graph = helper.make_graph([node], "call", given, results)
    opset = helper.make_opsetid(domain, version.newest_opset)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def feeds(drawn: Drawn) -> dict[str, Any]:
    """The inputs by name. Each is contiguous, which not every runtime takes care of."""
    return {
        f"in{place}": np.ascontiguousarray(array).reshape(array.shape)
        for place, array in enumerate(drawn.inputs)
        if array is not None
    }


class OnnxRuntime:
    """onnxruntime on the CPU, without graph optimisation."""

    name = "onnxruntime"

    def __init__(self) -> None:
        import onnxruntime

        self.version: str = onnxruntime.__version__
        self._module = onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self._options = onnxruntime.SessionOptions()
        level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self._options.graph_optimization_level = level
        self._options.intra_op_num_threads = 1
        self._options.inter_op_num_threads = 1
        self._options.log_severity_level = 4

    def takes(self, version: Version, drawn: Drawn) -> bool:
        return True

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        text = model_of(version, drawn).SerializeToString()
        try:
            session = self._module.InferenceSession(
                text, self._options, providers=["CPUExecutionProvider"]
            )
            results: Sequence[Any] = session.run(None, feeds(drawn))
        except Exception as error:
            raise RefusedByRuntime(f"{type(error).__name__}: {error}") from None
        return results


class OnnxReference:
    """The reference evaluator of the onnx package, which checks no call: it is asked legal ones."""

    name = "onnx.reference"

    def __init__(self) -> None:
        self.version: str = onnx.__version__

    def takes(self, version: Version, drawn: Drawn) -> bool:
        return drawn.raises is None

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        from onnx.reference import ReferenceEvaluator

        model = model_of(version, drawn)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                results = ReferenceEvaluator(model).run(None, feeds(drawn))
        except Exception as error:
            raise RefusedByRuntime(f"{type(error).__name__}: {error}") from None
        return [np.asarray(result) for result in results]


def answer(runtime: Runtime, version: Version, drawn: Drawn) -> Sequence[Any] | RefusedByRuntime:
    """The outputs, or the refusal."""
    try:
        return runtime.run(version, drawn)
    except RefusedByRuntime as error:
        return error


def runtimes(*, torch: bool) -> list[Runtime]:
    """The runtimes; PyTorch only where it is asked for."""
    found: list[Runtime] = [OnnxRuntime(), OnnxReference()]
    if torch:
        from differential.runtime_torch import Torch

        found.append(Torch())
    return found


def torch_is_there() -> bool:
    """Whether PyTorch is installed; the tests do without, ``make fuzz`` installs it."""
    return importlib.util.find_spec("torch") is not None
