"""The numbers that long runs of tests have left in ``tests/records``, for the coverage table.

They are results of runs, committed like sources; a file that is not there counts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.spec.operator_version import OperatorVersion


@dataclass(frozen=True)
class Records:
    """The records by the path of their file, without its suffix, as JSON has them."""

    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def onnx_tests(self, spec: OperatorVersion) -> int:
        """ONNX's own tests that a version passes, at every opset at which it is in force."""
        return int(self._of("onnx_tests", spec).get("models", 0))

    def differential_calls(self, spec: OperatorVersion) -> int:
        """Random calls that the backends, the oracle and other runtimes agreed on."""
        counts = self._of("fuzz", spec)
        return int(counts.get("legal", 0)) + int(counts.get("refused", 0))

    def c_executions(self, spec: OperatorVersion) -> int:
        """Calls that the fuzzer made in the C library under sanitizers."""
        return int(self._of("c_fuzz", spec).get("executions", 0))

    def stale(self, spec: OperatorVersion, made_of: str) -> tuple[str, ...]:
        """The kinds of long runs whose numbers are of other code than the version's of today.

        Args:
            spec: the operator version.
            made_of: the digest of what the version is made of now.
        """
        found = {kind: self._of(kind, spec) for kind in ("fuzz", "c_fuzz")}
        return tuple(kind for kind, run in found.items() if run and run.get("made_of") != made_of)

    def mutation(self) -> Mapping[str, Any]:
        """The last sample of mutants: areas, and the share that tests noticed."""
        return self.files.get("mutation", {})

    def elementary(self) -> Mapping[str, Any]:
        """The largest errors of the elementary functions of the C library, by their names."""
        return self.files.get("elementary", {})

    def conversions(self) -> Mapping[str, Any]:
        """Outcomes of conversions between opsets for every example, beside ONNX's converter."""
        return self.files.get("conversions", {})

    def conformance_targets(self) -> Mapping[str, str]:
        """The releases of the runtimes that the conformance kit was run on, by their names."""
        found: Mapping[str, str] = self.files.get("conformance", {}).get("targets", {})
        return found

    def conformance_how(self, target: str) -> str:
        """The words that say how a runtime was run; empty if the record has none."""
        return str(self.files.get("conformance", {}).get("how", {}).get(target, ""))

    def conformance_cases(self, target: str) -> int:
        """The number of cases that there were for a runtime, of which it may have run a sample."""
        return int(self.files.get("conformance", {}).get("cases", {}).get(target, 0))

    def conformance(self, spec: OperatorVersion) -> Mapping[str, Any]:
        """Outcomes of a version's cases in each of these runtimes, by its name."""
        versions = self.files.get("conformance", {}).get("versions", {}).get(spec.domain, {})
        found: Mapping[str, Any] = versions.get(spec.label, {})
        return found

    def _of(self, kind: str, spec: OperatorVersion) -> Mapping[str, Any]:
        """The entry of one version in the section of an operator's file on one kind of run."""
        sections = self.files.get(f"{spec.domain}/{spec.operator}", {})
        versions = sections.get(kind, {}).get("versions", {})
        found: Mapping[str, Any] = versions.get(str(spec.since_version), {})
        return found


def read_records(folder: Path | None) -> Records:
    """The records of a folder; none where there is no folder.

    Raises:
        InputError: a file is no record.
    """
    if folder is None or not folder.is_dir():
        return Records()
    files: dict[str, Mapping[str, Any]] = {}
    for path in sorted(folder.glob("**/*.json")):
        shown = f"tests/records/{path.relative_to(folder).as_posix()}"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            message = f"not a record: {error}; write it anew with the command that made it"
            raise InputError([Diagnostic(Location(shown), message)]) from None
        if isinstance(record, dict):
            files[path.relative_to(folder).with_suffix("").as_posix()] = record
    return Records(files)
