"""Other implementations of ONNX operators, asked for one node at a time.

Nothing here knows an operator: the node is made from the schema. ``runtime_torch`` holds PyTorch,
which has functions of its own.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import onnx
from onnx import helper, numpy_helper

from differential import signature
from differential.versions import Version
from opmill.conformance._drawn import Drawn, element_type
from opmill.conformance._models import opset_of
from opmill_checks.value import TYPES, SparseArrays, array_of_bits, bits_of, dtype_of, type_of

NUMBERS = dict(zip(TYPES, range(1, len(TYPES) + 1), strict=True))
"""Element types by their number in TensorProto.DataType."""
LACKED = {name for name, element in TYPES.items() if element.dtype.isbuiltin == 2}
"""The element types that NumPy lacks, which ml_dtypes adds to it."""
IR_VERSION = 10


class RefusedByRuntime(Exception):
    """The runtime does not compute the call."""


class Runtime(Protocol):
    """Another implementation."""

    name: str
    version: str

    def takes(self, version: Version, drawn: Drawn) -> bool:
        """Return whether the call can be put to it at all."""
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
    domain = schema.domain_in_models
    asked = drawn.asked(schema)
    outputs = [f"out{place}" for place in range(len(asked))]
    kinds = {one.name: one.kind for one in schema.attributes}
    try:
        node = helper.make_node(schema.name, names, outputs, domain=domain)
        node.attribute.extend(
            attribute_of(name, value, kinds.get(name)) for name, value in drawn.attributes.items()
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusedByRuntime(str(error)) from None
    types = type_numbers(version, drawn)
    given = [
        helper.make_tensor_value_info(name, NUMBERS[type_of(array.dtype)], array.shape)
        for name, array in zip(names, drawn.inputs, strict=True)
        if array is not None
    ]
    results = [
        helper.make_tensor_value_info(name, types.get(one.type, 1), None)
        for name, one in zip(outputs, asked, strict=True)
    ]
    graph = helper.make_graph([node], "call", given, results)
    opset = version.newest_opset if schema.node_domain is None else opset_of(schema, None)
    imports = [helper.make_opsetid(domain, opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)


def type_numbers(version: Version, drawn: Drawn) -> dict[str, int]:
    """The element types of the call by what the schema calls them, its type variables or itself.

    That of an output may follow from an attribute; where that names no type, it is float.
    """
    types = {
        name: NUMBERS[element_type(listed[0])]
        for name, listed in version.schema.type_constraints.items()
        if len(listed) == 1
    }
    defaults = {one.name: one.default for one in version.schema.attributes}
    flags = {one.name for one in version.schema.attributes if one.is_flag}
    for one, array in zip(version.schema.inputs, drawn.inputs, strict=False):
        if array is not None:
            types.setdefault(one.type, NUMBERS[type_of(array.dtype)])
    for one in version.schema.outputs:
        if one.type.startswith("tensor("):
            types[one.type] = NUMBERS[element_type(one.type)]
        for source in one.type_from:
            if source.attribute is not None and source.fixed is not None:
                given = drawn.attributes.get(source.attribute, defaults.get(source.attribute))
                if given is None or (source.attribute in flags and given != 1):
                    continue
                types[one.type] = NUMBERS[element_type(source.fixed)]
            elif source.attribute is not None:
                named = drawn.attributes.get(source.attribute, defaults.get(source.attribute))
                if isinstance(named, SparseArrays):
                    named = named.values
                if isinstance(named, np.ndarray):
                    named = type_of(named.dtype)
                if source is not one.type_from[-1] and named in (None, 0):
                    continue
                code = NUMBERS.get(str(named).lower(), named)
                types[one.type] = code if isinstance(code, int) and -(2**31) <= code < 2**31 else 1
            elif source.variable is not None and source.fixed is not None:
                fixed = NUMBERS[element_type(source.fixed)]
                if types.get(source.variable) in (None, fixed):
                    continue
                types[one.type] = fixed
            elif source.variable is not None and source.variable in types:
                types[one.type] = types[source.variable]
            elif source.fixed is not None:
                types[one.type] = NUMBERS[element_type(source.fixed)]
            else:
                continue
            break
    return types


def result_types(version: Version, drawn: Drawn) -> set[str]:
    """The element types of the outputs, as far as they are known."""
    numbers = type_numbers(version, drawn)
    words = dict(enumerate(TYPES, 1))
    return {words.get(numbers.get(one.type, 1), "") for one in drawn.asked(version.schema)}


def attribute_of(name: str, value: Any, kind: str | None) -> onnx.AttributeProto:
    """An attribute with the kind of its value; an empty list, which has none, is of the schema's.

    Raises:
        TypeError, ValueError, OverflowError: the format cannot hold it.
    """
    if isinstance(value, SparseArrays):
        parts = [numpy_helper.from_array(one) for one in (value.values, value.indices)]
        value = helper.make_sparse_tensor(*parts, list(value.dims))
    if isinstance(value, np.ndarray):
        value = numpy_helper.from_array(value)
    if value == [] and kind is not None:
        return onnx.AttributeProto(name=name, type=kind)
    return helper.make_attribute(name, value)


def feeds(drawn: Drawn) -> dict[str, Any]:
    """The inputs by name. Each is contiguous, which not every runtime takes care of."""
    return {
        f"in{place}": np.ascontiguousarray(array).reshape(array.shape)
        for place, array in enumerate(drawn.inputs)
        if array is not None
    }


PRODUCTS = {
    *("ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul"),
    *(
        "DynamicQuantizeLSTM",
        "DynamicQuantizeMatMul",
        "MatMulIntegerToFloat",
        "QAttention",
        "QGemm",
    ),
}
"""The operators of which onnxruntime has kernels that multiply uint8 by int8."""


def has_signed_product(version: Version, drawn: Drawn) -> bool:
    """Return whether a call may multiply uint8 by int8."""
    given = (array for array in drawn.inputs if array is not None)
    return version.schema.name in PRODUCTS and any(array.dtype == np.int8 for array in given)


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
        self._saturates = self._finds_saturation()

    def _finds_saturation(self) -> bool:
        """Return whether products of uint8 and int8 saturate, as on processors without VNNI."""
        model = onnx.parser.parse_model(
            '<ir_version: 8, opset_import: ["": 10]> net (uint8[1, 2] a, int8[2, 1] b)'
            " => (int32[1, 1] y) { y = MatMulInteger(a, b) }"
        )
        session = self._module.InferenceSession(model.SerializeToString(), self._options)
        a, b = np.full((1, 2), 255, np.uint8), np.full((2, 1), 127, np.int8)
        return int(session.run(None, {"a": a, "b": b})[0].item()) != 2 * 255 * 127

    def takes(self, version: Version, drawn: Drawn) -> bool:
        """It takes texts from NumPy alone, and gives NumPy no type that NumPy lacks.

        It makes constants while it reads a model, and does not compare them with their schema.
        Products of uint8 by int8 are left out where they saturate.
        """
        if not version.schema.inputs and signature.fault(
            version.schema, drawn.inputs, drawn.attributes
        ):
            return False
        if self._saturates and has_signed_product(version, drawn):
            return False
        given = {type_of(array.dtype) for array in drawn.inputs if array is not None}
        return "string" not in given or not result_types(version, drawn) & LACKED

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        return self.compute(model_of(version, drawn).SerializeToString(), feeds(drawn))

    def compute(self, model: bytes, given: dict[str, Any]) -> Sequence[Any]:
        """The outputs of a serialized model, its inputs by name."""
        try:
            session = self._module.InferenceSession(
                model, self._options, providers=["CPUExecutionProvider"]
            )
            if any(type_of(array.dtype) == "string" for array in given.values()):
                results: Sequence[Any] = session.run(None, given)  # no OrtValue is made of strings
                return results
            held = {name: self._value(array) for name, array in given.items()}
            return [self._array(result) for result in session.run_with_ort_values(None, held)]
        except Exception as error:
            raise RefusedByRuntime(f"{type(error).__name__}: {error}") from None

    def _value(self, array: Any) -> Any:
        """An input as onnxruntime takes it; it knows types that NumPy lacks by number alone."""
        type = type_of(array.dtype)
        if type not in LACKED:
            return self._module.OrtValue.ortvalue_from_numpy(array)
        return self._module.OrtValue.ortvalue_from_numpy_with_onnx_type(
            packed(array), NUMBERS[type]
        )

    @staticmethod
    def _array(result: Any) -> Any:
        """An output of onnxruntime."""
        type = tuple(TYPES)[result.element_type() - 1]
        if type not in LACKED:
            return result.numpy()
        data = ctypes.string_at(result.data_ptr(), result.tensor_size_in_bytes())
        return unpacked(type, tuple(result.shape()), data)


def packed(array: Any) -> Any:
    """The bits of a tensor in an array of integers of its shape.

    Elements of less than a byte share bytes, the first one in the lower bits; what is left of the
    array is not looked at.
    """
    width = TYPES[type_of(array.dtype)].width
    if width >= 8:
        return array.view(f"u{width // 8}")
    per_byte = 8 // width
    held = np.zeros(array.size, np.uint8)
    for place, pattern in enumerate(bits_of(array)):
        held[place // per_byte] |= pattern << width * (place % per_byte)
    return held.reshape(array.shape)


def unpacked(type: str, shape: tuple[int, ...], data: bytes) -> Any:
    """The tensor of these bytes."""
    width = TYPES[type].width
    if width >= 8:
        return np.frombuffer(data, dtype_of(type)).reshape(shape)
    per_byte = 8 // width
    patterns = [
        data[place // per_byte] >> width * (place % per_byte) & (1 << width) - 1
        for place in range(math.prod(shape))
    ]
    return array_of_bits(type, patterns).reshape(shape)


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
    """Return whether PyTorch is installed; the tests do without, ``make fuzz`` installs it."""
    return importlib.util.find_spec("torch") is not None
