"""The cases of an operator version, by the version's module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from opmill._runtime.versions import MODULES
from opmill_checks.case import Example, Reject
from opmill_checks.operators import table_of
from opmill_checks.table import Version


@dataclass(frozen=True)
class Tables:
    """An operator version with its cases."""

    version: Version
    examples: Sequence[Example]
    rejects: Sequence[Reject]


@cache
def tables_of(module: str) -> Tables:
    """The cases of the version that a module has, as ``opmill.tile.v13``."""
    (domain, operator, number) = _KEYS[module]
    table = table_of(domain, operator)
    version = table.versions[number]
    return Tables(version, version.cases_of(table.examples), version.cases_of(table.rejects))


_KEYS = {module: key for key, module in MODULES.items()}
