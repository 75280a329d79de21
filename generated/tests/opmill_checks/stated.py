"""What a spec states of a version that neither its schema nor its cases have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opmill_checks.compare import Accuracy


@dataclass(frozen=True)
class Stated:
    """What tests know of an operator version.

    Args:
        module: the module of the version.
        oracle: the family's oracle, as ``tile.oracle``; ``None`` where it has none.
        parameters: those of the family that the version binds.
        accuracy: the tolerance of each element type; a type that is not in it is exact.
    """

    module: str
    oracle: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    accuracy: Accuracy = field(default_factory=dict)
