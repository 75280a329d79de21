"""A process that computes cases, so that a runtime that crashes or hangs ends only that process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import warnings
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from opmill.conformance._targets import TargetError

_START = 120.0
"""Seconds that a target may take to be imported."""


class Answer(NamedTuple):
    """The outcome of a call: ``computed`` with outputs, ``refused``, ``crashed`` or ``hung``."""

    kind: str
    outputs: list[Any]
    text: str


class _Objects(NamedTuple):
    """An array of objects between processes: NumPy pickles none of more than 32 dimensions."""

    shape: tuple[int, ...]
    elements: list[Any]


def _sendable(value: Any) -> Any:
    """A value with ``_Objects`` in place of its arrays of objects."""
    if type(value) in (list, tuple):
        return type(value)(map(_sendable, value))
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _Objects(value.shape, value.reshape(-1).tolist())
    return value


def _received(value: Any) -> Any:
    """A value that ``_sendable`` returned, as it was."""
    if type(value) in (list, tuple):
        return type(value)(map(_received, value))
    if isinstance(value, _Objects):
        array = np.empty(len(value.elements), object)
        array[:] = value.elements
        return array.reshape(value.shape)
    return value


class Worker:
    """A process with a target, started when it is needed.

    Args:
        target: the name of the target.
        timeout: the seconds that a call may take.
    """

    def __init__(self, target: str, timeout: float) -> None:
        self._target, self._timeout = target, timeout
        self._process: Any = None
        self._connection: Connection | None = None

    def start(self) -> tuple[str, str]:
        """Start the process; returns the name and version of the target.

        Raises:
            TargetError: the target cannot be used.
        """
        self.stop()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(self._target, theirs, list(sys.path)), daemon=True
        )
        self._process.start()
        theirs.close()
        self._connection = ours
        answer = self._receive(_START)
        if answer.kind != "ready":
            text = {"crashed": "it ended the process", "hung": f"it took over {_START:g} s"}
            self.stop()
            raise TargetError(
                answer.text
                if answer.kind == "failed"
                else f"{self._target} cannot be imported: {text[answer.kind]}"
            )
        return answer.outputs[0], answer.outputs[1]

    def ask(self, model: bytes, inputs: list[Any]) -> Answer:
        """Compute one model in the process."""
        if self._connection is None:
            self.start()
        assert self._connection is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # If the process has ended, the answer says so.
            self._connection.send((model, _sendable(inputs)))
        answer = self._receive(self._timeout)
        if answer.kind in ("crashed", "hung"):
            self.stop()
        return answer

    def _receive(self, seconds: float) -> Answer:
        assert self._connection is not None
        try:
            if not self._connection.poll(seconds):
                return Answer("hung", [], f"no answer within {seconds:g} s")
            return Answer(*_received(self._connection.recv()))
        except (EOFError, ConnectionResetError):
            self._process.join(5)
            code = self._process.exitcode
            end = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return Answer("crashed", [], f"the process ended with {end}")

    def stop(self) -> None:
        """End the process, if there is one, and those that its runtime has started."""
        self.kill()
        if self._process is not None:
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def kill(self) -> None:
        """End the process from any thread: a call that waits for it counts as crashed."""
        process = self._process
        if process is not None:
            with contextlib.suppress(AttributeError, ProcessLookupError):
                # Windows has no groups. A process that was just started is in none of its own.
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()


def serve(target: str, connection: Connection, path: list[str]) -> None:
    """Answer calls until the other side closes; the process's main function."""
    sys.path[:] = path
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, which ``Worker.stop`` ends as a whole
    with open(os.devnull, "w") as nowhere:  # runtimes print
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    from onnx import ModelProto

    from opmill.conformance._targets import open_target

    warnings.simplefilter("ignore")
    try:
        opened = open_target(target)
    except TargetError as error:
        connection.send(("failed", [], str(error)))
        return
    except Exception as error:  # a runtime may raise anything while it is set up
        text = f"{target} cannot be used: {type(error).__name__}: {error}"
        connection.send(("failed", [], text))
        return
    connection.send(("ready", [opened.name, opened.version], ""))
    while True:
        try:
            text, inputs = _received(connection.recv())
        except EOFError:
            return
        try:
            model = ModelProto.FromString(text)
            outputs = list(opened.prepare(model)(inputs))
            answer: tuple[str, list[Any], str] = ("computed", outputs, "")
        except Exception as error:
            answer = ("refused", [], f"{type(error).__name__}: {error}"[:500])
        try:
            connection.send(_sendable(answer))
        except (TypeError, ValueError, AttributeError) as error:  # outputs that cannot be sent
            kinds = ", ".join(type(one).__name__ for one in answer[1])
            connection.send(("refused", [], f"outputs of type {kinds}: {error}"))
