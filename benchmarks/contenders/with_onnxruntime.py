"""onnxruntime: a model of one node, its inputs and its output bound to buffers beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnx import NodeProto, ValueInfoProto, helper, numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from benchmarks.cases import (
    CastCase,
    ConvTransposeCase,
    CopyCase,
    ElementwiseCase,
    JoinCase,
    MoveCase,
    NonZeroCase,
    PoolCase,
    ReductionCase,
)
from benchmarks.cases_operators import OperatorCase
from benchmarks.clock import Call
from benchmarks.contenders import CONSTANT_WEIGHTS, NUMBERS, Array

_OPSET = 19
_IR_VERSION = 9


class _BoundCall:
    """A session with its buffers, which the binding knows by their addresses alone."""

    def __init__(self, session: Any, binding: Any, buffers: list[Array]) -> None:
        self._run = session.run_with_iobinding
        self._binding = binding
        self._buffers = buffers

    def __call__(self) -> None:
        self._run(self._binding)


class Library:
    """onnxruntime on the CPU. What it has no kernel for, it refuses when the session is made."""

    name = "onnxruntime"
    version: str = onnxruntime.__version__

    def __init__(self) -> None:
        self._threads = 1
        onnxruntime.set_default_logger_severity(4)

    def set_threads(self, threads: int) -> None:
        self._threads = threads

    def conv_transpose(
        self, case: ConvTransposeCase, x: Array, w: Array, out: Array
    ) -> Call | None:
        attributes: dict[str, Any] = {**case.attributes()}
        node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
        return self._bound(node, {"x": x, "w": w}, {}, out)

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call | None:
        node = helper.make_node(case.operator, ["x", "argument"], ["y"])
        return self._bound(node, {"x": x}, {"argument": np.array(case.argument, np.int64)}, out)

    def elementwise(
        self, case: ElementwiseCase, inputs: Sequence[Array], out: Array
    ) -> Call | None:
        given = dict(zip("ab", inputs, strict=False))
        return self._bound(helper.make_node(case.operator, list(given), ["y"]), given, {}, out)

    def cast(self, case: CastCase, x: Array, out: Array) -> Call | None:
        node = helper.make_node("Cast", ["x"], ["y"], to=NUMBERS[case.target])
        return self._bound(node, {"x": x}, {}, out)

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> Call | None:
        outputs = {"y": out} if indices is None else {"y": out, "indices": indices}
        attributes: dict[str, Any] = {**case.attributes()}
        node = helper.make_node("MaxPool", ["x"], list(outputs), **attributes)
        return self._bound(node, {"x": x}, {}, *outputs.values())

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> Call | None:
        return self._bound(helper.make_node("NonZero", ["x"], ["y"]), {"x": x}, {}, out)

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> Call | None:
        names = [f"part{number}" for number in range(case.count)]
        if case.operator == "Concat":
            node = helper.make_node("Concat", names, ["whole"], axis=case.axis)
            return self._bound(node, dict(zip(names, parts, strict=True)), {}, whole)
        node = helper.make_node("Split", ["whole"], names, axis=case.axis, num_outputs=case.count)
        return self._bound(node, {"whole": whole}, {}, *parts)

    def move(self, case: MoveCase, x: Array, out: Array) -> Call | None:
        attributes: dict[str, Any] = {}
        constants = {}
        if case.operator == "Transpose":
            attributes["perm"] = list(case.argument("perm"))
        elif case.operator == "DepthToSpace":
            (attributes["blocksize"],) = case.argument("blocksize")
        else:
            constants = {name: np.array(values, np.int64) for name, values in case.arguments}
        names = list(constants)
        if case.operator == "Slice":
            names.insert(2, "")
        node = helper.make_node(case.operator, ["x", *names], ["y"], **attributes)
        return self._bound(node, {"x": x}, constants, out)

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> Call | None:
        node = helper.make_node(case.operator, ["x", "axes"], ["y"], keepdims=int(case.keepdims))
        return self._bound(node, {"x": x}, {"axes": np.array(case.axes, np.int64)}, out)

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        return self._operator(case, inputs, outs, ("constant",))

    def _operator(
        self,
        case: OperatorCase,
        inputs: Sequence[Array | None],
        outs: Sequence[Array],
        constant: tuple[str, ...],
    ) -> Call | None:
        """The call where inputs of these roles are constants of the model."""
        named: dict[str, dict[str, Array]] = {"inputs": {}, "constants": {}}
        names = []
        for position, (given, array) in enumerate(zip(case.inputs, inputs, strict=True)):
            names.append("" if array is None else f"input_{position}")
            if given is not None and array is not None:
                kind = "constants" if given.role in constant else "inputs"
                named[kind][names[-1]] = array
        outputs = [f"output_{position}" for position in range(len(outs))]
        attributes: dict[str, Any] = dict(case.attributes)
        node = helper.make_node(case.operator, names, outputs, domain=case.domain, **attributes)
        return self._bound(node, named["inputs"], named["constants"], *outs, opset=case.opset)

    def _bound(
        self,
        node: NodeProto,
        inputs: Mapping[str, Array],
        constants: Mapping[str, Array],
        *out: Array,
        opset: int = _OPSET,
    ) -> Call | None:
        outputs = dict(zip(node.output, out, strict=True))
        graph = helper.make_graph(
            [node],
            "case",
            [_value(name, array) for name, array in inputs.items()],
            [_value(name, array) for name, array in outputs.items()],
            [numpy_helper.from_array(array, name) for name, array in constants.items()],
        )
        imports = [helper.make_opsetid("", opset)]
        if node.domain:
            imports.append(helper.make_opsetid(node.domain, 1))
        model = helper.make_model(graph, opset_imports=imports, ir_version=_IR_VERSION)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        # Its threads wait for work by spinning, and would do so while the others are measured.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except (errors.Fail, errors.InvalidGraph, errors.NotImplemented):
            return None
        binding = session.io_binding()
        for bind, arrays in ((binding.bind_input, inputs), (binding.bind_output, outputs)):
            for name, array in arrays.items():
                bind(name, "cpu", 0, NUMBERS[array.dtype.name], array.shape, array.ctypes.data)
        return _BoundCall(session, binding, [*inputs.values(), *out])


class ConstantWeights(Library):
    """Weights as constants of the model, which onnxruntime packs once, when the session is made.

    opmill is given them anew with every call, as its other peers are; how much this is worth is
    measured beside them.
    """

    name = CONSTANT_WEIGHTS

    def conv_transpose(
        self, case: ConvTransposeCase, x: Array, w: Array, out: Array
    ) -> Call | None:
        attributes: dict[str, Any] = {**case.attributes()}
        node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
        return self._bound(node, {"x": x}, {"w": w}, out)

    def copy(self, case: CopyCase, x: Array, out: Array) -> None:
        """The same as of Library: not measured twice."""

    def elementwise(self, case: ElementwiseCase, inputs: Sequence[Array], out: Array) -> None:
        """The same as of Library: not measured twice."""

    def cast(self, case: CastCase, x: Array, out: Array) -> None:
        """The same as of Library: not measured twice."""

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> None:
        """The same as of Library: not measured twice."""

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> None:
        """The same as of Library: not measured twice."""

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> None:
        """The same as of Library: not measured twice."""

    def move(self, case: MoveCase, x: Array, out: Array) -> None:
        """The same as of Library: not measured twice."""

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> None:
        """The same as of Library: not measured twice."""

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        """Prepare an operator with its weights as constants; the rest is the same as in Library."""
        if not any(given is not None and given.role == "weight" for given in case.inputs):
            return None
        return self._operator(case, inputs, outs, ("constant", "weight"))


def libraries() -> list[Library]:
    return [Library(), ConstantWeights()]


def _value(name: str, array: Array) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, NUMBERS[array.dtype.name], array.shape)
