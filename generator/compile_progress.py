"""Run a command that compiles with ninja, and report its progress instead of its output.

    python generator/compile_progress.py pip install -v ...

A bar in a terminal, elsewhere a plain line every ten seconds. If the command fails, its whole
output follows. Builds of a second or two report nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

_OBJECTS = re.compile(r"\s*\[(\d+)/(\d+)\] ")
_PATIENCE = 2.0  # seconds
_INTERVAL = 10.0


def progress(lines: Iterable[str], output: list[str]) -> Iterator[tuple[int, int]]:
    """The finished and the total number of objects, as ninja's lines state them."""
    for line in lines:
        output.append(line)
        if found := _OBJECTS.match(line):
            yield int(found[1]), int(found[2])


def remaining(done: int, total: int, seconds: float) -> str:
    """An estimate of the remaining time, as ``1:05``."""
    left = round(seconds * (total - done) / done)
    return f"{left // 60}:{left % 60:02}"


def main(command: list[str]) -> int:
    """Run the command and return its exit status."""
    output: list[str] = []
    terminal = sys.stderr.isatty()
    started = time.monotonic()
    next_report = started + _PATIENCE
    shown = False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        total, first, since = 0, 0, started
        for done, now_total in progress(process.stdout, output):
            now = time.monotonic()
            if now_total != total:  # ninja has ended a search for new sources before it builds
                total, first, since = now_total, done, now
            if now < next_report or done == first:
                continue
            shown = True
            next_report = now + (0.2 if terminal else _INTERVAL)
            left = remaining(done - first, total - first, now - since)
            text = f"compiling: {done} of {total} objects, about {left} left"
            sys.stderr.write(f"\r{text}\x1b[K" if terminal else f"{text}\n")
            sys.stderr.flush()
    if terminal and shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if process.returncode != 0:
        sys.stderr.writelines(output)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
