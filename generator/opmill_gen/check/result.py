"""What stage 2 gives: operator versions that are right, each with its family and its names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from opmill_gen.check.names import PythonNames
from opmill_gen.rule_language import NotInCError, RuleProgram, emit_c
from opmill_gen.spec.family import Family
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion


@dataclass(frozen=True)
class Instance:
    """A family with its parameters bound: one pair of rules and kernel in the output.

    ``digest`` stands for all that the instance is made from.
    """

    family: Family
    parameters: tuple[tuple[str, str | int | bool], ...]
    program: RuleProgram
    digest: str
    shared_rules: Mapping[str, tuple[str, str]]
    """The helpers that families share: module name -> (path, text)."""

    @cached_property
    def not_in_c(self) -> str | None:
        """Why the rule cannot be had in C; ``None`` where it can."""
        try:
            emit_c(self.program, "family", frozenset())
        except NotInCError as reason:
            return str(reason)
        return None


@dataclass(frozen=True)
class CheckedVersion:
    """An operator version that is right in itself and among its neighbours.

    ``digest`` stands for the whole of it: its text, its place and its family.
    """

    path: str
    spec: OperatorVersion
    names: PythonNames
    instance: Instance
    digest: str
    below: str
    """The subpackage of its domain, empty where that is the package itself."""


@dataclass(frozen=True)
class Checked:
    """The whole input, checked. Versions are sorted by domain, operator and version."""

    versions: tuple[CheckedVersion, ...]
    indexes: dict[str, DomainIndex]
    families: dict[str, Family]
