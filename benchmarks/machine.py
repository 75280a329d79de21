"""Description of machine and software for reports, and settings to make before measuring."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

_MMAP_MAX = -4
_TRIM_THRESHOLD = -1
_LARGE_PAGE = 1 << 21
_PLACES = itertools.cycle(range(0, 4096, 1344))


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
    """An array of zeros that begins at a cache line, so that none has luck with its buffer.

    One of two mebibytes or more lies on pages of its own, large ones where the system has them:
    from the allocator's heap it would get large or small pages, as its history has it, and the
    same call would differ by a multiple. No two in a row begin at the same place of a page, where
    loads would wait for stores that only look as if they went to the same address.
    """
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if count < _LARGE_PAGE:
        room = np.zeros(count + 64, np.uint8)
        start = -room.ctypes.data % 64
    else:
        pages = mmap.mmap(-1, count + 2 * _LARGE_PAGE)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            pages.madvise(mmap.MADV_HUGEPAGE)
        room = np.frombuffer(pages, np.uint8)
        start = -room.ctypes.data % _LARGE_PAGE + next(_PLACES)
        room[start : start + count] = 0
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
    finished = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return finished.stdout.partition("\n")[0]
