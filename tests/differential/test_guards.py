"""The native module, as it is built here, reads and writes nothing beside the arrays of a call.

A few legal calls of every version on every instruction set, with arrays that end and arrays that
begin at a page that cannot be touched. What goes wrong ends the process, whose fault handler names
the version. The C library's own test ``guards`` makes more calls, and has scratch memory and packed
inputs between such pages too.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest

import opmill
from differential import guarded
from differential.run import calls
from differential.versions import Version, versions
from native_calls import needs_c, python
from opmill import OpError
from opmill.conformance._drawn import Drawn
from opmill_checks.value import dtype_of

pytestmark = [needs_c, pytest.mark.skipif(os.name != "posix", reason="there is no mprotect")]

CALLS = 3


@pytest.mark.each_version
@pytest.mark.parametrize("version", [one for one in versions() if one.legal], ids=str)
def test_no_call_touches_memory_beside_its_arrays(version: Version) -> None:
    for call in calls(version, "legal", CALLS):
        for name in opmill.instruction_sets():
            with opmill.use_backend("c"), opmill.use_instruction_set(name):
                at_both_ends(version, call)


def at_both_ends(version: Version, call: Drawn) -> None:
    """Make a call with its inputs, and outputs of one shape, at either end of their memory."""
    for at_end in (True, False):
        inputs = [one if one is None else placed(one, at_end) for one in call.inputs]
        try:
            shapes = version.operator.infer(inputs, call.attributes, call.outputs)
            out: list[Any] | None = [output(one, at_end) for one in shapes]
            if any(one is None for one in out or ()):
                out = None
            version.operator(inputs, call.attributes, out=out, outputs=call.outputs)
        except OpError:
            pass  # for its contents, or for the number of outputs


def placed(array: Any, at_end: bool) -> Any:
    copy = guarded.copy(array, at_end=at_end)
    return array if copy is None else copy.array


def output(described: Any, at_end: bool) -> Any:
    """A buffer for an output; None if only the data determine its shape."""
    if None in described.shape:
        return None
    return guarded.empty(described.shape, dtype_of(described.type), at_end=at_end)


@pytest.mark.parametrize(("at_end", "beside"), [(True, 31), (False, -1)])
def test_a_read_beside_an_array_ends_the_process(at_end: bool, beside: int) -> None:
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = [*sys.path, tests]
    code = f"""
import ctypes, sys
sys.path[:0] = {path!r}
import numpy as np
from differential import guarded
array = guarded.empty((31,), np.uint8, at_end={at_end})
ctypes.string_at(array.ctypes.data, 31)
print("right", flush=True)
ctypes.string_at(array.ctypes.data + {beside}, 1)
print("wrong")
"""
    assert python(code) == "right"


def test_an_array_has_its_elements() -> None:
    for at_end in (True, False):
        array = np.arange(1500, dtype=np.int32).reshape(2, 750)
        watched = guarded.copy(array, at_end=at_end)
        assert watched is not None
        assert np.array_equal(watched.array, array)
        assert watched.array.flags.carray
        assert (watched.array.ctypes.data + at_end * array.nbytes) % guarded.PAGE == 0
