"""``make fuzz``: many calls of every operator version, and how many were compared with what.

    make fuzz EXAMPLES=20000 SEED=7
    make fuzz OPERATORS="Tile Conv"
    make fuzz EXAMPLES=2000 RECORD=1      # records what was run, in the file of each operator

EXAMPLES is the number of drawn calls for each version: half of them legal by construction, a third
illegal by construction, the rest guesses. A failure is shown with the smallest call that fails, the
other versions are run all the same, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS), str(TESTS / "support"), str(TESTS.parent / "generated" / "tests")]

from differential.judges import Judge  # noqa: E402
from differential.known import known  # noqa: E402
from differential.run import applies, run  # noqa: E402
from differential.runtimes import runtimes  # noqa: E402
from differential.tally import Tally  # noqa: E402
from differential.versions import versions  # noqa: E402
from operator_records import write_section  # noqa: E402

SHARES = {"legal": 1 / 2, "illegal": 1 / 3, "guess": 1 / 6}


def main() -> int:
    """Run, print, and record if asked to."""
    parser = argparse.ArgumentParser(description="Differential tests of many random calls.")
    parser.add_argument("--examples", type=int, default=2000, help="calls of each version")
    parser.add_argument("--seed", type=int, default=1, help="what all calls follow from")
    parser.add_argument("--operators", default="", help="these alone, as 'Tile Conv'")
    parser.add_argument("--only", default="", help="versions whose label begins so, as Tile-13")
    parser.add_argument("--record", action="store_true", help="write to tests/records")
    given = parser.parse_args()
    wanted = frozenset(given.operators.split())
    if given.record and given.only:
        parser.error("a record holds all versions of an operator; use --operators, not --only")
    if unknown := wanted - {version.schema.name for version in versions()}:
        parser.error(f"--operators: {min(unknown)} is not supported")

    others = runtimes(torch=True)
    tally = Tally()
    failures = 0
    start = time.monotonic()
    for version in versions():
        if not version.key.startswith(given.only):
            continue
        if wanted and version.schema.name not in wanted:
            continue
        judge = Judge(version, others, known()[1], tally)
        for kind, share in SHARES.items():
            if not applies(judge, kind):
                continue
            try:
                run(judge, kind, max(1, int(given.examples * share)), given.seed)
            except Exception:
                failures += 1
                print(f"\n{version.key}, {kind} calls:", file=sys.stderr)
                traceback.print_exc()
        print(f"{version.key}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(tally.as_text())
    if failures:
        print(f"{failures} properties failed", file=sys.stderr)
        return 1
    if given.record:
        head = {
            "command": f"make fuzz EXAMPLES={given.examples} SEED={given.seed} RECORD=1",
            "runtimes": {runtime.name: runtime.version for runtime in others},
        }
        print(f"wrote to {write(head, tally.as_data())} files in tests/records")
    return 0


def write(head: dict[str, Any], counts: dict[str, Any]) -> int:
    """Write the section of each operator that was run; the number of files."""
    numbers: dict[tuple[str, str], dict[str, Any]] = {}
    coverage = json.loads(
        (TESTS.parent / "generated/docs/coverage.json").read_text(encoding="utf-8")
    )
    made_of = {
        (v["domain"], v["operator"], v["since_version"]): v["made_of"] for v in coverage["versions"]
    }
    for version in versions():
        schema = version.schema
        if version.key in counts:
            origin = made_of[schema.domain, schema.name, schema.since_version]
            found = {"made_of": origin, **counts[version.key]}
            entries = numbers.setdefault((schema.domain, schema.name), {})
            entries[str(schema.since_version)] = found
    for (domain, name), entries in numbers.items():
        write_section(domain, name, "fuzz", {**head, "versions": entries})
    return len(numbers)


if __name__ == "__main__":
    sys.exit(main())
