"""Those that are compared: opmill and its peers, each behind the same few methods."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from benchmarks.cases import (
    CastCase,
    ConvTransposeCase,
    CopyCase,
    ElementwiseCase,
    JoinCase,
    MoveCase,
    NonZeroCase,
    PoolCase,
    ReductionCase,
)
from benchmarks.cases_operators import OperatorCase
from benchmarks.clock import Call

Array = np.ndarray[Any, Any]

PEERS = ("numpy", "onnxruntime", "torch")
CONVOLVERS = ("onnxruntime", "torch")
"""The peers that have a transposed convolution."""
OPMILL = "opmill"
PREPARED = "opmill, prepared"
CONSTANT_WEIGHTS = "onnxruntime, constant W"

NUMBERS = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "complex128": 15,
    "bfloat16": 16,
    "float8_e4m3fn": 17,
}
"""NumPy's element types by their numbers in ONNX's TensorProto.DataType."""


class Contender(Protocol):
    """One library, with its calls made ready on buffers that are used again and again.

    A call that is made ready leaves its result in ``out``, or returns it where the library cannot
    write to a buffer. None stands for what the library
    does not have.
    """

    name: str
    version: str

    def set_threads(self, threads: int) -> None:
        """Set the number of threads of contenders that are prepared from now on."""

    def conv_transpose(
        self, case: ConvTransposeCase, x: Array, w: Array, out: Array
    ) -> Call | None: ...

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call | None: ...

    def elementwise(
        self, case: ElementwiseCase, inputs: Sequence[Array], out: Array
    ) -> Call | None: ...

    def cast(self, case: CastCase, x: Array, out: Array) -> Call | None: ...

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> Call | None:
        """``indices`` takes the second output, where it is asked for. A call that counts within
        planes, as ONNX does not, returns Y alone."""

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> Call | None: ...

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> Call | None:
        """Concat writes to ``whole``, Split to ``parts``, and neither returns anything."""

    def move(self, case: MoveCase, x: Array, out: Array) -> Call | None: ...

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> Call | None: ...

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        """``outs`` takes each output; what a call returns is its first one."""


def open_contenders(peers: tuple[str, ...]) -> list[Contender]:
    """opmill and those of the named peers that are installed; the missing ones are reported.

    Raises:
        ValueError: a name that is none of PEERS.
    """
    found: list[Contender] = []
    for name in (OPMILL, *peers):
        if name not in (OPMILL, *PEERS):
            raise ValueError(f"no peer is called '{name}'; there are {', '.join(PEERS)}")
        try:
            module = importlib.import_module(f"benchmarks.contenders.with_{name}")
        except ModuleNotFoundError as missing:
            if missing.name != name:
                raise
            print(f"{name} is not installed and left out; 'make bench' installs it")
            continue
        found += module.libraries()
    return found
