"""Computes calls that end the process of onnxruntime, each in a process of its own.

Run as a program, it reads calls and forks for each, which takes milliseconds: to import onnxruntime
anew takes the better part of a second.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any, Self


class Ending:
    """The program, from its first call on."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with self._process as process:  # which ends at the end of its input
                process.stdin.close()  # type: ignore[union-attr]

    def code_of(self, model: bytes, given: dict[str, Any]) -> int:
        """Exit code of a call: 0 if it is answered, the negative number of a signal."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "differential.ending"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        pipes = self._process.stdin, self._process.stdout
        assert pipes[0] is not None
        assert pipes[1] is not None
        pickle.dump((model, given), pipes[0])
        pipes[0].flush()
        return int(pipes[1].readline())


def main() -> None:
    """Read calls until there are no more, and write how the process of each has ended."""
    from differential.runtimes import OnnxRuntime, RefusedByRuntime

    runtime = OnnxRuntime()
    while True:
        try:
            model, given = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        child = os.fork()
        if not child:
            code = 1
            try:
                runtime.compute(model, given)
                code = 0
            except RefusedByRuntime:
                code = 0
            finally:
                os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
