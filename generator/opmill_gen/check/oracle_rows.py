"""The rows of a family that specs name, against the tables of ``oracle.py``.

The kernels take a row from ``rows.yaml``, which binding a parameter checks. What the tests compute
it with is code: without an entry there, every test of the operator would fail.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from opmill_gen.base.diagnostics import Location
from opmill_gen.check.result import CheckedVersion
from opmill_gen.spec.family import Family
from opmill_gen.yaml_reader.decode import Faults


@dataclass(frozen=True)
class _Table:
    """The words that a file has entries for, and the place of the first."""

    location: Location
    words: frozenset[str]


def check_oracle_rows(versions: Sequence[CheckedVersion], faults: Faults) -> None:
    """Report each row that versions name and an oracle of their family lacks."""
    families = {v.instance.family.name: v.instance.family for v in versions}
    for family in families.values():
        rows = _rows(family, versions)
        for table in _tables(family) if rows else ():
            for word, labels in rows.items():
                if word not in table.words:
                    faults.report(
                        table.location,
                        f"'{word}' is missing, expected an entry for every row of rows.yaml that "
                        f"a spec names ({_listed(labels)})",
                    )


def _rows(family: Family, versions: Sequence[CheckedVersion]) -> dict[str, list[str]]:
    """The rows that versions of a family name, with the labels of these versions."""
    rows: dict[str, list[str]] = {}
    known = family.document.parameters
    for version in versions:
        if version.instance.family is family:
            for name, value in version.instance.parameters:
                if known[name].rows:
                    rows.setdefault(str(value), []).append(version.spec.label)
    return rows


def _tables(family: Family) -> Iterator[_Table]:
    """Rows that the family's oracles have entries for, where they have a table of its rows."""
    if family.oracle_text is not None:
        yield from _python_table(f"{family.folder}/oracle.py", family.oracle_text, family.rows)


def _python_table(path: str, text: str, rows: Mapping[str, object]) -> Iterator[_Table]:
    """The dictionaries of a file that are keyed by rows; none where one takes in another."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # rendering reports it
    words: set[str] = set()
    first: ast.Dict | None = None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict):
            continue
        keys = (key.value for key in node.keys if isinstance(key, ast.Constant))
        found = {key for key in keys if isinstance(key, str) and key in rows}
        if found and None in node.keys:
            return  # its other entries are not in sight
        words |= found
        first = first or (node if found else None)
    if first is not None:
        yield _Table(Location(path, first.lineno, first.col_offset + 1), frozenset(words))


def _listed(labels: Sequence[str]) -> str:
    more = len(labels) - 1
    return labels[0] + (f" and {more} more" if more else "")
