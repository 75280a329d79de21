"""What a call costs beside what it computes: 8 elements, beside NumPy and onnxruntime in one run.

Contenders take turns, round after round, and each one's best round is printed: what disturbs a
machine makes calls slower, never faster. An empty call is subtracted from every figure.

    python benchmarks/call_overhead.py
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable

import numpy as np

import opmill
from opmill import opset13

Call = Callable[[], object]


def contenders() -> dict[str, Call]:
    """The calls that are compared, by what they are printed as."""
    x = np.arange(8, dtype=np.float32)
    counts, shape = np.array([2]), np.array([2, 8])
    out = np.empty(16, np.float32)
    calls: dict[str, Call] = {
        "opmill tile": lambda: opset13.tile(x, counts),
        "opmill tile, a list of counts": lambda: opset13.tile(x, [2]),
        "opmill tile, out=": lambda: opset13.tile(x, counts, out=out),
        "opmill expand": lambda: opset13.expand(x, shape),
        "numpy.tile": lambda: np.tile(x, 2),
        "numpy.broadcast_to, copied": lambda: np.broadcast_to(x, (2, 8)).copy(),
    }
    try:
        calls |= onnxruntime_calls(x, counts)
    except ImportError:
        print("onnxruntime is not installed and left out")
    return calls


def onnxruntime_calls(x: np.ndarray, counts: np.ndarray) -> dict[str, Call]:
    """Tile in onnxruntime, by ``run`` and with buffers bound beforehand."""
    import onnxruntime
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("Tile", ["x", "counts"], ["y"])],
        "tile",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [None]),
            helper.make_tensor_value_info("counts", TensorProto.INT64, [1]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None])],
    )
    opset = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    y = np.empty(16, np.float32)
    binding = session.io_binding()
    binding.bind_cpu_input("x", x)
    binding.bind_cpu_input("counts", counts)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    version = onnxruntime.__version__
    return {
        f"onnxruntime {version}, run": lambda: session.run(None, {"x": x, "counts": counts}),
        f"onnxruntime {version}, bound": lambda: session.run_with_iobinding(binding),
    }


def nanoseconds(call: Call, repetitions: int) -> float:
    """The time of one call."""
    started = time.perf_counter_ns()
    for _ in range(repetitions):
        call()
    return (time.perf_counter_ns() - started) / repetitions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="rounds, of which the best counts")
    parser.add_argument("--repetitions", type=int, default=5000, help="calls in a round")
    arguments = parser.parse_args()
    calls = contenders()
    best = dict.fromkeys(["", *calls], float("inf"))
    for _ in range(arguments.rounds):
        for name, call in {"": lambda: None, **calls}.items():
            best[name] = min(best[name], nanoseconds(call, arguments.repetitions))
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, ",
        end="",
    )
    print(f"numpy {np.__version__}, backend {opmill.backend_name()}")
    for name in calls:
        print(f"{name:32} {best[name] - best['']:7.0f} ns")


if __name__ == "__main__":
    main()
