"""The generated tables of an operator version, by the version's module."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from opmill_checks.case import Example, Reject
from opmill_checks.table import Version


@dataclass(frozen=True)
class Tables:
    """The tables from which the generated tests of one operator version are rendered."""

    version: Version
    examples: Sequence[Example]
    rejects: Sequence[Reject]


@cache
def tables_of(module: str) -> Tables:
    """The tables of the version that a module holds: of ``opmill.tile.v13``."""
    _, *folders, number = module.split(".")
    tables = importlib.import_module("_".join(("test", *folders)))
    version: Version = tables.VERSIONS[int(number.removeprefix("v"))]
    return Tables(version, version.cases_of(tables.EXAMPLES), version.cases_of(tables.REJECTS))
