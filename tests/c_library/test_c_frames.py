"""The library for systems with little memory: frames on the stack, and tensors of few axes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from c_library import FOLDER, compiler

MAX_FRAME = 2048
SOURCES = (
    "src/families/conv/kernel.c",
    "src/families/max_pool/channels.c",
    "src/families/max_pool/planes.c",
    "src/families/max_pool/rows.c",
    "src/families/max_pool/rules_channels_first.c",
    "src/families/pool/means.c",
    "src/families/reduce/reduction.c",
    "src/families/reduce/exponentials.c",
    "src/operators/max_pool_22.c",
    "src/runtime/copy/copy.c",
    "src/runtime/elementwise/elementwise.c",
    "src/runtime/elementwise/elementwise_several.c",
    "src/runtime/math/power.c",
    "src/runtime/softmax/loops.c",
    "src/runtime/copy/strided_moves.c",
)
"""Samples of those whose frames depend on the definitions; .ci/c-tests.sh compiles all sources."""

FLAGS = ("-std=c11", "-Os", "-DOPMILL_STANDARD_C", "-DOPMILL_MAX_RANK=8", "-Iinclude", "-Isrc")
VERSIONS = {"all", "col2_im_18", "expand_13", "identity_25"}

PROGRAM = """
#include <stdio.h>

#include <opmill/operators/col2_im.h>
#include <opmill/operators/expand.h>
#include <opmill/operators/identity.h>

static opmill_context context;

static void report(int code) {
    printf("%d %s\\n", code, code == OPMILL_OK ? "" : context.error.message);
}

int main(void) {
    const int64_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, eight = 8, nine = 9;
    const int64_t blocks[3] = {1, 1, 1};
    float data[1] = {0};
    int64_t lengths[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    opmill_shape shape;
    const opmill_tensor x = {data, ones, 8, OPMILL_FLOAT}, y = {data, ones, 9, OPMILL_FLOAT};
    const opmill_tensor few = {lengths, &eight, 1, OPMILL_INT64};
    const opmill_tensor many = {lengths, &nine, 1, OPMILL_INT64};
    const opmill_tensor three = {data, blocks, 3, OPMILL_FLOAT};
    report(opmill_identity_25_infer(&x, &shape, &context));
    report(opmill_identity_25_infer(&y, &shape, &context));
    report(opmill_expand_13_infer(&x, &few, &shape, &context));
    report(opmill_expand_13_infer(&x, &many, &shape, &context));
    report(opmill_col2_im_18_infer(&three, &many, &many, NULL, &shape, &context));
    return 0;
}
"""

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


def run(*command: str, cwd: Path = FOLDER) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("source", SOURCES)
def test_frames_are_small(source: str):
    warn = f"-Werror=frame-larger-than={MAX_FRAME}"
    run(compiler() or "cc", *FLAGS, warn, "-c", source, "-o", "/dev/null")


def test_more_axes_than_the_build_has_are_refused(tmp_path: Path):
    lines = (FOLDER / "files.txt").read_text().splitlines()
    named = (line.split(":", 1) for line in lines if ":" in line and line[0] != "#")
    needed = [paths.split() for names, paths in named if VERSIONS & set(names.split())]
    sources = sorted({path for paths in needed for path in paths if path.endswith(".c")})
    program = tmp_path / "program"
    program.with_suffix(".c").write_text(PROGRAM)
    run(compiler() or "cc", *FLAGS, f"{program}.c", *sources, "-lm", "-o", str(program))
    assert run(str(program)).splitlines() == [
        "0 ",
        "1 Identity-25: input has rank 9, expected 0 to 8",
        "0 ",
        "3 Expand-13: output has rank 9, expected at most 8",
        "3 Col2Im-18: list is too long for this build, expected at most 16 values (twice "
        "OPMILL_MAX_RANK)",
    ]
