"""Builds a network for a Cortex-M7 and runs it in QEMU; builds it for this machine and times it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from opmill._runtime.types import Array

HERE = Path(__file__).resolve().parent
LINKER_SCRIPT = HERE.parents[1] / "examples" / "embedded" / "mps2.ld"

COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
_CPU = ("-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard", "-mthumb")
_FLAGS = ("-std=gnu11", "-Os", "-ffunction-sections", "-fdata-sections", "-ffp-contract=off",
          "-DOPMILL_STANDARD_C")  # fmt: skip
_LINK = ("-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections",
         "-Wl,-Map=program.map")  # fmt: skip
_HOST = ("-std=gnu11", "-O3", "-march=native", "-ffp-contract=off", "-DHOST")
_RUN = (EMULATOR, "-M", "mps2-an500", "-nographic", "-icount", "shift=0", "-semihosting",
        "-kernel", "program")  # fmt: skip

_SECTION = re.compile(
    r"^ \.(?:text|rodata|data|ARM\.ex)\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE
)

INSTRUCTIONS_PER_TICK = 40


def has_tools() -> bool:
    """Return whether the compiler and the emulator are installed."""
    return all(map(shutil.which, (COMPILER, EMULATOR)))


def write_vectors(folder: Path, given: Array, expected: Array) -> None:
    """Write the bits of the input and of the expected output, both of floats."""
    lines = [
        f"static const uint32_t {name}[] = {{{', '.join(map(str, array.view('u4').ravel()))}}};\n"
        for name, array in (("given", given), ("expected", expected))
    ]
    (folder / "vectors.h").write_text("".join(lines), encoding="utf-8")


def flash_and_run(folder: Path, sources: Sequence[str], include: Sequence[str]) -> dict[str, int]:
    """Build for the target and run: ``code``, ``weights``, ``stack``, ``instructions``, ``exact``.

    Args:
        folder: where ``network.h`` and ``vectors.h`` are.
        sources: the C files of the network, relative to it.
        include: the folders of headers, relative to it.
    """
    shutil.copy(HERE / "harness.c", folder)
    _build(folder, [COMPILER, *_CPU, *_FLAGS], sources, include, [*_LINK, "-T", str(LINKER_SCRIPT)])
    found = dict(_sizes((folder / "program.map").read_text(encoding="utf-8")))
    found |= _numbers(subprocess.run(_RUN, cwd=folder, capture_output=True, text=True, check=False))
    found["instructions"] = found.pop("ticks") * INSTRUCTIONS_PER_TICK
    return found


def time_here(
    folder: Path, sources: Sequence[str], include: Sequence[str], flags: Sequence[str]
) -> float:
    """Build for this machine and run: the shortest processor time of a run in milliseconds."""
    shutil.copy(HERE / "harness.c", folder)
    _build(folder, ["cc", *_HOST, *flags], sources, include, [])
    program = [str(folder / "program")]
    numbers = _numbers(
        subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    )
    return numbers["nanoseconds"] / 1e6


def _build(
    folder: Path,
    compiler: Sequence[str],
    sources: Sequence[str],
    include: Sequence[str],
    link: Sequence[str],
) -> None:
    paths = [f"-I{path}" for path in (".", *include)]

    def compiled(source: str) -> str:
        target = source.replace("/", "_")[:-2] + ".o"
        _run([*compiler, *paths, "-c", source, "-o", target], folder)
        return target

    with ThreadPoolExecutor() as pool:
        objects = list(pool.map(compiled, ["harness.c", *sources]))
    _run([*compiler, *objects, *link, "-lm", "-o", "program"], folder)


def _sizes(text: str) -> Iterator[tuple[str, int]]:
    """The bytes in flash of a linker map: the network with the libraries it needs, and weights."""
    code = weights = 0
    for size, path in _SECTION.findall(text.partition("Linker script and memory map")[2]):
        name = path.rpartition("/")[2]
        if "weights" in name:
            weights += int(size, 16)
        elif name != "harness.o":
            code += int(size, 16)
    yield "code", code
    yield "weights", weights


def _numbers(ran: subprocess.CompletedProcess[str]) -> dict[str, int]:
    text = ran.stdout + ran.stderr  # to which QEMU writes
    found = {name: int(number) for name, number in re.findall(r"^(\w+) (\d+)$", text, re.M)}
    if ran.returncode != 0 or not found:
        raise RuntimeError(f"{ran.args} fails: {text[-1000:]}")
    return found


def _run(command: Sequence[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {ran.stderr[:2000]}")
