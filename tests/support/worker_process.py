"""A function that runs in another process, because it may crash or never return."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

Answering = Callable[[bytes], bytes]


class HungError(Exception):
    """A request that took too long, or that ended the process."""


class Worker:
    """A process that answers requests, and that is started again after one that ends it.

    Args:
        answer: a function of a module, which the process calls.
        timeout: the maximum number of seconds of a request.
    """

    def __init__(self, answer: Answering, timeout: float) -> None:
        self._answer, self._timeout = answer, timeout
        self._process: Any = None
        self._ours: Any = None

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request.

        Raises:
            HungError: there was none.
        """
        if self._process is None:
            self._start()
        try:
            self._ours.send_bytes(request)
            if self._ours.poll(self._timeout):
                found: bytes = self._ours.recv_bytes()
                return found
        except (EOFError, OSError):
            pass
        self._stop()
        raise HungError

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._answer, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()
        self._process = None


def _serve(answer: Answering, connection: Connection) -> None:
    """Answer requests until the other end is closed."""
    while True:
        try:
            request = connection.recv_bytes()
        except EOFError:
            return
        connection.send_bytes(answer(request))
