"""Builds a compiled network for this machine, runs it, and compares bits node by node."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opmill._compile.network import Network
from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT
from opmill._model.plan import Program
from opmill._model.steps import Step, step_results
from opmill._runtime.errors import Error
from opmill._runtime.progress import Progress, silent
from opmill._runtime.types import Array

if TYPE_CHECKING:
    from opmill._compile.emit import Project

_OPTIONS = ("-std=c11", "-O1", "-ffp-contract=off", "-fno-math-errno", "-Iopmill/include",
            "-Iopmill/src", "-I.")  # fmt: skip


class Observed(NamedTuple):
    """An output of a call, as the program wrote it."""

    call: int
    output: int
    content: bytes


def node_values(
    net: Network, program: Program, inputs: Sequence[Array], progress: Progress = silent
) -> Iterator[list[Any]]:
    """The outputs of each checked node, by the steps that ``opmill.Model`` runs.

    Raises:
        Error: a node refuses its inputs, or an output is larger than planned.
    """
    values = program.values()
    for port, array in zip(net.inputs, inputs, strict=True):
        values[port.number] = array
    checked = {one.step for one in net.checked}
    for position, step in enumerate(progress("computing nodes", program.joined_steps)):
        results = step_results(step, step.gather(values))
        for number, result in zip(step.outputs, results, strict=True):
            if number != ABSENT:
                values[number] = result
                _check_size(net, step, number, result)
        if position in checked:
            yield list(results)
    yield [values[port.number] for port in net.outputs]


def _check_size(net: Network, step: Step, number: int, result: Any) -> None:
    value = net.values.get(number)
    if value is not None and value.is_open and result.nbytes > value.capacity:
        raise ModelError(
            f"{step.node.location}: {step.node.label} computes {result.nbytes} bytes for the "
            f"inputs of the test, expected at most {value.capacity} by the maxima; choose inputs, "
            "or larger maxima"
        )


def verify(
    net: Network,
    project: Project,
    expected: Sequence[Sequence[Any]],
    progress: Progress = silent,
) -> None:
    """Compare every node's bits.

    Args:
        net: the network.
        project: its files, written with ``observed``.
        expected: the outputs of each checked node, then those of the network.
        progress: passes on the sources that are built.

    Raises:
        Error: there is no C compiler.
        ModelError: the program cannot be built or run, or a node differs: the first is named.
    """
    with tempfile.TemporaryDirectory(prefix="opmill-compile-") as name:
        program = build(Path(name), project, progress=progress)
        weights = [path for path in project.files if path.endswith(".bin")]
        ran = subprocess.run([program, *weights], cwd=name, capture_output=True, check=False)
    compare(net, expected, list(observations(ran.stdout)))
    if ran.returncode != 0:
        raise ModelError(f"the compiled network fails: {ran.stderr.decode(errors='replace')}")


def build(
    folder: Path,
    project: Project,
    options: Sequence[str] = _OPTIONS,
    progress: Progress = silent,
) -> Path:
    """Write a project and compile its test with the C compiler of this machine.

    Raises:
        Error: there is no C compiler.
        ModelError: it refuses the sources.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise Error(
            "there is no C compiler, expected cc or the one that CC names; without verify, none "
            "is needed"
        )
    for path, content in project.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    if project.report["isa"] == "plain":
        options = (*options, "-DOPMILL_STANDARD_C")
    sources = sorted(path for path in project.files if path.endswith(".c"))

    def compiled(source: str) -> str:
        target = source.replace("/", "_")[:-2] + ".o"
        _run([compiler, *options, "-c", source, "-o", target], folder)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = pool.map(compiled, sources)
        objects = [next(waiting) for _ in progress("building sources", sources)]
    _run([compiler, *options, *objects, "-o", "program", "-lm"], folder)
    return folder / "program"


def observations(stream: bytes) -> Iterator[Observed]:
    """The outputs that the program wrote, one by one."""
    head = struct.Struct("iiQ")
    position = 0
    while position + head.size <= len(stream):
        call, output, size = head.unpack_from(stream, position)
        position += head.size
        yield Observed(call, output, stream[position : position + size])
        position += size


def compare(net: Network, expected: Sequence[Sequence[Any]], found: Sequence[Observed]) -> None:
    """Refuse the first output of a node that differs.

    Raises:
        ModelError: one does, or one is missing.
    """
    by_output = {(one.call, one.output): one.content for one in found}
    for position, call in enumerate(net.checked):
        for k, wanted in zip(range(len(call.outputs)), expected[position], strict=False):
            content = by_output.get((position, k))
            where = f"{call.location}: {call.label}"
            if content is None:
                raise ModelError(f"{where} is not computed, expected output {k}")
            array = np.ascontiguousarray(wanted)
            if len(content) != array.nbytes:
                raise ModelError(
                    f"{where} has {len(content)} bytes in output {k}, expected {array.nbytes} as "
                    "opmill.Model computes"
                )
            if content != array.tobytes() and not _same(content, array):
                count = _differing(content, array)
                raise ModelError(
                    f"{where} differs from opmill.Model in {count} of {array.size} elements of "
                    f"output {k}"
                )


def _same(content: bytes, array: Array) -> bool:
    """Return whether elements are equal in all bits, or NaN on both sides."""
    return _differing(content, array) == 0


def _differing(content: bytes, array: Array) -> int:
    given = np.frombuffer(content, array.dtype)
    wanted = array.reshape(-1)
    bits = f"V{array.dtype.itemsize}"
    differ = given.view(bits) != wanted.view(bits)
    with np.errstate(all="ignore"):
        differ &= ~((given != given) & (wanted != wanted))
    return int(differ.sum())


def _run(command: Sequence[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise ModelError(f"{' '.join(command)}: {ran.stderr[:2000]}")
