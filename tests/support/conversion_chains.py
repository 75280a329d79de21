"""Chains of conversions: examples moved over every opset and back, compared with the originals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from conversion_proof import judged, table
from opmill._onnx.catalog import MAIN_DOMAIN, domains
from opmill.conformance import cases


@dataclass
class Chain:
    """The examples of a version, moved from its opset to another one and back."""

    operator: str
    version: int
    opset: int
    to: int
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def ends(operator: str) -> Iterator[tuple[str, int, int, int]]:
    """The chains of an operator: its first version to the newest opset, its newest to the first."""
    newest = domains()[MAIN_DOMAIN].opset
    published = domains()[MAIN_DOMAIN].published[operator]
    current = [one for one in published.versions if one not in published.deprecated]
    first = current[0]
    yield operator, first, first, newest
    if len(current) > 1 and not published.deprecated:
        yield operator, current[-1], newest, first


def chain(operator: str, version: int, opset: int, to: int) -> Chain:
    """Move all examples of a version to an opset and back; what survives must compute the same."""
    done = Chain(operator, version, opset, to)
    entries = table()[MAIN_DOMAIN].get(operator, {}).values()
    several = [one for entry in entries for way in ("up", "down") for one in entry[way]]
    differing = {name for one in several for name in one.get("differs", ())}
    for case in cases([f"{operator}-{version}"], rejects=False):
        word, note = judged(case, opset, (to, opset))
        if word == "different" and case.name.partition(": ")[2] in differing:
            word = "differs"
        done.counts[word] += 1
        if word in ("different", "invalid", "failed"):
            done.notes.append(f"{case.name}: {note}")
    return done
