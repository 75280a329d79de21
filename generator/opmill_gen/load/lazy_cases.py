"""The cases of a spec that nobody may need: read from its text when they are first looked at.

Examples and rejects are most of a spec. A run that finds a spec as it was needs its signature, for
tables and modules that list all versions, and seldom its cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

from opmill_gen.spec.operator_version import OperatorVersion, read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, Items, parse_yaml

CASES = ("examples", "rejects")
"""The keys of a spec that hold cases."""


def without_cases(tree: Entries) -> Entries:
    """The tree of a spec with empty lists of cases."""
    entries = {
        name: Items(value.location, ()) if name in CASES else value
        for name, value in tree.entries.items()
    }
    return Entries(tree.location, entries, tree.keys)


class LaterVersion:
    """A spec that has been read before without a fault, to be read again from the same text."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text

    @cached_property
    def version(self) -> OperatorVersion:
        """The spec with its cases."""
        version = read_document(OperatorVersion, parse_yaml(self._path, self._text), Faults())
        assert isinstance(version, OperatorVersion)
        return version


class LaterCases(Sequence[Any]):
    """The examples or the rejects of such a spec."""

    def __init__(self, later: LaterVersion, name: str) -> None:
        self._later, self._name = later, name

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._cases[index]

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def _cases(self) -> Sequence[Any]:
        cases: Sequence[Any] = getattr(self._later.version, self._name)
        return cases
