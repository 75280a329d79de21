"""The runtimes that can be tested: known ones by name, any other as ``package.module:Backend``.

A target is what ``onnx.backend.base.Backend`` describes: ``prepare(model)`` gives something whose
``run(inputs)`` gives the outputs in order. Only the worker process imports one.
"""

from __future__ import annotations

import ctypes
import importlib
import io
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from onnx import ModelProto

from opmill._runtime.errors import Error
from opmill.conformance._cases import TYPES

_WORDS = tuple(TYPES)
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)}
_LACKED = {word for word, element in TYPES.items() if element.dtype.isbuiltin == 2}
"""The element types that NumPy has from ml_dtypes."""

Compute = Callable[[Sequence[Any]], Sequence[Any]]
"""A prepared model: from a value for each input to one for each output."""


class TargetError(Error):
    """A target cannot be used: it is not installed, or is not a backend."""


class Target(NamedTuple):
    """A runtime in this process."""

    name: str
    version: str
    prepare: Callable[[ModelProto], Compute]


class Prepared(Protocol):
    """Interface of the object that a backend's ``prepare`` returns."""

    def run(self, inputs: Sequence[Any]) -> Sequence[Any]: ...


def open_target(name: str) -> Target:
    """Import a target.

    Args:
        name: a key of ``KNOWN``, or ``package.module:Backend``.

    Raises:
        TargetError: it cannot be imported, or is no backend.
    """
    if name in KNOWN:
        package, opener = KNOWN[name]
        try:
            return opener()
        except ImportError as error:
            raise TargetError(
                f"{name} cannot be imported ({error}); install it with: pip install {package}"
            ) from None
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise TargetError(
            f"{name} is no target, expected one of {', '.join(KNOWN)} or package.module:Backend"
        )
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise TargetError(f"{name} cannot be imported: {error}") from None
    if not callable(getattr(found, "prepare", None)):
        raise TargetError(
            f"{name} has no prepare, expected a class with the interface of "
            "onnx.backend.base.Backend"
        )
    return Target(name, str(getattr(module_of(found), "__version__", "")), _of_backend(found))


def module_of(found: Any) -> Any:
    """The top-level package of a class, which may state a version."""
    return importlib.import_module(str(getattr(found, "__module__", "builtins")).partition(".")[0])


def _of_backend(backend: Any) -> Callable[[ModelProto], Compute]:
    def prepare(model: ModelProto) -> Compute:
        prepared: Prepared = backend.prepare(model, "CPU")

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            results = prepared.run(inputs)
            return results if isinstance(results, (list, tuple)) else (results,)

        return compute

    return prepare


def _opmill() -> Target:
    import opmill
    from opmill.onnx_backend import OnnxBackend

    return Target("opmill", opmill.__version__, _of_backend(OnnxBackend))


def _onnxruntime() -> Target:
    """onnxruntime on the CPU, one thread, without graph optimisations."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4

    def value_of(array: Any) -> Any:
        word = _word(array)
        if word not in _LACKED:
            return onnxruntime.OrtValue.ortvalue_from_numpy(array)
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
            _packed(array), _NUMBERS[word]
        )

    def prepare(model: ModelProto) -> Compute:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = [one.name for one in model.graph.input]
        sequences = any(not one.type.HasField("tensor_type") for one in model.graph.output)

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            feeds = dict(zip(names, inputs, strict=True))
            plain = all(
                isinstance(array, np.ndarray) and array.dtype.kind != "O"
                for array in feeds.values()
            )
            if not plain or sequences:  # no OrtValue is made of strings, sequences and optionals
                results: Sequence[Any] = session.run(None, feeds)
                return results
            values = {name: value_of(array) for name, array in feeds.items()}
            return [_array_of(one) for one in session.run_with_ort_values(None, values)]

        return compute

    return Target("onnxruntime", onnxruntime.__version__, prepare)


def _array_of(result: Any) -> Any:
    """A value of onnxruntime as an array; NumPy gets the bytes of types that it lacks."""
    if not result.is_tensor():
        return result.to_numpy() if hasattr(result, "to_numpy") else result.numpy()
    word = _WORDS[result.element_type() - 1]
    if word not in _LACKED:
        return result.numpy()
    data = ctypes.string_at(result.data_ptr(), result.tensor_size_in_bytes())
    return _unpacked(word, tuple(result.shape()), data)


def _word(array: Any) -> str:
    return next(word for word, element in TYPES.items() if element.dtype == array.dtype)


def _packed(array: Any) -> Any:
    """The bits of an array in integers; elements of less than a byte share bytes, low bits first.

    The array keeps its shape, whatever of it is left over.
    """
    width = TYPES[_word(array)].width
    if width >= 8:
        return array.view(f"u{width // 8}")
    per_byte = 8 // width
    patterns = array.reshape(-1).view(np.uint8) & ((1 << width) - 1)
    packed = np.zeros(array.size, np.uint8)
    for position, pattern in enumerate(patterns.tolist()):
        packed[position // per_byte] |= pattern << width * (position % per_byte)
    return packed.reshape(array.shape)


def _unpacked(word: str, shape: tuple[int, ...], data: bytes) -> Any:
    element = TYPES[word]
    if element.width >= 8:
        return np.frombuffer(data, element.dtype).reshape(shape)
    per_byte = 8 // element.width
    patterns = [
        data[position // per_byte] >> element.width * (position % per_byte)
        & (1 << element.width) - 1
        for position in range(math.prod(shape))
    ]
    if element.kind == "integer" and word.startswith("int"):
        half = 1 << element.width - 1
        patterns = [pattern - 2 * half if pattern >= half else pattern for pattern in patterns]
        return np.array(patterns, np.int8).astype(element.dtype).reshape(shape)
    if element.kind == "integer":
        return np.array(patterns, np.uint8).astype(element.dtype).reshape(shape)
    return np.array(patterns, np.uint8).view(element.dtype).reshape(shape)


def _reference() -> Target:
    """The reference evaluator of the onnx package."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    def prepare(model: ModelProto) -> Compute:
        evaluator = ReferenceEvaluator(model)
        names = [one.name for one in model.graph.input]

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                results = evaluator.run(None, dict(zip(names, inputs, strict=True)))
            return [one if isinstance(one, list) else np.asarray(one) for one in results]

        return compute

    return Target("onnx.reference", onnx.__version__, prepare)


