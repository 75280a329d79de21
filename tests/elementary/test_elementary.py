"""The elementary functions beside mpmath and the machine's C library, on samples; the numbers of
the long runs; the tables in the C sources, which the script must give."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from c_library import compiler

from . import fit
from .library import RECORD, Functions, digests, measured, measuring_program
from .samples import FUNCTIONS, error, worst_of_double, worst_of_pow

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Functions]:
    folder = tmp_path_factory.mktemp("elementary")
    command = (compiler() or "cc", "-O1")
    return measuring_program(command, folder), Functions(command, folder)


@needs_compiler
@pytest.mark.parametrize("name", FUNCTIONS)
def test_samples(built: tuple[Path, Functions], name: str) -> None:
    program, functions = built
    assert measured(program, name, 500_009)["error"] <= 1
    assert worst_of_double(functions, name, 100, 2)["error"] <= 2


@needs_compiler
def test_samples_of_pow(built: tuple[Path, Functions]) -> None:
    _, functions = built
    assert worst_of_pow(functions, np.float32, 300, 2)["error"] <= 1
    assert worst_of_pow(functions, np.float64, 300, 2)["error"] <= 2


@needs_compiler
@pytest.mark.parametrize("narrow", [np.float32, np.float64])
def test_special_values_of_pow(built: tuple[Path, Functions], narrow: type) -> None:
    """NumPy's pow of doubles, which is the C library's, knows all cases of IEEE 754."""
    _, functions = built
    values = [
        0.0,
        0.5,
        1.0,
        2.0,
        2.5,
        3.0,
        1e30,
        16777215.0,
        4503599627370497.0,
        math.inf,
        math.nan,
    ]
    values += [-value for value in values]
    x, y = (grid.ravel().astype(narrow) for grid in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(narrow)
    result = functions("pow", x, y)
    np.testing.assert_array_max_ulp(result, expected, 1)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])


def test_errors_are_in_units_of_the_last_place() -> None:
    one_up = math.nextafter(1.0, 2.0)
    assert error(one_up, mp.mpf(1), 53, -1074, 1024) == 1
    assert error(1.0, mp.mpf(1) - mp.mpf(2) ** -54, 53, -1074, 1024) == 0.5
    assert error(5e-324, mp.mpf(2) ** -1074 / 4, 53, -1074, 1024) == 0.75
    assert error(math.inf, mp.mpf(2) ** 1024, 53, -1074, 1024) == 0
    assert error(math.nan, mp.mpf(1), 53, -1074, 1024) == math.inf
    assert error(-0.0, mp.mpf(0), 53, -1074, 1024) == 0
    assert error(5e-324, mp.mpf(0), 53, -1074, 1024) == math.inf
    assert error(-math.inf, -mp.inf, 53, -1074, 1024) == 0
    assert error(1e308, mp.inf, 53, -1074, 1024) == math.inf


@pytest.mark.parametrize("name", [*FUNCTIONS, "pow"])
def test_record(name: str) -> None:
    """The long run saw the function as it is: its results have the same digests."""
    entry = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    assert entry["digests"] == digests()[name], (
        f"run 'python -m elementary.measure --record {name}'"
    )
    assert entry["float"]["error"] <= 1
    assert entry["double"]["error"] <= 2


@pytest.mark.parametrize("name", [*FUNCTIONS, "pow"])
def test_errors_that_the_header_states(name: str) -> None:
    entry = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    text = (fit.FOLDER / "math.h").read_text(encoding="utf-8")
    stated = re.search(rf"\b{name}\b(?:, \w+)*:? +(\d\.\d+),? +(\d\.\d+)", text)
    assert stated is not None
    assert entry["float"]["error"] <= float(stated[1]) <= 1
    assert entry["double"]["error"] <= float(stated[2]) <= 2


@pytest.mark.deep
def test_tables_are_what_the_script_computes() -> None:
    for name, text in fit.headers().items():
        assert (fit.FOLDER / name).read_text(encoding="utf-8") == text
