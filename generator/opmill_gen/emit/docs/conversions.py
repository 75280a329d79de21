"""The page about conversions between opsets: every step, beside ONNX's own converter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import fenced, inline
from opmill_gen.emit.docs.pages import anchor_of
from opmill_gen.load.test_records import Records

SUMMARIES = {
    "exact": "every example has the same bits",
    "conditional": "examples that meet the conditions have the same bits, the others are refused",
    "approximated": "examples may differ by rounding; others may be refused, or listed below as "
    "different",
    "impossible": "every example is refused, with a reason",
    "not run": "the newer version is deprecated, so that no example of it runs",
    "faulty": "an example is wrong, or its model is invalid",
}
"""The words that describe a step."""

ONNX_WORDS = ("right", "no adapter", "refused", "invalid", "hung", "silent")
"""Outcomes of ONNX's converter for an example."""

RUNTIME_WORDS = ("right", "alike", "apart", "alone", "not run")
"""Outcomes of onnxruntime for a converted example."""

CHAIN_WORDS = ("exact", "close", "differs", "refused", "different")
"""Outcomes of a chain of conversions for an example."""

DIRECTIONS = ("up", "down", "new")
"""To the next version, to the version before, and to opsets without the operator."""

_LACKING = ("which is new in opset", "does not take")
"""Parts of reasons that only say that a version lacks a type."""

Row = tuple[str, str, str, Mapping[str, Any]]
"""An operator, a step as ``11>13``, a direction, and what was recorded."""


def summary_of(examples: Mapping[str, int]) -> str:
    """The word of ``SUMMARIES`` for the examples of a step."""
    if any(examples.get(word) for word in ("different", "invalid", "failed")):
        return "faulty"
    if examples.get("close") or examples.get("differs"):
        return "approximated"
    if examples.get("refused"):
        return "conditional" if examples.get("exact") else "impossible"
    return "exact" if examples.get("exact") else "not run"


