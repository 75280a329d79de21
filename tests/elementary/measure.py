"""Measure the largest errors of the C library's elementary functions.

    python -m elementary.measure              all floats and 100,000 doubles for each function
    python -m elementary.measure --step 1009 --samples 1000 exp log

with tests/ as the working folder. ``--double`` measures double alone, where the results of float
have the digest of their record, which is kept. ``--record`` writes what was measured to
records/elementary.json, from which the manual has its table; functions that were not named keep
their entries.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .library import RECORD, Functions, digests, measured, measuring_program
from .samples import FUNCTIONS, worst_of_double, worst_of_pow


def recorded_float(function: str) -> dict[str, Any]:
    """Return the record of float, whose results must still have the recorded digest."""
    entry = json.loads(RECORD.read_text())[function]
    if entry["digests"]["float"] != digests()[function]["float"]:
        raise SystemExit(f"the results of float of {function} have changed: omit --double")
    return dict(entry["float"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="*", default=[*FUNCTIONS, "pow"])
    parser.add_argument("--step", type=int, default=1, help="measure every so many floats")
    parser.add_argument("--samples", type=int, default=100_000, help="arguments of double and pow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--double", action="store_true", help="keep what is recorded of float")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    compiler = shutil.which(os.environ.get("CC", "cc")) or parser.error("there is no C compiler")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = (compiler, "-O3")
        program, functions = measuring_program(command, folder), Functions(command, folder)
        for function in options.functions:
            samples = (options.samples, options.seed)
            if function == "pow":
                of_float = worst_of_pow(functions, np.float32, *samples)
                of_double = worst_of_pow(functions, np.float64, *samples)
            elif options.double:
                of_float = recorded_float(function)
                of_double = worst_of_double(functions, function, *samples)
            else:
                of_float = measured(program, function, options.step)
                of_double = worst_of_double(functions, function, *samples)
            entry = {"float": of_float, "double": of_double, "digests": digests()[function]}
            print(f"{function:10} float {of_float['error']:.4f} at {of_float['at']}, ", end="")
            print(f"double {of_double['error']:.4f} at {of_double['at']}", flush=True)
            if options.record:
                record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
                record[function] = entry
                RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=2) + "\n")


if __name__ == "__main__":
    main()
