"""The published versions of an operator: which have a spec here, and the page of each.

Facts of versions without a spec come from the installed onnx while the manual is built; nothing of
them is committed. Without onnx, or for a domain that it does not have, these versions have no page.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opmill_gen.base.names import domain_package, snake_case
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.docs.pages import page_name
from opmill_gen.inspect.published import without_spec
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion, Published


@dataclass(frozen=True)
class OperatorHistory:
    """One operator with all its published versions.

    Attributes:
        domain: its domain.
        operator: ONNX's name of it.
        package: its name in Python, with its domain's folder in front, as ``conv_transpose``.
        published: its versions, ascending.
        deprecated: those of them that deprecate it.
        opset: the newest opset of the domain; ``None`` where there is no index.
        supported: the versions that have a spec, by number.
    """

    domain: str
    operator: str
    package: str
    published: tuple[int, ...]
    deprecated: tuple[int, ...]
    opset: int | None
    supported: Mapping[int, CheckedVersion]

    @property
    def main(self) -> int:
        """The version whose page is the operator's: the newest with a spec, else the newest."""
        return max(self.supported, default=self.published[-1])

    @property
    def name(self) -> str:
        """The last part of the pages' names, as ``conv_transpose``."""
        return self.package.rpartition("/")[2]

    def page(self, number: int) -> str:
        """The name of a version's page, without folders: ``tile``, ``tile_6`` if it is older."""
        return self.name if number == self.main else f"{self.name}_{number}"

    @property
    def changes_page(self) -> str:
        """The name of the page that compares versions, without folders."""
        return f"{self.name}_changes"

    def last_opset(self, number: int) -> int | None:
        """The last opset in which a version is in force; ``None`` where none is known."""
        later = [other for other in self.published if other > number]
        return later[0] - 1 if later else self.opset

    def facts(self, number: int) -> OperatorVersion | None:
        """A version as its spec has it; without one, as the installed onnx has it."""
        if number in self.supported:
            return self.supported[number].spec
        return facts_of_onnx(self.domain, self.operator, number)

    def older(self, number: int) -> int | None:
        """The published version before a version."""
        return max((other for other in self.published if other < number), default=None)


@functools.cache
def facts_of_onnx(domain: str, operator: str, number: int) -> OperatorVersion | None:
    """A version without a spec, with onnx's facts and text; ``None`` where onnx has none."""
    return without_spec(domain, operator, number) if onnx_release() else None


@functools.cache
def onnx_release() -> str:
    """The release of the installed onnx; empty where none is installed."""
    try:
        import onnx
    except ImportError:
        return ""
    return str(onnx.__version__)


def histories(checked: Checked) -> list[OperatorHistory]:
    """Every operator that has a spec or is in an index, by domain and name."""
    supported: dict[tuple[str, str], dict[int, CheckedVersion]] = {}
    for version in checked.versions:
        spec = version.spec
        of_operator = supported.setdefault((spec.domain, spec.operator), {})
        of_operator[spec.since_version] = version
    names = {*supported, *_indexed(checked.indexes)}
    return [
        _history(domain, operator, supported.get((domain, operator), {}), checked)
        for domain, operator in sorted(names)
    ]


def _indexed(indexes: Mapping[str, DomainIndex]) -> Iterable[tuple[str, str]]:
    return ((domain, name) for domain, index in indexes.items() for name in index.operators)


def _history(
    domain: str, operator: str, supported: Mapping[int, CheckedVersion], checked: Checked
) -> OperatorHistory:
    index = checked.indexes.get(domain)
    entry: Published | None = index.operators.get(operator) if index else None
    numbers = entry.versions if entry else tuple(sorted(supported))
    deprecated = entry.deprecated if entry else ()
    if supported:
        package = page_name(next(iter(supported.values())))
    else:
        package = "/".join(filter(None, (domain_package(domain), snake_case(operator))))
    opset = index.opset if index else None
    return OperatorHistory(domain, operator, package, numbers, deprecated, opset, supported)
