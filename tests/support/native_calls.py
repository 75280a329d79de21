"""Shared parts of the tests of the native module."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import opmill
from opmill.tile import v13 as tile13

needs_c = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)


def floats(*shape: int) -> Any:
    """0, 1, 2 and so on."""
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def python(code: str, **environment: str) -> str:
    """Return the output of a fresh interpreter, its errors too."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return (done.stdout + done.stderr).strip()


def watch_numpy(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that grows with each call that the NumPy kernel of Tile-13 computes."""
    calls: list[Any] = []
    compute = tile13.OPERATOR._computation.compute

    def counted(*arguments: Any, **plan: Any) -> None:
        calls.append(arguments)
        compute(*arguments, **plan)

    monkeypatch.setattr(tile13.OPERATOR._computation, "compute", counted)
    return calls
