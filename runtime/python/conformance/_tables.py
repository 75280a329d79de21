"""Finds the tables of examples and rejects, which are generated as tests of this package.

In a checkout they are in ``generated/tests``; an installed package has a copy beside this file, as
a folder or an archive.
They are modules of their own, beside the packages ``opmill_checks`` and ``oracles``.
"""

from __future__ import annotations

import importlib
import sys
import threading
from pathlib import Path
from types import ModuleType

from opmill._runtime.carried import unpacked
from opmill._runtime.errors import Error
from opmill._runtime.versions import MODULES

_importing = threading.RLock()


def folder() -> Path:
    """The folder that holds the tables.

    Raises:
        Error: it is missing.
    """
    here = Path(__file__).resolve().parent
    archive = here / "tables.tar.gz"
    if archive.is_file():
        return unpacked(archive)
    folders = (here / "tables", here.parents[2] / "tests")
    for candidate in folders:
        if (candidate / "opmill_checks").is_dir():
            return candidate
    raise Error(
        f"the tables of examples are missing, expected in {folders[0]} or {folders[1]}; "
        "install opmill again"
    )


def provide() -> None:
    """Make ``opmill_checks`` and the tables importable."""
    tables = str(folder())
    if tables not in sys.path:
        sys.path.append(tables)


def table(domain: str, operator: str) -> ModuleType:
    """The module with ``VERSIONS``, ``EXAMPLES`` and ``REJECTS`` of an operator of this package."""
    own = (name for (home, one, _), name in MODULES.items() if (home, one) == (domain, operator))
    module = next(own)
    with _importing:
        provide()
        return importlib.import_module("test_" + "_".join(module.split(".")[1:-1]))
