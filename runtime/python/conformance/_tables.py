"""Finds the cases of operators, which the generated tests of this package read too.

In a checkout the modules are in ``generated/tests`` and the cases where ``make corpus`` writes
them. An installed package has both beside this file, as folders or archives.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from opmill._runtime.carried import unpacked
from opmill._runtime.errors import Error

if TYPE_CHECKING:
    from opmill_checks.operators import Key, Table

_HERE = Path(__file__).resolve().parent
_TESTS = _HERE.parents[2] / "tests"


def folder() -> Path:
    """The folder of ``opmill_checks``, of oracles and of random calls.

    Raises:
        Error: it is missing.
    """
    return _found("checks.tar.xz", (_HERE / "checks", _TESTS), "opmill_checks", "install it again")


def corpus() -> Path:
    """The folder of the corpus of cases.

    Raises:
        Error: it is missing.
    """
    folders = (_HERE / "corpus", _TESTS / "corpus", _TESTS.parents[1] / "build" / "corpus")
    return _found("corpus.tar.xz", folders, "index.txt", "'make corpus' writes it in a clone")


def _found(archive: str, folders: tuple[Path, ...], inside: str, advice: str) -> Path:
    if (_HERE / archive).is_file():
        return unpacked(_HERE / archive)
    for candidate in folders:
        if (candidate / inside).exists():
            return candidate
    places = " or ".join(map(str, folders))
    raise Error(f"the cases of operators are missing: no {inside} in {places}; {advice}")


def provide() -> None:
    """Make ``opmill_checks`` and the oracles importable."""
    checks = str(folder())
    if checks not in sys.path:
        sys.path.append(checks)


def table(domain: str, operator: str) -> Table:
    """The versions and cases of an operator of this package."""
    provide()
    from opmill_checks.operators import table_of

    return table_of(domain, operator, corpus())


def accuracies() -> Mapping[Key, Mapping[str, tuple[float, float]]]:
    """The tolerances that specs state, by version and element type."""
    provide()
    from operator_versions import VERSIONS

    return {key: stated.accuracy for key, stated in VERSIONS.items()}
