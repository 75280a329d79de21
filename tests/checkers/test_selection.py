"""``--operators`` takes the tests of the operators that it names, and generic ones."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from opmill._runtime.versions import MODULES
from selection import OPERATORS, leading, parsed

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def test_an_operator_that_is_not_supported():
    assert parsed("Tile, Cast") == {"Tile", "Cast"}
    assert parsed("") == frozenset()
    with pytest.raises(pytest.UsageError, match="Tiel is not supported; did you mean Tile"):
        parsed("Tile Tiel")


def test_a_version_leads_until_a_later_one_has_its_rules():
    assert {("Tile", "1"), ("Tile", "13")} <= leading()  # Tile-1 repeats along one axis
    assert ("Tile", "6") not in leading()
    newest = {(domain, name): str(number) for domain, name, number in sorted(MODULES)}
    assert {(name, number) for (_, name), number in newest.items()} <= leading()


@pytest.fixture(scope="module")
def collected() -> Counter[str]:
    """The number of tests of each module with ``--operators Tile``, and the names of them all."""
    paths = [
        "generated/tests",
        "tests/base/test_names.py",
        "tests/differential/test_calls.py",
        "tests/families/test_oracles_conv_transpose.py",
        "tests/write/test_determinism.py",
    ]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--co", "--operators", "Tile", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [line for line in result.stdout.splitlines() if "::" in line]
    return Counter(part for name in names for part in {name, name.partition("::")[0]})


def test_the_versions_of_the_operator_alone(collected: Counter[str]):
    tests = {name for name in collected if name.startswith("generated/") and "::" in name}
    assert len(tests) >= 4 * 3
    assert all("[Tile-" in name for name in tests)


def test_versions_among_parameters(collected: Counter[str]):
    labels = {f"{name}-{number}" for _, name, number in MODULES}
    calls = [name for name in collected if "::test_calls[" in name]
    assert calls
    assert {label for label in labels for name in calls if f"[{label}-" in name} == {
        label for label in labels if label.startswith("Tile-")
    }


def test_generic_and_slow_tests(collected: Counter[str]):
    assert collected["tests/base/test_names.py"] > 3
    assert collected["tests/write/test_determinism.py"] == 0
    assert collected["tests/families/test_oracles_conv_transpose.py"] == 0


def test_names_are_those_of_operators():
    assert {"Tile", "ConvTranspose"} <= OPERATORS
