"""The oracles where they are written, in the families, for the tests that judge them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

FAMILIES = Path(__file__).parents[2] / "families"


def oracle_of(family: str) -> Any:
    """The oracle function of a family."""
    spec = importlib.util.spec_from_file_location(
        f"oracle_{family}", FAMILIES / family / "oracle.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.oracle
