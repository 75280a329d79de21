"""ONNX's own converter, judged as the conversions of this package are.

It runs in a process of its own: it never returns from some models, and may crash.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from onnx import ModelProto, checker, version_converter

from conversion_results import compared, same_types

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


class HungError(Exception):
    """A conversion that took too long, or that ended its process."""


class RefusedError(Exception):
    """A conversion that ONNX's converter refuses."""


class Converter:
    """ONNX's converter in another process, which is started again after a model that hangs."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self._process: Any = None
        self._ours: Any = None

    def convert(self, model: ModelProto, opset: int) -> ModelProto:
        """Convert a model.

        Raises:
            HungError: the converter did not return.
            RefusedError: the converter raised an error.
        """
        if self._process is None:
            self._start()
        try:
            self._ours.send_bytes(opset.to_bytes(2, "little") + model.SerializeToString())
            answer = self._ours.recv_bytes() if self._ours.poll(self.timeout) else None
        except (EOFError, OSError):
            answer = None
        if answer is None:
            self._stop()
            raise HungError
        if answer[:1] == b"-":
            raise RefusedError(answer[1:].decode())
        return ModelProto.FromString(answer[1:])

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()
        self._process = None


def _serve(connection: Connection) -> None:
    """Convert models until the other end is closed; errors are texts after a minus."""
    while True:
        try:
            request = connection.recv_bytes()
        except EOFError:
            return
        model = ModelProto.FromString(request[2:])
        try:
            done = version_converter.convert_version(model, int.from_bytes(request[:2], "little"))
            answer = b"+" + done.SerializeToString()
        except Exception as error:  # of classes that onnx does not name
            answer = b"-" + str(error).encode(errors="replace")
        connection.send_bytes(answer)


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
