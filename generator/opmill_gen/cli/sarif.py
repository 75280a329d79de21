"""Findings of ``opmill check`` as SARIF 2.1.0, which code hosts and editors show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def sarif(findings: Iterable[Any], model: str, version: str) -> str:
    """Return the findings as a log of one run.

    Args:
        findings: the findings, of ``opmill._check.finding.Finding``.
        model: the path of the model, as the log names it.
        version: the version of opmill.
    """
    found = list(findings)
    driver = {
        "name": "opmill",
        "version": version,
        "rules": [{"id": rule} for rule in sorted({one.rule for one in found})],
    }
    run = {"tool": {"driver": driver}, "results": [_result(one, model) for one in found]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _result(finding: Any, model: str) -> dict[str, Any]:
    """One finding; the severities of findings are the levels of SARIF."""
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": model}}}
    if finding.part:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.part}]
    where = finding.node or finding.part
    parts = [part for part in (where, finding.operator, finding.text) if part]
    return {
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": {"text": ": ".join(parts)},
        "locations": [location],
    }
