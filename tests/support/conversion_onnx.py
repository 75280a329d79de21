"""ONNX's own converter, judged as the conversions of this package are.

It runs in a process of its own: it never returns from some models, and may crash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from onnx import ModelProto, checker, version_converter

from conversion_results import compared, same_types
from worker_process import HungError, Worker

TIMEOUT = 30.0
"""The maximum number of seconds that a conversion may take; most take milliseconds."""

WORDS = {
    "right": "the converted model computes the same",
    "no adapter": "the converter has no adapter for the step",
    "refused": "the converter refuses the model",
    "invalid": "the converted model is invalid, or its results have other types",
    "silent": "the converted model runs and computes something else",
    "hung": "the converter does not return, or crashes",
}
"""The words that describe what ONNX's converter does with a model."""


class RefusedError(Exception):
    """A conversion that ONNX's converter refuses."""


class Converter:
    """ONNX's converter in another process, which is started again after a model that hangs."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self._worker = Worker(_converted, timeout)

    def convert(self, model: ModelProto, opset: int) -> ModelProto:
        """Convert a model.

        Raises:
            HungError: the converter did not return.
            RefusedError: the converter raised an error.
        """
        answer = self._worker.ask(opset.to_bytes(2, "little") + model.SerializeToString())
        if answer[:1] == b"-":
            raise RefusedError(answer[1:].decode())
        return ModelProto.FromString(answer[1:])


def _converted(request: bytes) -> bytes:
    """Convert a model; an error is a text after a minus."""
    model = ModelProto.FromString(request[2:])
    try:
        done = version_converter.convert_version(model, int.from_bytes(request[:2], "little"))
    except Exception as error:  # of classes that onnx does not name
        return b"-" + str(error).encode(errors="replace")
    return b"+" + done.SerializeToString()


@cache
def converter() -> Converter:
    """The converter of this process."""
    return Converter()


def judged(
    model: ModelProto,
    opset: int,
    wanted: Sequence[Any],
    run: Callable[[ModelProto], Sequence[Any]],
) -> str:
    """Convert a model; return one of ``WORDS``.

    Args:
        model: the model.
        opset: the opset to convert it to.
        wanted: the results of the model.
        run: gives the results of a model.
    """
    try:
        done = converter().convert(model, opset)
    except HungError:
        return "hung"
    except RefusedError as error:
        return "no adapter" if "adapter" in str(error).lower() else "refused"
    try:
        checker.check_model(done, full_check=True)
        found = run(done)
    except Exception:  # of any class: the model is not valid
        return "invalid"
    if not same_types(wanted, found):
        return "invalid"
    return "silent" if compared(wanted, found) == "different" else "right"
