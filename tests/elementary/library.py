"""The elementary functions of the C library, built alone, for whoever measures them."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
C = HERE.parents[1] / "generated" / "c"
RECORD = HERE.parent / "records" / "elementary.json"
FLAGS = ("-std=c11", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-fPIC")
FLOAT, DOUBLE = 1, 11
"""The numbers of the types in TensorProto.DataType."""
ALPHA, GAMMA = 1.6732632423543772, 1.0507009873554805
"""The parameters of math_functions.h."""
WITH_PARAMETERS = ("elu", "celu", "swish")


def _compile(command: Sequence[str], target: Path, *arguments: str | Path) -> Path:
    sources = [
        *(C / "src" / "runtime" / "math").glob("*.c"),
        C / "src" / "runtime" / "platform" / "isa.c",
    ]
    folders = (f"-I{C / folder}" for folder in ("src", "include", "tests"))
    subprocess.run(
        [*command, *FLAGS, *folders, *arguments, *sources, "-o", target, "-lm"], check=True
    )
    return target


def measuring_program(command: Sequence[str], folder: Path) -> Path:
    """Build the program that measures functions of float, with a compiler and its options."""
    return _compile(command, folder / "measure", HERE / "measure.c")


def measured(program: Path, function: str, step: int) -> dict[str, Any]:
    """Return what the program reports of every ``step``-th float."""
    done = subprocess.run(
        [program, function, str(step)], check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout.replace("inf", "1e999")))


def digests() -> dict[str, dict[str, str]]:
    """Return the digests of the results of each function, as the C tests expect them."""
    text = (C / "tests" / "math_digests.h").read_text(encoding="utf-8")
    lines = re.findall(r'\{"(\w+)", UINT64_C\((\w+)\), UINT64_C\((\w+)\)\}', text)
    return {name: {"float": of_float, "double": of_double} for name, of_float, of_double in lines}


class Functions:
    """The functions as calls on arrays of float32 or float64."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._library = ctypes.CDLL(str(_compile(command, folder / "math.so", "-shared")))

    def __call__(self, name: str, *inputs: NDArray[Any]) -> NDArray[Any]:
        """Compute on the best instruction set."""
        pick = getattr(self._library, f"opmill_math_{name}")
        pick.restype = ctypes.c_void_p
        x, *others = inputs
        y = np.empty_like(x)
        number = DOUBLE if x.dtype == np.float64 else FLOAT
        address = pick(number, self._library.opmill_isa_best())
        pointer, count = ctypes.c_void_p, ctypes.c_int64
        types: Sequence[Any]
        arguments: Sequence[Any]
        if others:
            types = (pointer, ctypes.c_bool, pointer, ctypes.c_bool, pointer, count)
            arguments = (x.ctypes.data, False, others[0].ctypes.data, False, y.ctypes.data, x.size)
        elif name in WITH_PARAMETERS:
            types = (pointer, pointer, count, ctypes.c_double, ctypes.c_double)
            arguments = (x.ctypes.data, y.ctypes.data, x.size, ALPHA, GAMMA)
        else:
            types = (pointer, pointer, count)
            arguments = (x.ctypes.data, y.ctypes.data, x.size)
        ctypes.CFUNCTYPE(None, *types)(address)(*arguments)
        return y
