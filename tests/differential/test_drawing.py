"""Draws depend on the seed alone: not on the folder, nor on the modules that are loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
import constants
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opmill_checks.drawing import choice, happens, integer

RANGES = ((0, 99), (1, 100), (0, 2**32 - 1), (-(2**63), 2**63 - 1), (-500, -101), (-3, 3))

@st.composite
def numbers(draw):
    first = [integer(draw, *ends) for ends in RANGES]
    return [*first, choice(draw, range(1000)), happens(draw, 50)]

@settings(max_examples=300, derandomize=True, database=None, deadline=None,
          suppress_health_check=list(HealthCheck))
@given(numbers())
def show(drawn):
    assert all(least <= one <= most for one, (least, most) in zip(drawn, RANGES))
    print(drawn)

show()
"""


def test_constants_of_loaded_modules_are_not_drawn(tmp_path: Path) -> None:
    """Hypothesis reads the source of loaded modules, those in some folders excepted."""

    def drawn(constants: str) -> str:
        (tmp_path / "constants.py").write_text(f"VALUES = {constants}\n", encoding="utf-8")
        support = HERE.parents[2] / "runtime" / "tests"
        command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(support)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    many = [*range(100, 900), *(2**k + 1 for k in range(7, 63)), *range(-800, -700)]
    without = drawn("[]")
    assert len(set(without.splitlines())) > 200
    assert drawn(repr(many)) == without
