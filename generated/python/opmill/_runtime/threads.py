"""Number of threads of a call of the C backend, and the memory that each of them keeps."""

from __future__ import annotations

import os

from opmill._runtime.backend import BackendError, backends
from opmill._runtime.counts import as_count, integer_text
from opmill._runtime.errors import cut
from opmill._runtime.public import public

_ENVIRONMENT = "OPMILL_THREADS"
_MAX_THREADS = 1024
"""The maximum of the native module too."""


def _first_count() -> int:
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        digits = wanted.lstrip("0") if wanted.isascii() and wanted.isdigit() else ""
        if not digits or len(digits) > 4 or int(digits) > _MAX_THREADS:
            expected = f"expected an integer from 1 to {_MAX_THREADS}"
            raise BackendError(f"{_ENVIRONMENT} is '{cut(wanted, 40)}', {expected}")
        return int(digits)
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MAX_THREADS)


_count = _first_count()


@public
def get_threads() -> int:
    """The maximum number of threads that a call of the backend ``c`` uses."""
    return _count


@public
def set_threads(count: int) -> None:
    """Set the maximum number of threads of each call of the backend ``c``, in the whole process.

    The default is the environment variable OPMILL_THREADS, or else the number of processors of
    this process. Small calls use one thread in any case, and so do all calls where the C library
    was built without threads. NumPy's kernels use one. Results do not depend on the number.

    A call that computes in C is not interrupted: after Ctrl-C, KeyboardInterrupt is raised when
    it returns.

    Args:
        count: the maximum number, 1 to 1024.

    Raises:
        TypeError: the count is no integer.
        ValueError: the count is less than 1 or more than 1024.
    """
    global _count
    try:
        count = as_count(count)
    except TypeError:
        kind = type(count).__name__
        raise TypeError(f"set_threads: count is of type {kind}, expected an integer") from None
    if not 1 <= count <= _MAX_THREADS:
        given = integer_text(count)
        raise ValueError(f"set_threads: count is {given}, expected 1 to {_MAX_THREADS}")
    if "c" in backends():
        from opmill import _native

        _native.set_threads(count)
    _count = count


@public
def free_workspace() -> int:
    """Free the scratch memory that the calling thread keeps for its next call.

    Each thread keeps up to 64 MiB of the scratch memory of its C kernels; more is freed after the
    call, and everything when the thread ends.

    Returns:
        The number of bytes freed.
    """
    if "c" not in backends():
        return 0
    from opmill import _native

    return _native.free_workspace()


def start() -> None:
    """Tell the native module, once it is loaded, how many threads there are."""
    set_threads(_count)
