"""``make mutate``: breaks the code in small ways, one at a time; the tests must notice.

    make mutate SAMPLE=200 SEED=1
    make mutate SAMPLE=200 SEED=1 RECORD=1     # writes tests/records/mutation.json
    make mutate AGAIN=1 RECORD=1               # the survivors of the record, after tests were added

SAMPLE mutants are drawn from all that ``mutants`` finds, as many from each area. A mutant that the
generator or the C compiler refuses is not counted. One that changes nothing but speed is listed in
tests/records/equivalent_mutants.yaml with the reason. The exit status is 1 where less than 95 of
100 of the others are noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
RECORDS = TESTS / "records"
sys.path[:0] = [str(TESTS), str(TESTS / "support")]

from mutation.areas import AREAS, Area, found, sampled, stages  # noqa: E402
from mutation.mutants import Mutant  # noqa: E402
from mutation.scratch import Scratch, site_packages  # noqa: E402

WANTED = 95
"""The share of the mutants that must be noticed, in percent."""
SANITIZED = "noticed by the sanitizers"


def main() -> int:
    """Sample, judge, tell."""
    parser = argparse.ArgumentParser(description="Mutation check.")
    parser.add_argument("--sample", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--area", default="", help="one area alone")
    parser.add_argument("--only", default="", help="mutants whose description has this in it")
    parser.add_argument("--again", action="store_true", help="the survivors of the record alone")
    parser.add_argument("--record", action="store_true", help="write tests/records/mutation.json")
    parser.add_argument("--list", action="store_true", help="print the mutants and judge none")
    given = parser.parse_args()
    areas = [area for area in AREAS if given.area in ("", area.name)]
    if not areas:
        parser.error(f"--area is one of: {', '.join(area.name for area in AREAS)}")
    if given.record and (given.area or given.only):
        parser.error("a record holds all areas; leave out --area and --only")

    each = -(-given.sample // len(areas))
    chosen = {area: sampled(area, ROOT, each, given.seed) for area in areas}
    if given.only:
        chosen = {a: [one for one in found(a, ROOT) if given.only in str(one)] for a in areas}
    recorded = read_record() if given.again else None
    if recorded is not None:
        chosen = {area: survivors_of(recorded, area) for area in areas}
    if given.list:
        print(*(one for mutants in chosen.values() for one in mutants), sep="\n")
        return 0

    scratch = Scratch(ROOT, ROOT / "build" / "mutation")
    scratch.make()
    versions = family_versions()
    equivalents = listed_equivalents()
    counts: dict[str, Counter[str]] = {}
    survivors: list[Mutant] = []
    for area, mutants in chosen.items():
        counts[area.name] = Counter()
        for one in mutants:
            start = time.monotonic()
            listed = key(one) in equivalents
            result = "equivalent" if listed else judged(scratch, area, one, versions)
            counts[area.name][result.partition(" ")[0]] += 1
            print(f"{result} ({time.monotonic() - start:.0f} s): {one}", flush=True)
            if result == "survived":
                survivors.append(one)
    print(*table(counts), sep="\n")
    print(*(f"survived: {one}" for one in survivors), sep="\n")
    if recorded is not None:
        command = recorded["command"]
        for name, before in recorded["areas"].items():
            kept = {word: n for word, n in before.items() if word not in ("survived", "share")}
            counts[name] = Counter(kept) + counts[name]
    else:
        command = f"make mutate SAMPLE={given.sample} SEED={given.seed} RECORD=1"
    if given.record:
        write_record(command, counts, survivors)
    total = sum((Counter(count) for count in counts.values()), Counter())
    return int(share(total) < WANTED)


def judged(
    scratch: Scratch, area: Area, one: Mutant, versions: dict[str, list[tuple[str, str]]]
) -> str:
    """Return the outcome of a mutant: ``refused``, ``noticed`` by a test, ``survived``."""
    source = scratch.read(one.path)
    scratch.write(one.path, one.applied(source))
    try:
        result, arguments = outcome(scratch, area, stages(area, one, versions))
    finally:
        scratch.write(one.path, source)
        scratch.generated()
        if area.in_c:
            scratch.restore_native()
    if result == SANITIZED:
        scratch.assert_sanitized_baseline()
    elif arguments:
        scratch.assert_baseline(arguments)
    return result


def outcome(scratch: Scratch, area: Area, runs: Iterable[list[str]]) -> tuple[str, list[str]]:
    """Return the outcome of the current mutant, and the arguments of pytest that noticed it."""
    if not scratch.generated():
        return "refused by the generator", []
    if area.in_c:
        if not scratch.compiled():
            return "refused by the compiler", []
        if not scratch.c_tests_pass():
            return "noticed by the C tests", []
    for arguments in runs:
        if not scratch.tests_pass(arguments):
            return f"noticed by {Path(arguments[0]).stem}", arguments
    if area.in_c and not scratch.sanitized_c_tests_pass():
        return SANITIZED, []
    return "survived", []


def family_versions() -> dict[str, list[tuple[str, str]]]:
    """Of each family the test modules and labels of the versions that it computes, newest first."""
    from checked_tree import checked_tree
    from opmill_gen.base.names import domain_package, snake_case

    versions: dict[str, list[tuple[str, str]]] = {}
    for version in reversed(checked_tree().versions):
        spec = version.spec
        name = spec.python_name or snake_case(spec.operator)
        module = "_".join(filter(None, (domain_package(spec.domain), name)))
        versions.setdefault(version.instance.family.name, []).append((module, spec.label))
    return versions


def key(one: Mutant) -> tuple[str, str, str]:
    """Return the key of a mutant in the list of equivalent ones, independent of its line."""
    return one.path, one.before, one.after


def listed_equivalents() -> set[tuple[str, str, str]]:
    """The mutants that are known to change no result."""
    import yaml

    data = yaml.safe_load((RECORDS / "equivalent_mutants.yaml").read_text(encoding="utf-8"))
    return {
        (group["path"], change["before"], change["after"])
        for group in data["equivalent"]
        for change in group["changes"]
    }


def share(count: Counter[str]) -> float:
    """The mutants that were noticed, in percent of those that could be."""
    judged = count["noticed"] + count["survived"]
    return 100 * count["noticed"] / judged if judged else 100.0


def table(counts: dict[str, Counter[str]]) -> list[str]:
    """The counts, a line for each area."""
    lines = ["area             noticed survived equivalent refused  share"]
    for name, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        numbers = [count[word] for word in ("noticed", "survived", "equivalent", "refused")]
        cells = "".join(f"{n:>{w}}" for n, w in zip(numbers, (8, 9, 11, 8), strict=True))
        lines.append(f"{name:16}{cells} {share(count):5.1f}%")
    return lines


def read_record() -> dict[str, Any]:
    """Return the contents of tests/records/mutation.json."""
    record: dict[str, Any] = json.loads((RECORDS / "mutation.json").read_text(encoding="utf-8"))
    return record


def survivors_of(record: dict[str, Any], area: Area) -> list[Mutant]:
    """The mutants of an area that have survived. Lines may have moved; the nearest one is taken."""
    every = found(area, ROOT)
    chosen = []
    for path, line, before, after in record["survivors"]:
        same = [one for one in every if key(one) == (path, before, after)]
        chosen += sorted(same, key=lambda one, line=line: abs(one.line - line))[:1]
    return chosen


def write_record(command: str, counts: dict[str, Counter[str]], survivors: list[Mutant]) -> None:
    """Write tests/records/mutation.json."""
    record = {
        "command": command,
        "mutants": {area.name: len(found(area, ROOT)) for area in AREAS},
        "areas": {
            name: {**dict(sorted(count.items())), "share": round(share(count), 1)}
            for name, count in counts.items()
        },
        "share": round(share(sum(counts.values(), Counter())), 1),
        "survivors": [[one.path, one.line, one.before, one.after] for one in survivors],
    }
    path = RECORDS / "mutation.json"
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    if not sys.flags.no_site:  # the editable package would come before the mutants
        os.environ["PYTHONPATH"] = site_packages()
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        os.execv(sys.executable, [sys.executable, "-S", *sys.argv])
    sys.exit(main())
