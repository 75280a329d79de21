"""Runs models in onnxruntime with this package's Python operators. Needs onnxruntime-extensions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto

from opmill._model.errors import locate
from opmill._needed import needed
from opmill._onnx.ort_carriers import (
    CARRIERS,
    DOMAIN,
    Signature,
    call_of,
    signatures,
    table,
)
from opmill._onnx.ort_lowering import lowered
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.public import public_in
from opmill._runtime.types import Array, dtype_of

ort: Any = needed("onnxruntime", "opmill.onnxruntime_ops", "onnxruntime>=1.31,<2")
extensions: Any = needed(
    "onnxruntime_extensions", "opmill.onnxruntime_ops", "onnxruntime-extensions>=0.15,<0.16"
)

_log = logging.getLogger("opmill")
_registration = threading.Lock()
_registered: list[Any] = []


class _Thread(threading.local):
    """The error of this thread's run, stored for the caller."""

    def __init__(self) -> None:
        self.asked = False
        self.error: BaseException | None = None


_thread = _Thread()


@public_in("onnxruntime_ops")
class Session:
    """An onnxruntime session in which opmill computes some of the nodes.

    Args:
        model: the model, with nodes of the domain ``opmill`` or of operators to replace.
        replace: ONNX's names of the operators that opmill computes.
        options: onnxruntime's ``SessionOptions``, to which ``register`` is applied. The execution
            mode must be sequential, which is the default.
        providers: onnxruntime's execution providers for the other nodes.

    Raises:
        ValueError: the options ask for another execution mode.
        ModelError: a node cannot be handed over; the message says why.
        UnsupportedOperatorError: an operator version that is to be replaced is not supported.
        OpError: a node's attributes or types are not legal.
    """

    def __init__(
        self,
        model: ModelProto,
        replace: Collection[str] = (),
        options: Any = None,
        providers: Sequence[Any] = ("CPUExecutionProvider",),
    ) -> None:
        chosen = ort.SessionOptions() if options is None else options
        if chosen.execution_mode != ort.ExecutionMode.ORT_SEQUENTIAL:
            raise ValueError("opmill's operators need onnxruntime's sequential execution mode")
        register(chosen)
        text = lowered(model, replace).SerializeToString()
        self.inference_session: Any = _asking(
            lambda: ort.InferenceSession(text, chosen, providers=list(providers))
        )
        """onnxruntime's own session."""

    def run(
        self, output_names: Sequence[str] | None, feeds: Mapping[str, Any], options: Any = None
    ) -> list[Any]:
        """Run the model, as ``onnxruntime.InferenceSession.run`` does.

        Args:
            output_names: the outputs to compute; ``None`` for all.
            feeds: an array for each input, by name.
            options: onnxruntime's ``RunOptions``.

        Raises:
            OpError: a node that opmill computes refuses its inputs; the message begins with the
                node.
        """
        results: list[Any] = _asking(
            lambda: self.inference_session.run(output_names, dict(feeds), options)
        )
        return results


@public_in("onnxruntime_ops")
def register(options: Any) -> None:
    """Add this package's operators to onnxruntime's ``SessionOptions``.

    A session with these options can run what ``lowered`` returns. If a node refuses its inputs,
    such a run fails in a node whose name says so, and the reason is logged for ``opmill``.

    Args:
        options: the options, which are changed.
    """
    with _registration:
        if not _registered:
            # All at once: sessions keep pointers into the list, which grows elsewhere.
            for name, operator in table().items():
                for signature in signatures(operator.schema):
                    _registered.append(_python_operator(name, operator, signature))
    options.register_custom_ops_library(extensions.get_library_path())


def _python_operator(name: str, operator: Operator, signature: Signature) -> Any:
    kinds = extensions.PyCustomOpDef
    codes = {word: getattr(kinds, f"dt_{word}") for word in set(CARRIERS.values())}
    shapes = ["int64"] * len(signature.outputs)

    def compute(*inputs: Array, call: str) -> tuple[Array, ...]:
        return _results(operator, signature, inputs, call)

    declare = extensions.onnx_op(
        op_type=f"{DOMAIN}::{name}",
        inputs=[codes[word] for word in signature.inputs],
        outputs=[codes[word] for word in (*signature.outputs, *shapes)],
        attrs={"call": kinds.dt_string},
    )
    return declare(compute)


def _results(
    operator: Operator, signature: Signature, inputs: Sequence[Array], text: str
) -> tuple[Array, ...]:
    """The results of a node and their shapes; what cannot fit together where it cannot compute.

    Nothing may be raised here: it would end the process.
    """
    carriers = [dtype_of(word) for word in signature.outputs]
    location = "a node"
    try:
        call = call_of(text)
        location = call.location
        arguments = [
            None if word is None else array.astype(dtype_of(word), copy=False)
            for word, array in zip(call.inputs, inputs, strict=True)
        ]
        given = operator(arguments, call.attributes, outputs=call.outputs)
        results = [np.asarray(array, dtype) for array, dtype in zip(given, carriers, strict=False)]
        results += [np.empty(0, dtype) for dtype in carriers[len(results) :]]
        shapes = [np.array(array.shape, np.int64) for array in results]
    except BaseException as error:
        if isinstance(error, OpError):
            locate(error, location, operator.schema)
        _keep(error, location)
        results = [np.empty(0, dtype) for dtype in carriers]
        shapes = [np.ones(1, np.int64) for _ in carriers]
    return tuple(_Exact.of(array) for array in (*results, *shapes))


def _keep(error: BaseException, location: str) -> None:
    _thread.error = error
    if not _thread.asked:
        _log.error("%s", error if isinstance(error, OpError) else f"{location}: {error}")


def _asking(run: Any) -> Any:
    """Return the results of ``run``; raise a node's own error if a node of this package failed."""
    before = _thread.asked
    _thread.asked, _thread.error = True, None
    try:
        return run()
    except Exception as failure:
        if _thread.error is not None:
            raise _thread.error from failure
        raise
    finally:
        _thread.asked, _thread.error = before, None


class _Exact(np.ndarray[Any, Any]):
    """An array that stays one where onnxruntime-extensions would make a list of numbers of it.

    Out of such a list, large integers come back as floats, and a NaN as another one.
    """

    @classmethod
    def of(cls, array: Array) -> Array:
        return array if array.dtype.hasobject else array.view(cls)

    def tolist(self) -> Any:
        return self.view(np.ndarray)
