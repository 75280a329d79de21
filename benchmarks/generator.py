"""Time of ``opmill generate`` as specs grow in number, a whole process each time.

The specs are the project's own, copied under other operator names until there are enough. The first
run makes everything; the second finds that there is nothing to do.
"""

from __future__ import annotations

import itertools
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.measure import Record

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "specs"
DOMAIN = "ai.onnx"
NO_OP_RUNS = 3


def measure(count: int, *, processor_time: bool = False) -> Record:
    """The seconds of a full run and of a run without work, for at least ``count`` specs.

    Args:
        count: how many specs there are to be; the project's own are copied a whole number of times.
        processor_time: whether to count what the process computes instead of what passes.
    """
    now = _processor_seconds if processor_time else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / "specs"
        written = synthetic_specs(specs, count)
        full = _seconds(specs, now)
        nothing = min(_seconds(specs, now) for _ in range(NO_OP_RUNS))
    return {"specs": written, "full": round(full, 2), "no_op": round(nothing, 3)}


def synthetic_specs(folder: Path, count: int) -> int:
    """Copy the project's specs under new names until there are ``count``; return how many.

    An operator's versions are copied together with their cases and errata, one operator after the
    other and from the first again, so that there are at most a few versions more than requested.
    """
    by_operator: dict[str, list[Path]] = {}
    for path in sorted((SPECS / DOMAIN).glob("*/*.yaml")):
        by_operator.setdefault(path.parent.name, []).append(path)
    copies = dict.fromkeys(by_operator, 0)
    written = 0
    for operator in itertools.cycle(by_operator):
        if written >= count and copies[operator]:
            break
        for path in by_operator[operator]:
            _copy(path, operator, copies[operator], folder)
            written += path.stem.isdecimal()
        copies[operator] += 1
    _write_index(folder, copies)
    return written


def _copy(path: Path, operator: str, copy: int, folder: Path) -> None:
    """Copy a file of an operator under the name of a copy."""
    target = folder / DOMAIN / _name(operator, copy) / path.name
    target.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8")
    line = f"operator: {_name(operator, copy)}"
    text = re.sub(rf"^operator: {operator}$", line, text, count=1, flags=re.MULTILINE)
    if copy:  # a Python name that a spec states belongs to one operator
        text = re.sub(r"^(python_name: \w+)$", rf"\1_copy{copy:03}", text, flags=re.MULTILINE)
    target.write_text(text, encoding="utf-8")


def _write_index(folder: Path, copies: Mapping[str, int]) -> None:
    """The project's index with a line for each copy beside that of the original."""
    lines: list[str] = []
    for line in (SPECS / DOMAIN / "index.yaml").read_text(encoding="utf-8").splitlines():
        found = re.match(r"  (\w+)(: .*)", line)
        if found and found[1] in copies:
            lines += [f"  {_name(found[1], n)}{found[2]}" for n in range(copies[found[1]])]
        else:
            lines.append(line)
    (folder / DOMAIN / "index.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _name(operator: str, copy: int) -> str:
    return operator if copy == 0 else f"{operator}Copy{copy:03}"


def _processor_seconds() -> float:
    """Processor time of the finished child processes of this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(specs: Path, now: Callable[[], float]) -> float:
    opmill = shutil.which("opmill", path=str(Path(sys.executable).parent))
    if opmill is None:
        raise FileNotFoundError("opmill is not installed beside this Python; run 'make generate'")
    command = [opmill, "generate", "--specs", str(specs)]
    started = now()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    taken = now() - started
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[:2000]}")
    return taken
