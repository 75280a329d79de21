"""Record of conversions between opsets, for every example, network and node test, as a file.

``make conversions`` writes ``tests/records/conversions.json`` with it. Beside each figure is that
of ONNX's converter, measured on the same models in the same run. A page of the manual shows the
record. ``OPERATORS="Softmax Clip"`` measures the steps of these operators only.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import onnx

import converted_networks
import converted_nodes
from compiled_networks import NETWORKS
from conversion_chains import Chain, chain, ends
from conversion_proof import NONE, Outcome, prove, reproduced, steps, table
from operator_records import RECORDS, json_text
from opmill._onnx.catalog import MAIN_DOMAIN, domains

RECORD = RECORDS / "conversions.json"


def entry_of(done: Outcome) -> dict[str, Any]:
    """The record of a step in one direction."""
    entry: dict[str, Any] = {"examples": _sorted(done.counts)}
    if done.differs:
        entry["differs"] = done.differs
    if done.reasons:
        entry["reasons"] = _frequent(done.reasons)
    if done.onnx:
        entry["onnx"] = _sorted(done.onnx)
    if done.onnxruntime:
        entry["onnxruntime"] = _sorted(done.onnxruntime)
    if done.apart:
        entry["apart"] = done.apart
    if done.silent:
        entry["silent"] = reproduced(done)
    return entry


def step_of(operator: str, source: int, target: int) -> tuple[str, str]:
    """The name of a step as in ``conversions.yaml``, and its direction."""
    low, high = sorted((source, target))
    direction = "up" if target > source else "down"
    return f"{'new' if low == NONE else low}>{high}", direction


def digest(operator: str) -> str:
    """The digest of an operator's conversions: of other ones, its figures are stale."""
    text = json.dumps(table()[MAIN_DOMAIN].get(operator, {}), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record(operators: frozenset[str], known: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Measure the steps and chains of some operators; networks and tests if these are all.

    Args:
        operators: their names.
        known: the record so far, whose other figures stay.

    Returns:
        The record, and a line for each fault.
    """
    faults: list[str] = []
    every = frozenset(domains()[MAIN_DOMAIN].published)
    found = {name: entry for name, entry in known.get("operators", {}).items() if name in every}
    found.update({name: {"made_of": digest(name), "steps": {}, "chains": []} for name in operators})
    done: dict[str, Any] = dict(known)
    with ProcessPoolExecutor() as pool:
        moves = list(steps(operators))
        measured = pool.map(_step, moves, chunksize=4)
        for (name, source, target), (entry, lines) in zip(moves, measured, strict=True):
            step, direction = step_of(name, source, target)
            found[name]["steps"][f"{step} {direction}"] = entry
            faults += lines
        chains = [one for name in sorted(operators) for one in ends(name)]
        for one in pool.map(_chain, chains, chunksize=4):
            counts = {"from": one.opset, "to": one.to, "examples": _sorted(one.counts)}
            found[one.operator]["chains"].append(counts)
            faults += [f"chain of {note}" for note in one.notes]
        if operators == every:
            networks = pool.map(_network, sorted(NETWORKS))
            done["networks"], lines = _networks(one for several in networks for one in several)
            faults += lines
            nodes = pool.map(converted_nodes.moved, sorted(converted_nodes.tests()), chunksize=8)
            done["node_tests"], lines = _nodes(one for several in nodes for one in several)
            faults += lines
    done["onnx"] = onnx.__version__
    done["operators"] = dict(sorted(found.items()))
    return done, faults


def _step(move: tuple[str, int, int]) -> tuple[dict[str, Any], list[str]]:
    done = prove(*move, beside=True)
    lines = [
        f"{done.operator} {done.source}>{done.target}: {word} {count}"
        for word, count in done.problems.items()
    ]
    return entry_of(done), lines + (done.notes[:3] if lines else [])


def _chain(ends: tuple[str, int, int, int]) -> Chain:
    return chain(*ends)


def _network(name: str) -> list[converted_networks.Moved]:
    return list(converted_networks.moved(name, beside=True))


def _networks(
    moved: Iterable[converted_networks.Moved],
) -> tuple[dict[str, Any], list[str]]:
    """The number of networks by target and what became of them, and those that are wrong."""
    counted = _counters(converted_networks.TARGETS)
    faults = []
    for one in moved:
        ours, theirs, reasons = counted[str(one.opset)]
        ours[one.word] += 1
        theirs[one.onnx] += 1
        if one.word == "refused":
            reasons[f"{one.name}: {one.reason}"] += 1
        if one.word == "wrong":
            faults.append(f"network {one.name} to opset {one.opset}: {one.reason}")
    return _of_targets(counted), faults


def _nodes(moved: Iterable[converted_nodes.Moved]) -> tuple[dict[str, Any], list[str]]:
    """The number of node tests by target and what became of them, and those that are wrong."""
    counted = _counters(converted_nodes.TARGETS)
    lacking = _counters(converted_nodes.TARGETS)
    faults = []
    for one in moved:
        ours, theirs, reasons = (counted if one.exists else lacking)[str(one.target)]
        ours[one.word] += 1
        theirs[one.onnx] += 1
        if one.word == "refused":
            reasons[one.reason] += 1
        if one.word in ("different", "failed"):
            faults.append(f"{one.name} to {one.target}: {one.word} {one.reason}")
    found = _of_targets(counted)
    found["newer"] = _of_targets(lacking)
    return found, faults


def _counters(targets: Iterable[Any]) -> dict[str, tuple[Counter[str], ...]]:
    return {str(target): (Counter(), Counter(), Counter()) for target in targets}


def _of_targets(counted: Mapping[str, tuple[Counter[str], ...]]) -> dict[str, Any]:
    return {
        target: {
            "opmill": _sorted(ours),
            "onnx": _sorted(theirs),
            "reasons": _frequent(reasons),
        }
        for target, (ours, theirs, reasons) in counted.items()
    }


def _frequent(counts: Counter[str]) -> list[str]:
    """The texts that were counted, the most frequent first."""
    return sorted(counts, key=lambda text: (-counts[text], text))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted((word, count) for word, count in counts.items() if count))


def main(names: list[str]) -> int:
    """Write the record, and print the faults; faults make the exit code 1."""
    known = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    measured, faults = record(frozenset(names or domains()[MAIN_DOMAIN].published), known)
    RECORD.write_text(json_text(measured, 4) + "\n", "utf-8")
    print("".join(f"{line}\n" for line in faults), end="")
    print(f"{len(measured['operators'])} operators, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
