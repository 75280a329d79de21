"""What a report says of the machine and the software, and what is set before measuring."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

_MMAP_MAX = -4
_TRIM_THRESHOLD = -1


def describe() -> dict[str, str | int]:
    """The processor's model, how many cores there are for us, the system and the compiler."""
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
        "python": platform.python_version(),
        "compiler": _compiler(),
    }


def keep_freed_memory() -> None:
    """Let the allocator keep what is freed.

    A library that returns a new array would otherwise ask the system for fresh pages on every call
    and be timed with their making, beside contenders that write to a buffer of ours.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_MAX, 0)
        libc.mallopt(_TRIM_THRESHOLD, -1)


def aligned(
    shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """An array of zeros that begins at a cache line, so that none has luck with its buffer."""
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    room = np.zeros(count + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + count].view(dtype).reshape(shape)


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def _compiler() -> str:
    command = shutil.which(os.environ.get("CC", "cc"))
    if command is None:
        return "none"
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.partition("\n")[0]
