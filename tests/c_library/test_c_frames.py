"""Stack frames of functions that keep their data in buffers on the stack, in standard C."""

from __future__ import annotations

import subprocess

import pytest

from c_library import FOLDER, compiler

MAX_FRAME = 2048
SOURCES = (
    "src/families/max_pool/planes.c",
    "src/families/max_pool/rows.c",
    "src/runtime/elementwise.c",
    "src/runtime/elementwise_several.c",
    "src/runtime/strided_moves.c",
)


@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("source", SOURCES)
def test_frames_are_small_in_standard_c(source: str):
    flags = ["-std=c11", "-O1", "-DOPMILL_STANDARD_C", "-Iinclude", "-Isrc"]
    warn = f"-Werror=frame-larger-than={MAX_FRAME}"
    command = [compiler() or "cc", *flags, warn, "-c", source, "-o", "/dev/null"]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
