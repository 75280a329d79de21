"""Loads a network with one runtime; run as a script, prints the memory that this takes.

    runtimes.py RUNTIME MODEL THREADS [--fuse-qdq]

No runtime is imported before it is asked for, so that a process has one alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import opmill

OPMILL = "opmill"
PLAIN = "onnxruntime, not optimised"
OPTIMISED = "onnxruntime"
RUNTIMES = (OPMILL, PLAIN, OPTIMISED)


def load(name: str, path: Path, threads: int, *, fuse_qdq: bool = False) -> Callable[[], Any]:
    """A call of one runtime, which returns the first output."""
    if name == OPMILL:
        import opmill

        opmill.set_threads(threads)
        model = opmill.Model(path, fallback="onnxruntime", fuse_qdq=fuse_qdq)
        given = inputs_of(model)
        return lambda: model.run(given)[0]
    import onnxruntime as ort

    levels = ort.GraphOptimizationLevel
    options = ort.SessionOptions()
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if name == OPTIMISED else levels.ORT_DISABLE_ALL
    )
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = {
        one.name: _random(one.shape, "int64" if "int64" in one.type else "float")
        for one in session.get_inputs()
    }
    return lambda: session.run(None, inputs)[0]


def inputs_of(model: opmill.Model) -> dict[str, Any]:
    """Random inputs, the same every time."""
    found = {}
    for declared in model.inputs:
        type_: Any = declared.type
        found[declared.name] = _random(type_.dims, type_.element)
    return found


def _random(dims: Any, element: str) -> Any:
    generator = np.random.default_rng(1)
    if element == "int64":
        return generator.integers(0, 1000, dims)
    return generator.standard_normal(dims).astype(np.float32)


def main(name: str, path: str, threads: str, *flags: str) -> None:
    """The process that is measured: prints the most bytes that were resident."""
    call = load(name, Path(path), int(threads), fuse_qdq="--fuse-qdq" in flags)
    call()
    call()
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    print(int(peak) * 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
