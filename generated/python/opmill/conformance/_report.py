"""Reports of a run by operator version: as a table, as data, as JUnit's XML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from opmill._runtime.errors import Error

if TYPE_CHECKING:
    from opmill.conformance._run import Result

FORMAT = 2
"""The version of the form of ``Report.data``."""

_BAD = ("wrong", "crashed", "hung")


@dataclass
class VersionReport:
    """The results of one operator version.

    Args:
        domain: the operator's domain.
        operator: ONNX's name of the operator.
        version: the number of the version.
        counts: the number of valid calls by outcome.
        rejects: the number of invalid calls by outcome.
        failures: the results that are wrong, crashed or hung, the smallest first.
        open: the results that differ where ONNX leaves the outcome open, the smallest first.
        computed_rejects: the results of invalid calls that were computed.
        first_refusal: the message of the first valid call that was refused.
    """

    domain: str
    operator: str
    version: int
    counts: Counter[str] = field(default_factory=Counter)
    rejects: Counter[str] = field(default_factory=Counter)
    failures: list[Result] = field(default_factory=list)
    open: list[Result] = field(default_factory=list)
    computed_rejects: list[Result] = field(default_factory=list)
    first_refusal: str = ""
    _refused_types: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _other_types: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def label(self) -> str:
        """The operator version, as ``Tile-13``."""
        return f"{self.operator}-{self.version}"

    def add(self, result: Result) -> None:
        """Count one result.

        Args:
            result: a result of this version.
        """
        outcome = str(result.outcome)
        if result.case.is_reject:
            self.rejects[outcome] += 1
            if outcome == "computed":
                self.computed_rejects.append(result)
        else:
            self.counts[outcome] += 1
            (self._refused_types if outcome == "refused" else self._other_types)[
                result.case.types
            ] += 1
            if outcome == "refused" and not self.first_refusal:
                self.first_refusal = result.text
        for outcomes, found in ((_BAD, self.failures), (("open",), self.open)):
            if outcome in outcomes:
                found.append(result)
                found.sort(key=lambda one: (one.case.elements, one.case.name))

    @property
    def outside_types(self) -> int:
        """The examples that are refused, and whose types no computed example has."""
        if not self._other_types:
            return 0
        return sum(n for types, n in self._refused_types.items() if types not in self._other_types)

    @property
    def status(self) -> str:
        """One word: right, open, partial (some refused), wrong, crashed, hung or absent.

        A version is open if examples differ, and ONNX leaves all of these open; it is absent if all
        examples are refused.
        """
        for bad in ("crashed", "hung", "wrong"):
            if self.counts[bad] or self.rejects[bad]:
                return bad
        if self.counts["open"]:
            return "open"
        if self.counts["refused"] == sum(self.counts.values()):
            return "absent"
        return "partial" if self.counts["refused"] else "right"


@dataclass
class Report:
    """The results of a run of one target.

    Args:
        target: the name of the target.
        target_version: its version.
        strict: whether the tolerances are those of the specs.
        versions: the results by domain, operator and version.
    """

    target: str
    target_version: str
    strict: bool = False
    versions: dict[tuple[str, str, int], VersionReport] = field(default_factory=dict)
    _results: list[Result] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """Count one result.

        Args:
            result: a result of any version.
        """
        schema = result.case.schema
        key = (schema.domain, schema.name, schema.since_version)
        self.versions.setdefault(key, VersionReport(*key)).add(result)
        self._results.append(result)

    @property
    def failures(self) -> list[Result]:
        """Every result that is wrong, crashed or hung."""
        return [one for version in self.versions.values() for one in version.failures]

    @property
    def open(self) -> list[Result]:
        """Every result that differs where ONNX leaves the outcome open."""
        return [one for version in self.versions.values() for one in version.open]

    def worse_than(self, baseline: Mapping[str, Any]) -> list[Result]:
        """Return the failures of cases that did not fail in another run.

        Args:
            baseline: the ``data`` of the other run.

        Raises:
            Error: the baseline is not a report.
        """
        try:
            known = {
                (domain, label, case)
                for domain, of_domain in baseline["versions"].items()
                for label, version in of_domain.items()
                for case in version["failing"]
            }
        except (KeyError, TypeError, AttributeError):
            raise Error(
                "the baseline is not a report, expected a file that --json has written"
            ) from None
        return [
            one
            for one in self.failures
            if (one.case.schema.domain, one.case.label, one.case.name) not in known
        ]

    def data(self) -> dict[str, Any]:
        """Return the report as dicts and lists, which ``json`` writes."""
        versions: dict[str, dict[str, Any]] = {}
        for (domain, _, _), version in self.versions.items():
            versions.setdefault(domain, {})[version.label] = _data_of(version)
        return {
            "format": FORMAT,
            "target": self.target,
            "target_version": self.target_version,
            "tolerances": "specs" if self.strict else "ONNX's backend tests",
            "versions": versions,
        }

    def json(self) -> str:
        """Return ``data`` as JSON."""
        return json.dumps(self.data(), indent=1, ensure_ascii=False) + "\n"

    def junit(self) -> str:
        """Return the results as JUnit's XML: a suite for each version, a case for each result."""
        root = ElementTree.Element("testsuites", name=f"opmill conformance of {self.target}")
        suites: dict[str, ElementTree.Element] = {}
        for result in self._results:
            label = result.case.label
            if label not in suites:
                suites[label] = ElementTree.SubElement(root, "testsuite", name=label)
            case = ElementTree.SubElement(
                suites[label], "testcase", classname=label, name=result.case.name
            )
            outcome = str(result.outcome)
            if outcome in _BAD:
                ElementTree.SubElement(
                    case, "failure" if outcome == "wrong" else "error", message=outcome
                ).text = _xml_text(result.text)
            elif outcome == "open":
                ElementTree.SubElement(case, "skipped", message=_xml_text(open_text(result)))
            elif outcome == "refused" and not result.case.is_reject:
                ElementTree.SubElement(case, "skipped", message=_xml_text(result.text)[:200])
        for suite in suites.values():
            suite.set("tests", str(len(suite)))
            kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
            for kind, name in kinds.items():
                suite.set(kind, str(len(suite.findall(f"testcase/{name}"))))
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"

    def table(self) -> str:
        """Return the results as text: a row for each version, then the smallest case of each.

        Of a version's failures, and of its open results, the smallest is shown and the others are
        counted. If every example is refused, the first reason is shown.
        """
        rows = [["version", "right", "open", "wrong", "refused", "other types", "crashed", "hung",
                 "invalid calls computed"]]  # fmt: skip
        for version in self.versions.values():
            counts, invalid = version.counts, version.rejects
            rows.append([version.label, *map(str, (
                counts["right"], counts["open"] + invalid["open"], counts["wrong"],
                counts["refused"] - version.outside_types,
                version.outside_types, counts["crashed"] + invalid["crashed"],
                counts["hung"] + invalid["hung"],
                f"{invalid['computed']} of {sum(invalid.values())}",
            ))])  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if index == 0 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        for version in self.versions.values():
            for one in version.failures[:1]:
                text = f"{one.outcome}: {one.case.name}: {one.text}"
                lines.append(text + _others(version, version.failures, "failure"))
        for version in self.versions.values():
            for one in version.open[:1]:
                text = f"open: {one.case.name}: {open_text(one)}"
                lines.append(text + _others(version, version.open, "open result"))
        refused = [one for one in self.versions.values() if one.first_refusal]
        if refused and all(one.status == "absent" for one in self.versions.values()):
            text = f"{refused[0].label}: {refused[0].first_refusal}"
            lines.append(f"refused: no example is computed; the first reason: {text}")
        return "\n".join(lines)


