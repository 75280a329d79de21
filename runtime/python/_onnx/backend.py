"""ONNX's backend interface over the operators of this package; public as opmill.onnx_backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import onnx
from onnx import ModelProto, NodeProto, ValueInfoProto, checker, helper
from onnx.backend.base import Backend, BackendRep

from opmill._model.errors import Missing, ModelError, lacking_error, locate, shown
from opmill._model.model import Model
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name, domains, resolve
from opmill._onnx.format_versions import newer_than_onnx
from opmill._onnx.nodes import resolved_call
from opmill._onnx.protos import arguments_of, constant_of
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.public import public_in


@public_in("onnx_backend")
class PreparedModel(BackendRep):
    """A model that is ready to run, any number of times and in any number of threads.

    Args:
        model: the model; it may be changed afterwards, as it is not kept.

    Raises:
        ModelError: the model is not valid, or holds what is not supported.
        UnsupportedOperatorError: it needs versions that are not supported; ``missing`` lists them.
        OpError: a node's attributes are not legal, or it is given a sequence or an optional that
            it does not take.
    """

    def __init__(self, model: ModelProto) -> None:
        self._model = Model(model)
        _check(model)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs without an initializer, which ``run`` needs, in order."""
        return self._model.input_names

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in order."""
        return self._model.output_names

    def run(self, inputs: Sequence[Any] | Mapping[str, Any], **kwargs: Any) -> tuple[Any, ...]:
        """Compute the outputs.

        Args:
            inputs: a list with a value for each of ``input_names``, or for each input of the
                graph; or a dict of values by name; as for ``opmill.Model.run``.
            kwargs: ignored; ONNX's interface has them.

        Returns:
            The outputs in order, a tuple that also gives them by name: ``outputs["Y"]``. They are
            the caller's own: no later run changes them.

        Raises:
            FeedError: the inputs are not what the model declares.
            OpError: a node refuses its inputs; the text begins with the node.
            ModelError: an output is not of the type that the model declares.
            BackendError: OPMILL_BACKEND names a backend that is not available.
        """
        return self._model.run(inputs)


@public_in("onnx_backend")
class OnnxBackend(Backend):
    """ONNX's backend interface over opmill's operators."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Return whether ``prepare`` accepts the model.

        Args:
            model: the model.
            device: as for ``prepare``.
            kwargs: ignored; ONNX's interface has them.
        """
        try:
            cls.prepare(model, device, **kwargs)
        except (ValueError, BackendError):
            return False
        return True

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Read a model: check it, and find each node's operator version and constants.

        Args:
            model: the model, as ``onnx.load`` gives it.
            device: ``CPU``.
            kwargs: ignored; ONNX's interface has them.

        Raises:
            ModelError: the model is not valid, or holds what is not supported.
            UnsupportedOperatorError: it needs versions that are not supported; ``missing`` lists
                them.
            OpError: a node's attributes are not legal, or it is given a sequence or an optional
                that it does not take.
            BackendError: the device is another than the CPU.
        """
        _check_device(device)
        if not isinstance(model, ModelProto):
            raise ModelError(
                f"model has type {type(model).__name__}, expected onnx.ModelProto; "
                "onnx.load(path) reads one from a file"
            )
        return PreparedModel(model)

    @classmethod
    def run_model(
        cls,
        model: ModelProto,
        inputs: Sequence[Any] | Mapping[str, Any],
        device: str = "CPU",
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Prepare a model and run it once: the results and errors of ``prepare`` and ``run``.

        Args:
            model: as for ``prepare``.
            inputs: as for ``PreparedModel.run``.
            device: as for ``prepare``.
            kwargs: ignored; ONNX's interface has them.
        """
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: object = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run a single node.

        Args:
            node: the node.
            inputs: a value for each of the node's inputs, ``None`` for one without a name; or
                only for those that have a name. What the operator takes, as lists of integers
                where it wants int64, will do.
            device: ``CPU``.
            outputs_info: not needed; ONNX's interface has it.
            kwargs: ``opset_version``, the opset of the node's domain, by default the newest one.
                Others are ignored; ONNX's interface has them.

        Returns:
            A value for each of the node's outputs, ``None`` for one without a name.

        Raises:
            ModelError: the node is not valid, or holds what is not supported.
            UnsupportedOperatorError: its operator version is not supported.
            OpError: the operator refuses its attributes or inputs.
            FeedError: there are too many inputs or too few.
            BackendError: the device is another than the CPU.
        """
        _check_device(device)
        if not isinstance(node, NodeProto):
            raise ModelError(f"node has type {type(node).__name__}, expected onnx.NodeProto")
        location, domain = f"node {shown(node.name or node.op_type)}", domain_name(node.domain)
        arguments = arguments_of(node, inputs, location)
        if (domain, node.op_type) == (MAIN_DOMAIN, "Constant"):
            return (constant_of(node, location).copy(),)
        opset = kwargs.get("opset_version")
        if opset is None:
            opset = domains()[domain].opset if domain in domains() else 1
        if not isinstance(opset, int):
            raise ModelError(f"opset_version has type {type(opset).__name__}, expected int")
        operator = resolve(location, node.op_type, domain, opset)
        if isinstance(operator, Missing):
            raise lacking_error([operator])
        if isinstance(operator, GraphOperator):
            named = zip(node.input, arguments, strict=True)
            found = Model(_model_of(node, opset)).run({name: x for name, x in named if name})
            return tuple(found[name] if name else None for name in node.output)
        attributes, count = resolved_call(node, location, operator)
        try:
            results = operator(arguments, attributes, outputs=count)
        except (OpError, BackendError) as error:
            locate(error, location, operator.schema)
            raise
        named_results = zip_longest(node.output, results)
        return tuple(result if name else None for name, result in named_results)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether there is such a device.

        Args:
            device: ``CPU`` or ``CPU:0``; there is no other.
        """
        return device in ("CPU", "CPU:0")


def _model_of(node: NodeProto, opset: int) -> ModelProto:
    """A model that has a node alone."""
    inputs, outputs = (
        [ValueInfoProto(name=name) for name in dict.fromkeys(names) if name]
        for names in (node.input, node.output)
    )
    graph = helper.make_graph([node], "node", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(node.domain, opset)])


def _check_device(device: str) -> None:
    if not OnnxBackend.supports_device(device):
        raise BackendError(f"there is no device '{device}'; opmill computes on the CPU")


def _check(model: ModelProto) -> None:
    """Ask onnx's own checker, which looks at what nothing here depends on."""
    if model.ByteSize() > checker.MAXIMUM_PROTOBUF:
        return  # it takes such models from files only
    if newer_than_onnx(model):
        return  # it refuses all of them; opmill's own checks were passed
    try:
        checker.check_model(_with_short_domains(model))
    except Exception as error:  # of many classes, some of them C++'s
        reason = " ".join(str(error).split())
        raise ModelError(
            f"the model is not valid by onnx {onnx.__version__}: {reason[:500]}"
        ) from error


def _with_short_domains(model: ModelProto) -> ModelProto:
    """The model with ONNX's own domain left empty: the checker does not know it by its name."""
    if all(part.domain != MAIN_DOMAIN for part in (*model.opset_import, *model.graph.node)):
        return model
    copy = ModelProto()
    copy.CopyFrom(model)
    for part in (*copy.opset_import, *copy.graph.node):
        part.domain = "" if part.domain == MAIN_DOMAIN else part.domain
    return copy
