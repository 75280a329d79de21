"""Every operator version on each backend: its cases of the corpus, its types and its defaults.

``test_examples[Tile-13-c]`` runs the examples of Tile-13 in C. The judges are in ``opmill_checks``:
``run`` checks one case, ``table`` those of a version.
"""

from __future__ import annotations

from typing import Any

from opmill_checks.operators import Table
from opmill_checks.table import (
    Version,
    check_examples,
    check_rejects,
    check_stated_defaults,
    check_types,
)


def test_examples(version: Version, table: Table, subtests: Any) -> None:
    check_examples(version, table.examples, subtests)


def test_rejects(version: Version, table: Table, subtests: Any) -> None:
    check_rejects(version, table.rejects, subtests)


def test_types(version: Version, table: Table, subtests: Any) -> None:
    check_types(version, table.examples, subtests)


def test_defaults(version: Version, table: Table) -> None:
    check_stated_defaults(version, table.examples)
