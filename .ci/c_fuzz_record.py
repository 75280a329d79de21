"""Writes what .ci/c-fuzz.sh ran to the records of the operators, in tests/records.

For each version: the executions, how many of them were legal calls, in which ways these were
computed, the edges of the library that were reached, and the digest of what the version was made of
then, as the coverage table has it.

    c_fuzz_record.py COVERAGE LOGS VERSION...
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from operator_records import write_section


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


def main(coverage: Path, logs: Path, labels: Sequence[str]) -> None:
    """Write the records; what is recorded of versions that were not run is kept."""
    of_label: dict[str, dict[str, Any]] = {}
    for one in json.loads(coverage.read_text(encoding="utf-8"))["versions"]:
        of_label.setdefault(f"{one['operator']}-{one['since_version']}", one)
    run: dict[tuple[str, str], dict[str, Any]] = {}
    for label in labels:
        one = of_label[label]
        found = version((logs / f"{label}.log").read_text(), label, one["made_of"])
        versions = run.setdefault((one["domain"], one["operator"]), {})
        versions[str(one["since_version"])] = found
    for (domain, operator), versions in run.items():
        section = {"sanitizers": "address,undefined", "versions": versions}
        write_section(domain, operator, "c_fuzz", section, add=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
