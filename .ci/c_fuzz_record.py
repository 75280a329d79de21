"""Writes what .ci/c-fuzz.sh ran to JSON files, one for each operator.

For each version: the executions, how many of them were legal calls, in which ways these were
computed, the edges of the library that were reached, and a digest of the library as it was then.

    c_fuzz_record.py --digest generated/c
    c_fuzz_record.py DIGEST LOGS FOLDER VERSION...
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path


def content(library: Path) -> str:
    """A digest of the library's headers and sources, names and bytes."""
    digest = hashlib.sha256()
    for folder in ("include", "src"):
        for path in sorted((library / folder).rglob("*.[ch]")):
            name = path.relative_to(library).as_posix()
            digest.update(f"{name}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def version(log: str, label: str, digest: str) -> dict[str, object]:
    """What a finished run of one version says at its end."""
    done = re.search(r"^#(\d+)\s+DONE\s+cov: (\d+)", log, re.MULTILINE)
    tally = re.search(rf"^TALLY {label}: (\d+) calls, (\d+) legal(.*)$", log, re.MULTILINE)
    if done is None or tally is None:
        raise SystemExit(f"{label}: the log has no end")
    calls, legal = int(tally[1]), int(tally[2])
    ways = {name: int(count) for count, name in re.findall(r", (\d+) ([\w-]+)", tally[3])}
    return {
        "executions": int(done[1]),
        "legal_share": round(legal / calls, 3),
        **({"ways": dict(sorted(ways.items()))} if ways else {}),
        "edges": int(done[2]),
        "library_sha256": digest,
    }


def main() -> None:
    """Writes the records; what is recorded of versions that were not run is kept."""
    if sys.argv[1] == "--digest":
        print(content(Path(sys.argv[2])))
        return
    digest, logs, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    run: dict[str, dict[str, object]] = {}
    for label in sys.argv[4:]:
        operator, _, number = label.rpartition("-")
        found = version((logs / f"{label}.log").read_text(), label, digest)
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
