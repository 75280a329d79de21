"""The memory that ConvTranspose takes beside its operands, each peer and case in a process alone.

opmill tells its workspace. For the others the kernel tells how far the resident memory rose above
where it was before the call, with X, W and Y in place and the library warmed by a small call; a
result that the library makes itself is not counted.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import opmill
from benchmarks import cases_conv_transpose
from benchmarks.cases import ConvTransposeCase
from benchmarks.contenders import CONVOLVERS, OPMILL, Contender, open_contenders
from benchmarks.measure import Record, conv_inputs

_ROOT = Path(__file__).resolve().parent.parent
_BY_NAME = {c.name: c for c in (*cases_conv_transpose.MAIN, *cases_conv_transpose.FURTHER)}
_WARMING = _BY_NAME["small"]


def measure(case: ConvTransposeCase, contenders: Sequence[Contender], threads: int) -> Record:
    """The bytes that one call takes, by contender."""
    extra: dict[str, int] = {}
    for contender in contenders:
        if contender.name == OPMILL:
            extra[OPMILL] = workspace(case, contender, threads)
        if contender.name not in CONVOLVERS:
            continue
        finished = subprocess.run(
            [sys.executable, "-m", __name__, contender.name, case.name, str(threads)],
            cwd=_ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        taken = json.loads(finished.stdout)
        if taken is not None:
            extra[contender.name] = taken
    return {
        "case": case.name,
        "threads": threads,
        "input": 4 * math.prod(case.x),
        "bytes": extra,
    }


def workspace(case: ConvTransposeCase, ours: Contender, threads: int) -> int:
    """The size of the workspace that the native module provides to the C library for this call."""
    ours.set_threads(threads)
    x, w = conv_inputs(case, "float32")
    call = ours.conv_transpose(case, x, w, np.empty(case.y, np.float32))
    assert call is not None
    opmill.free_workspace()
    call()
    return opmill.free_workspace()


def risen(case: ConvTransposeCase, contender: Contender, threads: int) -> int | None:
    """Growth of this process's resident memory during a call; None where there is no such call."""
    contender.set_threads(threads)
    calls = []
    for one in (_WARMING, case):
        x, w = conv_inputs(one, "float32")
        out = np.zeros(one.y, np.float32)
        out.fill(1)
        calls.append(contender.conv_transpose(one, x, w, out))
    warming, call = calls
    if warming is None or call is None:
        return None
    warming()
    warming()
    before = reset_peak()
    returned = call()
    peak = status("VmHWM")
    made = 4 * math.prod(case.y) if returned is not None else 0
    return max(0, peak - before - made)


def reset_peak() -> int:
    """Let the kernel forget the highest resident size; the present one, in bytes."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return status("VmRSS")


def status(key: str) -> int:
    """A size that the kernel knows of this process, in bytes: VmRSS now, VmHWM at its peak."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(key)


def main(name: str, case: str, threads: str) -> None:
    """The measuring process: prints the bytes as JSON."""
    (contender,) = (one for one in open_contenders((name,)) if one.name == name)
    print(json.dumps(risen(_BY_NAME[case], contender, int(threads))))


if __name__ == "__main__":
    main(*sys.argv[1:])