def open_text(result: Result) -> str:
    """The difference of an open result, and what ONNX leaves open.

    Args:
        result: a result whose outcome is open.
    """
    reasons = " ".join(" ".join(one.text.split()) for one in result.case.rests_on)
    return f"{result.text} - open in ONNX: {reasons}"


def _others(version: VersionReport, results: list[Result], what: str) -> str:
    """Number of results of a version that are not shown."""
    number = len(results) - 1
    return f" [{number} more {what}{'s' * (number > 1)} of {version.label}]" if number else ""


def _data_of(version: VersionReport) -> dict[str, Any]:
    smallest = version.failures[0] if version.failures else None
    return {
        "status": version.status,
        "examples": dict(sorted(version.counts.items())),
        "outside_types": version.outside_types,
        "rejects": dict(sorted(version.rejects.items())),
        "failing": [one.case.name for one in version.failures],
        "open": [
            {
                "case": one.case.name,
                "text": one.text,
                "rests_on": [erratum.name for erratum in one.case.rests_on],
            }
            for one in version.open
        ],
        "smallest": None
        if smallest is None
        else {"case": smallest.case.name, "outcome": smallest.outcome, "text": smallest.text},
        "refusal": version.first_refusal,
        "computes": [one.case.name for one in version.computed_rejects],
    }


def _xml_text(text: str) -> str:
    """The text without characters that XML cannot hold."""
    unknown = "\N{REPLACEMENT CHARACTER}"
    return "".join(one if one.isprintable() or one == "\n" else unknown for one in text)
