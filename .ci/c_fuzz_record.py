"""Writes what .ci/c-fuzz.sh ran to JSON files, one for each operator.

For each version: the executions, how many of them were legal calls, in which ways these were
computed, the edges of the library that were reached, and the digest of what the version was made of
then, as the coverage table has it.

    c_fuzz_record.py COVERAGE LOGS FOLDER VERSION...
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def version(log: str, label: str, made_of: str) -> dict[str, object]:
    """What a finished run of one version says at its end."""
    done = re.search(r"^#(\d+)\s+DONE\s+cov: (\d+)", log, re.MULTILINE)
    tally = re.search(rf"^TALLY {label}: (\d+) calls, (\d+) legal(.*)$", log, re.MULTILINE)
    if done is None or tally is None:
        raise SystemExit(f"{label}: the log has no end")
    calls, legal = int(tally[1]), int(tally[2])
    ways = {name: int(count) for count, name in re.findall(r", (\d+) ([\w-]+)", tally[3])}
    return {
        "made_of": made_of,
        "executions": int(done[1]),
        "legal_share": round(legal / calls, 3),
        **({"ways": dict(sorted(ways.items()))} if ways else {}),
        "edges": int(done[2]),
    }


def main() -> None:
    """Writes the records; what is recorded of versions that were not run is kept."""
    coverage, logs, folder = map(Path, sys.argv[1:4])
    made_of = {
        f"{one['operator']}-{one['since_version']}": str(one["made_of"])
        for one in json.loads(coverage.read_text(encoding="utf-8"))["versions"]
    }
    run: dict[str, dict[str, object]] = {}
    for label in sys.argv[4:]:
        operator, _, number = label.rpartition("-")
        found = version((logs / f"{label}.log").read_text(), label, made_of[label])
        run.setdefault(operator, {})[number] = found
    folder.mkdir(parents=True, exist_ok=True)
    for operator, versions in run.items():
        record = folder / f"{operator}.json"
        kept = json.loads(record.read_text())["versions"] if record.exists() else {}
        whole = {
            "sanitizers": "address,undefined",
            "versions": dict(sorted({**kept, **versions}.items(), key=lambda item: int(item[0]))),
        }
        record.write_text(json.dumps(whole, indent=2) + "\n")


if __name__ == "__main__":
    main()
