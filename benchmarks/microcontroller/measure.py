"""Compiles each network with opmill and emx-onnx-cgen, and measures what results."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import opmill
from benchmarks.clock import Effort, compare
from benchmarks.microcontroller import target
from benchmarks.microcontroller.networks import INTEGER, NETWORKS, forms
from opmill._runtime.types import Array

Record = dict[str, Any]

COMPACT, MODEL, EMX = "opmill compile --compact", "opmill.Model", "emx-onnx-cgen"

_EFFORT = Effort(rounds=9, seconds=0.1, processor_time=True)

OPMILL_HEADER = """#include "net.h"
static _Alignas(64) unsigned char arena[NET_ARENA_BYTES + 1];
static float x[NET_X_COUNT], y[NET_Y_COUNT];
static int run_network(void) {
    const net_inputs inputs = {.x = x};
    const net_outputs outputs = {.y = y};
    return net_run(&inputs, &outputs, arena);
}
"""

_EMX_HEADER = """static float x[%d], y[%d];
void net(const float *, float *);
static int run_network(void) {
    net(x, y);
    return 0;
}
"""


def measure(patterns: Iterable[str], emx: str | None, echo: Callable[[str], None]) -> list[Record]:
    """Measure the networks whose names contain a pattern.

    Args:
        patterns: parts of names; all networks without one.
        emx: the command of emx-onnx-cgen; ``None`` leaves it out.
        echo: prints a line of progress.
    """
    logging.getLogger().setLevel(logging.ERROR)  # onnxruntime's advice about preprocessing
    wanted = list(patterns)
    records: list[Record] = []
    for name in NETWORKS:
        if wanted and not any(one.lower() in name.lower() for one in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for form, path in forms(name, Path(folder)):
                for record in _measure(path, form, emx):
                    records.append({"network": name, "form": form, **record})
                    echo(json.dumps(records[-1]))
    return records


def _measure(path: Path, form: str, emx: str | None) -> Iterator[Record]:
    integers = form == INTEGER
    given = np.random.default_rng(3).standard_normal(_shape(path)).astype(np.float32)
    with opmill.use_instruction_set("plain"):
        expected = opmill.Model(path, fuse_qdq=integers).run({"x": given})[0]
    with tempfile.TemporaryDirectory() as name:
        yield {"contender": COMPACT, **_opmill(path, Path(name), integers, given, expected)}
    yield {"contender": MODEL, "ms": _model_ms(path, given, integers)}
    if emx is not None:
        with tempfile.TemporaryDirectory() as name:
            yield {"contender": EMX, **_emx(emx, path, Path(name), given, expected)}


def _opmill(path: Path, folder: Path, integers: bool, given: Array, expected: Array) -> Record:
    report = opmill.compile(path, folder, prefix="net", fuse_qdq=integers, compact=True)
    (folder / "network.h").write_text(OPMILL_HEADER, encoding="utf-8")
    target.write_vectors(folder, given, expected)
    sources = sorted(str(one.relative_to(folder)) for one in folder.rglob("*.c"))
    sources.remove("test.c")
    include = ["opmill/include", "opmill/src"]
    found: Record = {"arena": report["arena"]}
    found |= target.flash_and_run(folder, sources, include)
    return found | {"ms": target.time_here(folder, sources, include, ["-DOPMILL_STANDARD_C"])}


def _shape(path: Path) -> list[int]:
    (one,) = opmill.Model(path).inputs
    dims: Any = one.type
    return list(dims.dims)


def _model_ms(path: Path, given: Array, integers: bool) -> float:
    opmill.set_threads(1)
    model = opmill.Model(path, fuse_qdq=integers)
    found = compare({"model": lambda: model.run({"x": given})}, _EFFORT)
    return found["model"].minimum * 1e3


def _emx(emx: str, path: Path, folder: Path, given: Array, expected: Array) -> Record:
    target.write_vectors(folder, given, expected)
    command = [emx, "compile", str(path), "net.c", "--model-name", "net", "--emit-data-file",
               "--large-temp-threshold", "0", "--large-weight-threshold", "0"]  # fmt: skip
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    header = _EMX_HEADER % (given.size, expected.size)
    (folder / "network.h").write_text(header, encoding="utf-8")
    shutil.move(folder / "net_data.c", folder / "net_weights.c")
    sources = ["net.c", "net_weights.c"]
    found: Record = dict(target.flash_and_run(folder, sources, []))
    del found["exact"]  # it does not promise the bits of opmill
    return found | {"ms": target.time_here(folder, sources, [], [])}
