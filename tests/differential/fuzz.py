"""``make fuzz``: many calls of every operator version, and how many were compared with what.

    make fuzz EXAMPLES=20000 SEED=7
    make fuzz EXAMPLES=2000 RECORD=1      # writes tests/records/fuzz.json

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

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS), str(TESTS / "support"), str(TESTS.parent / "generated" / "tests")]

from differential.judges import Judge  # noqa: E402
from differential.known import RECORDS, known  # noqa: E402
from differential.run import applies, run  # noqa: E402
from differential.runtimes import runtimes  # noqa: E402
from differential.tally import Tally  # noqa: E402
from differential.versions import versions  # noqa: E402

SHARES = {"legal": 1 / 2, "illegal": 1 / 3, "guess": 1 / 6}


def main() -> int:
    """Run, print, and record if asked to."""
    parser = argparse.ArgumentParser(description="Differential tests of many random calls.")
    parser.add_argument("--examples", type=int, default=2000, help="calls of each version")
    parser.add_argument("--seed", type=int, default=1, help="what all calls follow from")
    parser.add_argument("--only", default="", help="versions whose label begins so, as Tile-13")
    parser.add_argument("--record", action="store_true", help="write tests/records/fuzz.json")
    given = parser.parse_args()
    if given.record and given.only:
        parser.error("a record holds all versions; leave out --only")

    others = runtimes(torch=True)
    tally = Tally()
    failures = 0
    start = time.monotonic()
    for version in versions():
        if not version.label.startswith(given.only):
            continue
        judge = Judge(version, others, known()[1], tally)
        for kind, share in SHARES.items():
            if not applies(judge, kind):
                continue
            try:
                run(judge, kind, max(1, int(given.examples * share)), given.seed)
            except Exception:
                failures += 1
                print(f"\n{version.label}, {kind} calls:", file=sys.stderr)
                traceback.print_exc()
        print(f"{version.label}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(tally.as_text())
    if failures:
        print(f"{failures} properties failed", file=sys.stderr)
        return 1
    if given.record:
        record = {
            "command": f"make fuzz EXAMPLES={given.examples} SEED={given.seed} RECORD=1",
            "runtimes": {runtime.name: runtime.version for runtime in others},
            "versions": tally.as_data(),
        }
        path = RECORDS / "fuzz.json"
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {path.relative_to(HERE.parent.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