def conversions_page(
    versions: Sequence[CheckedVersion],
    records: Records,
    conversions: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The context of ``docs/conversions.md.j2``.

    Args:
        versions: the supported versions, to whose pages operators link.
        records: the numbers of long test runs.
        conversions: the steps of ``conversions.yaml`` by operator, versions and direction.
    """
    record = records.conversions()
    rows = list(_rows(record))
    tests = dict(record.get("node_tests", {}))
    newer = tests.pop("newer", {})
    anchors = {
        version.spec.operator: anchor_of(version.spec, version.spec.since_version)
        for version in versions
        if version.spec.domain == MAIN_DOMAIN
    }
    return {
        "onnx": inline(record.get("onnx", "")),
        "summaries": _summaries(rows),
        "examples": [_examples(direction, rows) for direction in ("up", "down")],
        "runtime": [_runtime(direction, rows) for direction in DIRECTIONS],
        "apart": list(_apart(rows, anchors)),
        "differing": list(_differing(rows, anchors, conversions)),
        "step_totals": [_step_totals(direction, rows) for direction in ("up", "down")],
        "networks": _moves(record.get("networks", {})),
        "node_tests": [
            (inline("its operators exist there"), _moves(tests)),
            (inline("an operator is newer"), _moves(newer)),
        ],
        "chains": _chains(record),
        "silent": [_silent(row) for row in rows if "silent" in row[3]],
        "conditions": list(_conditions(rows, anchors)),
        "steps": _all_steps(rows, anchors),
    }


def _rows(record: Mapping[str, Any]) -> Iterator[Row]:
    for name, entry in record.get("operators", {}).items():
        for key, one in entry["steps"].items():
            step, direction = key.split()
            yield name, step, "new" if step.startswith("new") else direction, one


def _summaries(rows: Sequence[Row]) -> list[dict[str, Any]]:
    counted = Counter((row[2], summary_of(row[3]["examples"])) for row in rows)
    return [
        {"word": word, "meaning": meaning, "counts": [counted[one, word] for one in DIRECTIONS]}
        for word, meaning in SUMMARIES.items()
        if any(counted[one, word] for one in DIRECTIONS)
    ]


def _differing(
    rows: Sequence[Row],
    anchors: Mapping[str, str],
    conversions: Mapping[str, Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """The examples that differ by more than rounding, each with the reason of its entry."""
    for name, step, direction, one in rows:
        entry = conversions.get(name, {}).get(step, {})
        alternatives = entry.get("up" if direction == "up" else "down", ())
        for example in one.get("differs", ()):
            reasons = [way["why"] for way in alternatives if example in way.get("differs", ())]
            yield {
                "name": inline(name),
                "anchor": anchors.get(name),
                "step": inline(_arrow(step, direction)),
                "example": inline(example),
                "reason": "; ".join(map(inline, dict.fromkeys(reasons))),
            }


def _examples(direction: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The examples of a direction, as both converters move them."""
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    for _, _, way, one in rows:
        if way == direction:
            ours.update(one["examples"])
            theirs.update(one.get("onnx", {}))
    return {
        "direction": direction,
        "right": ours["exact"] + ours["close"],
        "close": ours["close"],
        "differs": ours["differs"],
        "refused": ours["refused"],
        "onnx": [theirs[word] for word in ONNX_WORDS],
    }


def _runtime(direction: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The converted examples of a direction, as onnxruntime runs them."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row[2] == direction:
            counts.update(row[3].get("onnxruntime", {}))
    return {"direction": direction, "counts": [counts[word] for word in RUNTIME_WORDS]}


def _apart(rows: Sequence[Row], anchors: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The examples of which onnxruntime computes something else after a conversion."""
    for name, step, direction, one in rows:
        if "apart" in one:
            yield {
                "name": inline(name),
                "anchor": anchors.get(name),
                "step": inline(_arrow(step, direction)),
                "examples": "; ".join(map(inline, one["apart"])),
            }


def _step_totals(direction: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The number of steps by what ONNX's converter does with their examples."""
    words = Counter(_onnx_word(row[3].get("onnx", {})) for row in rows if row[2] == direction)
    return {
        "direction": direction,
        "counts": [words[one] for one in ("right", "part", "none", "silent")],
    }


def _onnx_word(counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    if counts.get("silent"):
        return "silent"
    if not counts.get("right"):
        return "none"
    return "right" if len(counts) == 1 else "part"


def _moves(targets: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The models that reach each target, with both converters."""
    return [
        {
            "target": inline(target),
            "models": sum(one["opmill"].values()),
            "right": one["opmill"].get("exact", 0) + one["opmill"].get("close", 0),
            "exact": one["opmill"].get("exact", 0),
            "onnx": one["onnx"].get("right", 0),
            "silent": one["onnx"].get("silent", 0),
        }
        for target, one in targets.items()
    ]


def _chains(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The examples that were moved over all opsets and back, by the direction of the first half."""
    counts: dict[str, Counter[str]] = {"up": Counter(), "down": Counter()}
    for entry in record.get("operators", {}).values():
        for chain in entry["chains"]:
            counts["up" if chain["to"] > chain["from"] else "down"].update(chain["examples"])
    return [
        {
            "direction": direction,
            "counts": [found[word] for word in CHAIN_WORDS],
        }
        for direction, found in counts.items()
    ]


def _silent(row: Row) -> dict[str, Any]:
    name, step, direction, one = row
    found = one["silent"]
    model = found.get("model")
    return {
        "title": inline(f"{name} {_arrow(step, direction)}"),
        "example": inline(found["example"].partition(": ")[2]),
        "examples": found["examples"],
        "to": found.get("to"),
        "text": None
        if model is None
        else fenced(f"{model}\n# before: {found['before']}\n# after:  {found['after']}", "text"),
    }


def _conditions(rows: Sequence[Row], anchors: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The reasons of refused examples, apart from types that a version lacks."""
    for name, step, direction, one in rows:
        reasons = [text for text in one.get("reasons", ()) if not any(p in text for p in _LACKING)]
        if reasons:
            yield {
                "name": inline(name),
                "anchor": anchors.get(name),
                "step": inline(_arrow(step, direction)),
                "refused": one["examples"]["refused"],
                "reasons": "; ".join(map(inline, reasons)),
            }


def _all_steps(rows: Sequence[Row], anchors: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row for each step, with a pair of cells for each direction."""
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for name, step, direction, one in rows:
        found.setdefault((name, step), {})["up" if direction == "up" else "down"] = one
    return [
        {
            "name": inline(name),
            "anchor": anchors.get(name),
            "step": inline(step),
            "cells": [
                cell
                for one in ("up", "down")
                for cell in (_cell(pair.get(one)), _onnx(pair.get(one)))
            ],
        }
        for (name, step), pair in found.items()
    ]


def _cell(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return ""
    examples = one["examples"]
    right = examples.get("exact", 0) + examples.get("close", 0)
    others = examples.get("differs", 0) + examples.get("refused", 0)
    return _ratio(summary_of(examples), right, right + others)


def _onnx(one: Mapping[str, Any] | None) -> str:
    counts = {} if one is None else one.get("onnx", {})
    if not counts:
        return ""
    text = _ratio("right", counts.get("right", 0), sum(counts.values()))
    return f"{text}, **{counts['silent']} silent**" if counts.get("silent") else text


def _ratio(word: str, count: int, total: int) -> str:
    return f"{word} {count}" if count == total else f"{word} {count} of {total}"


def _arrow(step: str, direction: str) -> str:
    older, _, newer = step.partition(">")
    if direction == "new":
        return f"{newer} to older opsets"
    return f"{older} to {newer}" if direction == "up" else f"{newer} to {older}"
