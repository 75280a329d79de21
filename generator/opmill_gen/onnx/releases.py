"""Facts that packages of another release than the specs cannot know, and that specs cannot.

Specs and index name the release that they were checked against. A package of that release must
have exactly what they have. An older one lacks what came later, a newer one has more: neither is a
fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opmill_gen.onnx.facts import History, Schemas, histories, newest_opset, release_order
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion
from opmill_gen.yaml_reader.decode import Faults

Labels = dict[str, dict[str, list[str]]]
"""Operator versions, as ``Tile-13``, by package and domain."""


@dataclass
class Unknown:
    """Operator versions that only one side has, since the other is of an older release."""

    packages: Labels = field(default_factory=dict)
    """Versions of the specs that an installed package does not know yet."""
    specs: Labels = field(default_factory=dict)
    """Versions of an installed package that the specs do not know yet."""

    def to_package(self, package: str, domain: str, operator: str, version: int) -> None:
        """Record a version that an installed package does not know yet, once."""
        _add(self.packages, package, domain, f"{operator}-{version}")

    def to_specs(self, package: str, domain: str, operator: str, version: int) -> None:
        """Record a version that the specs do not know yet, once."""
        _add(self.specs, package, domain, f"{operator}-{version}")


def _add(labels: Labels, package: str, domain: str, label: str) -> None:
    found = labels.setdefault(package, {}).setdefault(domain, [])
    if label not in found:
        found.append(label)


@dataclass(frozen=True)
class Publisher:
    """An installed package that publishes operators."""

    package: str
    release: str
    schemas: Schemas

    @property
    def label(self) -> str:
        """The package and its release, as ``onnx 1.23.2``."""
        return f"{self.package} {self.release}"

    def named(self, index: DomainIndex | None) -> str:
        """The name in messages; the release belongs to it where the index is of another one."""
        stated = self._stated(index)
        return self.package if stated in (None, self.release) else self.label

    def publishes(self, domain: str) -> bool:
        """Return whether the package has an operator of a domain."""
        return any(of == domain for of, _, _ in self.schemas)

    def is_before(self, spec: OperatorVersion, index: DomainIndex | None) -> bool:
        """Return whether a spec is of a later release than the installed one."""
        stated: str | None = getattr(spec.source, self.package, None)
        return self._is_older(stated or self._stated(index, spec.since_version))

    def compare_index(
        self, domain: str, index: DomainIndex, unknown: Unknown, faults: Faults
    ) -> None:
        """Compare the published versions of a domain with its index."""
        published = histories(self.schemas, domain)
        if published:
            newest = newest_opset(domain, (max(h.versions) for h in published.values()))
            self._compare_opset(index, newest, faults)
        elif not self._is_older(self._stated(index)):
            return
        for name in sorted({*published, *index.operators}):
            history = published.get(name, History([], []))
            later = self._later(domain, index, name, history, unknown)
            lacking = self._lacking(domain, index, name, history, unknown)
            entry = index.operators.get(name)
            if entry is None:
                if later:
                    message = f"{self.package} has {name} {history.versions}, the index has not"
                    faults.report(index.at("operators"), message)
                continue
            if lacking and not history.versions:
                faults.report(entry.location, f"{self.package} has no operator {name}")
                continue
            if later or lacking:
                faults.report(
                    entry.location,
                    f"{self.package} has the versions {history.versions} of {name}, not "
                    f"{list(entry.versions)}",
                )
            common = {*history.versions} & {*entry.versions}
            own = [v for v in entry.deprecated if v in common]
            theirs = [v for v in history.deprecated if v in common]
            if own != theirs:
                faults.report(
                    entry.location,
                    f"{self.named(index)} deprecates {name} at {theirs}, not at {own}",
                )

    def _compare_opset(self, index: DomainIndex, newest: int, faults: Faults) -> None:
        """Compare the newest opset, which a package of another release cannot confirm."""
        stated = self._stated(index, index.opset)
        expected = index.opset
        if index.coming is not None and self._is_older(stated):
            stated, expected = self._stated(index), index.coming.opset - 1
        if stated in (None, self.release) and expected != newest:
            message = f"{self.package} knows opset {newest}, not {expected}"
            faults.report(index.at("opset"), message)

    def _later(
        self, domain: str, index: DomainIndex, name: str, history: History, unknown: Unknown
    ) -> list[int]:
        """The versions that the package has and the index should have."""
        entry = index.operators.get(name)
        later = [v for v in history.versions if entry is None or v not in entry.versions]
        if not self._is_newer(self._stated(index)):
            return later
        for version in later:
            unknown.to_specs(self.label, domain, name, version)
        return []

    def _lacking(
        self, domain: str, index: DomainIndex, name: str, history: History, unknown: Unknown
    ) -> list[int]:
        """The versions that the index has and the package should have."""
        lacking: list[int] = []
        entry = index.operators.get(name)
        for version in entry.versions if entry is not None else ():
            if version in history.versions:
                continue
            if self._is_older(self._stated(index, version)):
                unknown.to_package(self.label, domain, name, version)
            else:
                lacking.append(version)
        return lacking

    def _stated(self, index: DomainIndex | None, version: int = 0) -> str | None:
        """The release of this package that an index is of, or that a version in it is of."""
        if index is None:
            return None
        found: str | None = getattr(index, self.package, None)
        if found is not None and index.coming is not None and version >= index.coming.opset:
            return index.coming.onnx
        return found

    def _is_older(self, stated: str | None) -> bool:
        return stated is not None and release_order(self.release) < release_order(stated)

    def _is_newer(self, stated: str | None) -> bool:
        return stated is not None and release_order(self.release) > release_order(stated)
