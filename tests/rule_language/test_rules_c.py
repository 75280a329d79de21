"""The emitted C of every construct of the rule language, held against hand-worked results.

Each case of ``rules_cases`` becomes a C function; all of them are compiled into one library, with
the sanitizers that the compiler has, and called through ctypes in a process of their own.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from opmill_gen.rule_language import NotInCError, emit_c, ir
from rules_case import Case
from rules_cases import CASES
from rules_executors import program

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "generated" / "c"

# Constructs that C cannot hold, with the reason that is given.
NOT_IN_C: dict[str, str] = {}

HEADER = """\
#include "runtime/call/is_prepared.h"
#include "runtime/call/rules.h"
#include <string.h>
"""
PARAMETERS = (
    "const opmill_tensor *X, const opmill_tensor *B, const opmill_tensor *v, "
    "const opmill_tensor *f, const opmill_tensor *const *xs, int32_t xs_count, int64_t a, "
    "int64_t b, double g, const char *s, opmill_ints p, opmill_ints q, "
    "opmill_floats fs, opmill_strings ss"
)
ARGUMENTS = "X, B, v, f, xs, xs_count, a, b, g, s, p, q, fs, ss"
TAKEN = {"INT": "*number = plan.r;", "BOOL": "*number = plan.r ? 1 : 0;"}


def source(name: str, compiled: ir.RuleProgram) -> str:
    """A rule and a function around it that gives the plan's ``r`` as integers."""
    emitted = emit_c(compiled, name, name, frozenset())
    members = "\n".join(emitted.plan) or "char unused;"
    kind = compiled.plan.get("r")
    taken = "*count = -1;"
    if kind is ir.Kind.INTS:
        taken = "*count = plan.r.count; memcpy(number, plan.r.values, sizeof plan.r.values);"
    elif kind is ir.Kind.FLOATS:
        taken = "*count = 1000 + plan.r.count; memcpy(number, plan.r.values, sizeof plan.r.values);"
    elif kind is ir.Kind.FLOAT:
        taken = "*count = -3; memcpy(number, &plan.r, sizeof plan.r);"
    elif kind is not None and kind.name in TAKEN:
        taken = f"*count = -2; {TAKEN[kind.name]}"
    return (
        f"typedef struct {{ {members} }} opmill_{name}_plan;\n"
        f"{emitted.body}\n"
        f"int call_{name}({PARAMETERS}, int64_t *number, int64_t *count, "
        f"opmill_context *context) {{\n"
        f"  opmill_shape Y; opmill_{name}_plan plan; memset(&plan, 0, sizeof plan);\n"
        f'  int code = opmill_{name}_rules("Op-1", {ARGUMENTS}, &Y, &plan, context);\n'
        f"  if (code == 0) {{ {taken} }}\n  return code;\n}}\n"
    )


def given(tensor) -> dict | None:
    if tensor is None:
        return None
    return {"type": tensor.type, "shape": tensor.shape, "contents": tensor.contents}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, list]:
    """The results of the C code of every case for each of its calls."""
    folder = tmp_path_factory.mktemp("rules_c")
    sources, calls = [], {}
    for number, (title, case) in enumerate(CASES.items()):
        name = f"c{number}"
        try:
            text = source(name, program(case.source, case.constants))
        except NotInCError as reason:
            NOT_IN_C[title] = str(reason)
            continue
        path = folder / f"{name}.c"
        path.write_text(HEADER + text)
        sources.append(path)
        calls[title] = (name, [case.arguments(arguments) for arguments, _ in calls_of(case)])
    library = folder / "cases.so"
    compiler = os.environ.get("CC", "cc")
    assert shutil.which(compiler), "the tests of emitted C need a C compiler"
    names = ("call/rules", "call/is_prepared", "call/message", "numbers/elements")
    runtime = [RUNTIME / "src" / "runtime" / f"{name}.c" for name in names]
    command = [compiler, "-std=c11", "-O1", "-g", "-shared", "-fPIC", "-Wall", "-Wextra"]
    command += ["-Werror"]
    command += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    command += [f"-I{RUNTIME / 'include'}", f"-I{RUNTIME / 'src'}", "-o", str(library)]
    done = subprocess.run(
        [*command, *map(str, sources), *map(str, runtime)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:4000]
    requests = {
        title: [
            name,
            [[call_inputs(inputs), list(attributes.items())] for inputs, attributes in all_],
        ]
        for title, (name, all_) in calls.items()
    }
    (folder / "requests.json").write_text(json.dumps(requests))
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "support" / "rules_c_caller.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def calls_of(case: Case) -> list[tuple[dict, object]]:
    """The calls that C can be given: a text ends at its first NUL there."""
    return [call for call in case.calls if "\0" not in call[0].get("s", "")]


def call_inputs(inputs: list) -> list:
    return [[given(t) for t in item] if isinstance(item, list) else given(item) for item in inputs]


def same_float(bits: int, expected: float) -> bool:
    """Return whether a double has these bits; one NaN is as good as another."""
    (got,) = struct.unpack("<d", struct.pack("<q", bits))
    return struct.pack("<d", got) == struct.pack("<d", expected) or (
        math.isnan(got) and math.isnan(expected)
    )


@pytest.mark.parametrize("title", CASES)
def test_c_gives_what_was_worked_out_by_hand(title: str, results: dict[str, list]):
    case = CASES[title]
    if title in NOT_IN_C:
        assert NOT_IN_C[title] in REASONS
        return
    for (arguments, expected), got in zip(calls_of(case), results[title], strict=True):
        if isinstance(expected, str) and "Error" in expected.partition(": ")[0]:
            message = expected.partition(": ")[2]
            if expected.startswith("IndexError"):
                message = (
                    "Op-1: internal error: index in the rule is out of range, "
                    "expected one of its list"
                )
            assert got["message"] == message, (arguments, got)
        elif isinstance(expected, float):
            assert same_float(got["bits"], expected), (arguments, got)
        elif isinstance(expected, (bool, int)):
            assert got["value"] == int(expected), (arguments, got)
        elif expected and isinstance(expected, tuple) and isinstance(expected[0], float):
            assert len(got["bits"]) == len(expected)
            assert all(map(same_float, got["bits"], expected)), (arguments, got)
        elif isinstance(expected, (tuple, list)):
            assert got["value"] == list(expected), (arguments, got)
        else:
            assert got["message"] is None, (arguments, got)


REASONS = {
    "floats are read one by one, and contents of single inputs only",
    "several tensors have no other name than their parameter's",
    "contents are read of single inputs only",
    "a constant that is not finite",
    "lists of floats are made from floats, read one by one, and not passed on",
}
"""Every reason for which a construct may be missing in C."""


def test_few_constructs_are_missing(results: dict[str, list]):
    assert len(NOT_IN_C) < len(CASES) // 10