def _openvino() -> Target:
    """OpenVINO on the CPU, in float32 where it would choose a shorter type."""
    openvino = importlib.import_module("openvino")
    core = openvino.Core()

    def tensor_of(array: Any) -> Any:
        word = _word(array)
        if word not in _LACKED:
            return openvino.Tensor(array)
        shape = openvino.Shape(list(array.shape))
        packed = np.ascontiguousarray(_packed(array))
        return openvino.Tensor(packed, shape, getattr(openvino.Type, _OPENVINO[word]))

    def array_of(tensor: Any) -> Any:
        name = tensor.element_type.get_type_name()
        if name == "string":
            return tensor.str_data
        for word, theirs in _OPENVINO.items():
            if theirs == name:
                return _unpacked(word, tuple(tensor.shape), tensor.data.tobytes())
        return tensor.data.copy()

    def prepare(model: ModelProto) -> Compute:
        read = core.read_model(io.BytesIO(model.SerializeToString()))
        hints = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        compiled = core.compile_model(read, "CPU", hints)

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            request = compiled.create_infer_request()
            request.infer([tensor_of(array) for array in inputs])
            numbers = range(len(compiled.outputs))
            return [array_of(request.get_output_tensor(position)) for position in numbers]

        return compute

    return Target("openvino", str(openvino.__version__).partition("-")[0], prepare)


_OPENVINO = {
    "bfloat16": "bf16",
    "float8e4m3fn": "f8e4m3",
    "float8e5m2": "f8e5m2",
    "float8e8m0": "f8e8m0",
    "float4e2m1": "f4e2m1",
    "int4": "i4",
    "uint4": "u4",
    "uint2": "u2",
}
"""OpenVINO's names of element types that NumPy lacks."""


def _tinygrad() -> Target:
    """tinygrad on the CPU."""
    from importlib.metadata import version

    nn_onnx: Any = importlib.import_module("tinygrad.nn.onnx")
    tinygrad: Any = importlib.import_module("tinygrad")

    def array_of(found: Any) -> Any:
        if isinstance(found, (list, tuple)):
            return [array_of(one) for one in found]
        word = _TINYGRAD.get(found.dtype.name)
        array = found.numpy()
        return array if word is None else array.astype(TYPES[word].dtype)

    def prepare(model: ModelProto) -> Compute:
        data = np.frombuffer(model.SerializeToString(), np.uint8)
        runner = nn_onnx.OnnxRunner(tinygrad.Tensor(data, device="PYTHON"))
        names = [one.name for one in model.graph.input]
        results = [one.name for one in model.graph.output]

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            found = runner(dict(zip(names, inputs, strict=True)))
            return [array_of(found[name]) for name in results]

        return compute

    return Target("tinygrad", version("tinygrad"), prepare)


_TINYGRAD = {
    "__bf16": "bfloat16",
    "bfloat16": "bfloat16",
    "fp8e4m3": "float8e4m3fn",
    "fp8e5m2": "float8e5m2",
    "float8_e4m3": "float8e4m3fn",
    "float8_e5m2": "float8e5m2",
}
"""tinygrad's names of element types that NumPy gets as float32."""


def _opencv() -> Target:
    """OpenCV's module dnn, which computes float16 and double in float32: these count as refused."""
    cv2 = importlib.import_module("cv2")

    def array_of(found: Any, word: str) -> Any:
        if found is None:
            raise RuntimeError("no result for an output")
        array, dtype = np.asarray(found), TYPES[word].dtype
        if word == "bfloat16" and array.dtype == np.uint16:
            return array.view(dtype)  # NumPy gets the bits of a type that it lacks
        if array.dtype == np.float32 and TYPES[word].kind == "float" and word != "float":
            raise TypeError(f"the result is float, the model declares {word}")
        return array

    def prepare(model: ModelProto) -> Compute:
        buffer = np.frombuffer(model.SerializeToString(), np.uint8)
        network = cv2.dnn.readNetFromONNX(buffer)
        names = [one.name for one in model.graph.input]
        results = [one.name for one in model.graph.output]
        words = [_WORDS[one.type.tensor_type.elem_type - 1] for one in model.graph.output]

        def compute(inputs: Sequence[Any]) -> Sequence[Any]:
            for name, array in zip(names, inputs, strict=True):
                network.setInput(array, name)
            found = network.forward(results)
            return [array_of(one, word) for one, word in zip(found, words, strict=True)]

        return compute

    return Target("opencv", cv2.__version__, prepare)


KNOWN: Mapping[str, tuple[str, Callable[[], Target]]] = {
    "opmill": ("opmill", _opmill),
    "onnxruntime": ("onnxruntime", _onnxruntime),
    "onnx.reference": ("onnx", _reference),
    "openvino": ("openvino", _openvino),
    "tinygrad": ("tinygrad", _tinygrad),
    "opencv": ("opencv-python-headless", _opencv),
}
"""The runtimes that ``run`` knows by name: the package on PyPI of each, and what opens it."""
