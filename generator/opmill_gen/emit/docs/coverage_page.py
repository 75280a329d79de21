"""The contexts of the coverage table: as a page of the manual, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from opmill_gen.base.names import domain_package
from opmill_gen.emit.backend import Backend
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.docs.coverage import DomainCoverage, VersionCoverage
from opmill_gen.emit.docs.markdown import anchor, code, inline

View = Callable[[Sequence[VersionCoverage], Sequence[DomainCoverage]], dict[str, Any]]


def coverage_page(
    versions: Sequence[VersionCoverage], domains: Sequence[DomainCoverage]
) -> dict[str, Any]:
    """The context of ``docs/coverage.md.j2``."""
    return {
        "domains": [
            {
                "domain": code(domain.domain),
                "release": inline(domain.release or ""),
                "supported_operators": len(domain.supported),
                "operators": len(domain.published),
                "supported_versions": domain.supported_versions,
                "versions": domain.published_versions,
                "published": [
                    {
                        "name": inline(operator),
                        "versions": [
                            (
                                number,
                                _anchor(domain.domain, operator, number)
                                if number in domain.supported.get(operator, ())
                                else None,
                            )
                            for number in numbers
                        ],
                    }
                    for operator, numbers in domain.published.items()
                ],
            }
            for domain in domains
        ],
        "versions": [
            {
                "label": inline(f"{version.operator}-{version.version}"),
                "anchor": _anchor(version.domain, version.operator, version.version),
                "type_count": len(version.types),
                "types": _types(version),
                "lacking": _lacking(version),
                "examples": version.examples,
                "rejects": version.rejects,
                "onnx_tests": version.onnx_tests,
                "differential_calls": _run(version.differential_calls, "fuzz" in version.stale),
                "c_executions": _run(version.c_executions, "c_fuzz" in version.stale),
            }
            for version in versions
        ],
    }


_EVIDENCE = {
    "examples": ("examples", "calls with results from outside, run in Python and in C"),
    "rejects": ("invalid calls", "with the words of the error, run in Python and in C"),
    "onnx_tests": ("ONNX tests", "models of ONNX's own backend tests, at every opset in force"),
    "differential_calls": ("random calls", "compared with oracles and runtimes: `make fuzz`"),
    "c_executions": ("fuzzed", "executions in C under sanitizers: `make c-fuzz`"),
}
"""Counts of a version, each with its title and its meaning."""

_RUNS = {"differential_calls": "fuzz", "c_executions": "c_fuzz"}
"""The runs whose numbers may be of older code, by what they count."""


def _older(versions: Sequence[VersionCoverage], run: str) -> str:
    stale = sum(run in version.stale for version in versions)
    return f"; {stale} of older code" if stale else ""


def evidence_page(
    versions: Sequence[VersionCoverage], domains: Sequence[DomainCoverage]
) -> dict[str, Any]:
    """The context of ``docs/site/coverage.md.j2``: a summary of each kind of evidence as well."""
    counts = {key: [getattr(version, key) for version in versions] for key in _EVIDENCE}
    return {
        **coverage_page(versions, domains),
        "evidence": [
            {
                "name": name,
                "versions": f"{sum(map(bool, counts[key])):,}",
                "total": f"{sum(counts[key]):,}",
                "about": about + _older(versions, _RUNS.get(key, "")),
            }
            for key, (name, about) in _EVIDENCE.items()
        ],
    }


def coverage_json(
    versions: Sequence[VersionCoverage], domains: Sequence[DomainCoverage]
) -> dict[str, Any]:
    """The context of ``docs/coverage.json.j2``: each domain and each version on a line."""
    return {
        "domains": [
            (
                json.dumps(domain.domain),
                json.dumps(
                    {
                        "release": domain.release,
                        "operators": {
                            "supported": len(domain.supported),
                            "published": len(domain.published),
                        },
                        "versions": {
                            "supported": domain.supported_versions,
                            "published": domain.published_versions,
                        },
                    }
                ),
            )
            for domain in domains
        ],
        "versions": [
            json.dumps(
                {
                    "domain": version.domain,
                    "operator": version.operator,
                    "since_version": version.version,
                    "examples": version.examples,
                    "rejects": version.rejects,
                    "onnx_tests": version.onnx_tests,
                    "differential_calls": version.differential_calls,
                    "c_fuzz_executions": version.c_executions,
                    "made_of": version.made_of,
                    "stale": list(version.stale),
                    "types": {type.type: type.examples for type in version.types},
                    "gaps": {
                        backend.name.value: gaps
                        for backend in BACKENDS
                        if (gaps := _gaps(version, backend))
                    },
                }
            )
            for version in versions
        ],
    }


def _gaps(version: VersionCoverage, backend: Backend) -> dict[str, str]:
    """The types that a backend lacks, and why."""
    name = backend.name.value
    return {type.type: type.gaps[name] for type in version.types if name in type.gaps}


def _anchor(domain: str, operator: str, version: int) -> str:
    return anchor(*filter(None, (domain_package(domain), operator)), version)


def _run(count: int, stale: bool) -> str:
    return f"{count} (older code)" if stale else str(count)


def _types(version: VersionCoverage) -> str:
    """Each type with the number of its examples, as ``float 8``."""
    return ", ".join(f"{_word(type.type)} {type.examples}" for type in version.types)


def _lacking(version: VersionCoverage) -> str:
    """The types that each backend lacks, with reasons: each reason once, with its types."""
    found: dict[str, list[str]] = {}
    for backend in BACKENDS:
        for type, gap in _gaps(version, backend).items():
            found.setdefault(f"{backend.title}: {inline(gap)}", []).append(_word(type))
    every = len(version.types)
    return "; ".join(
        reason if len(types) == every else f"{reason} ({', '.join(types)})"
        for reason, types in found.items()
    )


def _word(type: str) -> str:
    """A type without what most types have: ``float`` for ``tensor(float)``."""
    plain = type.removeprefix("tensor(")
    return inline(plain.removesuffix(")") if plain != type else type)
