"""Arrays that end, or begin, at a page that cannot be touched: a read beside them ends the process.

Only where the system has ``mprotect``; elsewhere the functions return None.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from opmill_checks.watch import Watched

PAGE = mmap.PAGESIZE
NO_ACCESS = 0
"""``PROT_NONE`` of every POSIX system."""


def empty(shape: tuple[int, ...], dtype: Any, *, at_end: bool) -> np.ndarray[Any, Any] | None:
    """A new array between two protected pages; None if it holds Python objects."""
    described = np.dtype(dtype)
    if os.name != "posix" or described.hasobject or described.kind == "T":
        return None
    size = int(np.prod(shape, dtype=np.int64)) * described.itemsize
    usable = max(1, -(-size // PAGE)) * PAGE
    memory = mmap.mmap(-1, PAGE + usable + PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (start, start + PAGE + usable):
        if _mprotect(page, PAGE, NO_ACCESS) != 0:
            raise OSError(ctypes.get_errno(), "mprotect failed")
    offset = PAGE + usable - size if at_end else PAGE
    return np.frombuffer(memory, np.uint8, size, offset).view(described).reshape(shape)


def copy(array: np.ndarray[Any, Any], *, at_end: bool) -> Watched | None:
    """A watched copy between two protected pages; None as of ``empty``."""
    guarded = empty(array.shape, array.dtype, at_end=at_end)
    if guarded is None:
        return None
    guarded[...] = array
    return Watched(guarded)


def _mprotect(address: int, size: int, protection: int) -> int:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return int(function(address, size, protection))
