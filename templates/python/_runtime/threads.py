"""How many threads a call of the C backend may use, and the memory that each of them keeps."""

from __future__ import annotations

import os

from opmill._runtime.backend import BackendError, backends

_ENVIRONMENT = "OPMILL_THREADS"


def _first_count() -> int:
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        if not wanted.isdecimal() or int(wanted) < 1:
            raise BackendError(f"{_ENVIRONMENT} must be a number from 1, got '{wanted}'")
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_count = _first_count()
_forked = False


def get_threads() -> int:
    """At most how many threads a call of the backend ``c`` uses."""
    return _count


def set_threads(count: int) -> None:
    """Let every call of the backend ``c``, in any thread, use at most so many threads.

    At first it is what the environment variable OPMILL_THREADS says, or else as many as this
    process has processors. Small calls use one whatever this says, and so do all calls where
    the C library was built without OpenMP. NumPy's kernels use one.

    Raises:
        ValueError: the count is less than 1.
        BackendError: this process was forked from one that had loaded opmill: OpenMP does not
            work there, and one thread is all there is.
    """
    global _count
    if count < 1:
        raise ValueError(f"the number of threads must be 1 or more, got {count}")
    if _forked and count > 1:
        raise BackendError("OpenMP does not survive a fork: this process can use 1 thread only")
    if "c" in backends():
        from opmill import _native

        _native.set_threads(count)
    _count = count


def free_workspace() -> int:
    """Free the scratch memory that the calling thread keeps for its next call.

    Of the scratch memory that the C kernels need, each thread keeps up to 64 MiB; more is freed
    after the call, and everything when the thread ends.

    Returns:
        How many bytes that were.
    """
    if "c" not in backends():
        return 0
    from opmill import _native

    return _native.free_workspace()


def start() -> None:
    """Tell the native module, once it is loaded, how many threads there are."""
    set_threads(_count)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)


def _after_fork() -> None:
    global _forked
    _forked = True
    set_threads(1)
