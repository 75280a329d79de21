"""How much of ONNX's own tests judges each operator version, as a file of numbers.

``python tests/onnx_record.py`` writes ``records/onnx_tests.json`` anew; ``make records`` runs it.
For each operator version it says

* ``own``: how many of ONNX's tests use this version as they are,
* ``rebuilt``: how many tests of another version were carried over, with the same data,
* ``rewritten``: how many were put in this version's own words, because its signature differs,
* ``models``: how many models all of this makes, one for each opset that uses the version.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from onnx import ModelProto

import opmill
from onnx_rewrites import REWRITES
from onnx_suite import Case, cases, opset_of, rebuilt, versions_of
from opmill._onnx.catalog import domains

PATH = Path(__file__).resolve().parent / "records" / "onnx_tests.json"

DOMAIN = "ai.onnx"


def record() -> dict[str, Any]:
    """The numbers, worked out from the suite that is installed."""
    counts: dict[tuple[str, int], dict[str, int]] = {
        (name, version): dict.fromkeys(("own", "rebuilt", "rewritten", "models"), 0)
        for domain, name, version in opmill.operators()
        if domain == DOMAIN
    }
    for (name, version), models in models_by_version().items():
        seen = {(case.name, how) for case, how, _, _ in models}
        for _, how in seen:
            counts[name, version][how] += 1
        counts[name, version]["models"] = len(models)
    versions: dict[str, dict[str, Any]] = defaultdict(dict)
    for (name, version), numbers in sorted(counts.items()):
        versions[name][str(version)] = numbers
    return {
        "onnx": onnx.__version__,
        "cases": {case.name: opset_of(case.model) for case in cases()},
        "versions": {DOMAIN: versions},
    }


Judged = tuple[Case, str, int, ModelProto]
"""A test, whether it is ``own``, ``rebuilt`` or ``rewritten``, the opset, and the model."""


@cache
def models_by_version() -> dict[tuple[str, int], list[Judged]]:
    """Every model that judges an operator version of ONNX's own domain."""
    found: dict[tuple[str, int], list[Judged]] = defaultdict(list)
    for case in cases():
        own = versions_of(case.model, opset_of(case.model))
        for opset in range(1, domains()[DOMAIN].opset + 1):
            model = rebuilt(case, opset)
            if model is not None:
                for name, version in versions_of(model, opset).items():
                    how = "own" if own[name] == version else "rebuilt"
                    found[name, version].append((case, how, opset, model))
        for (name, version), rewrite in REWRITES.items():
            if name in own:
                for opset, model in rewrite(case):
                    found[name, version].append((case, "rewritten", opset, model))
    return dict(found)


def text(numbers: dict[str, Any]) -> str:
    """The file's text."""
    return json.dumps(numbers, indent=2) + "\n"


def recorded() -> dict[str, Any]:
    """The numbers of the file."""
    numbers: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return numbers


if __name__ == "__main__":
    PATH.write_text(text(record()), encoding="utf-8")
