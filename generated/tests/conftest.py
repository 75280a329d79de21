"""Runs every test of an operator version on each backend that computes it here.

A native module that was built of other sources than lie beside these tests would be tested in their
place: then no test runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import opmill
from operator_versions import VERSIONS
from opmill_checks.operators import Key, Table, operator_of, table_of
from opmill_checks.table import Version

LIBRARY = Path(__file__).parents[1] / "c"


def pytest_configure() -> None:
    if "c" in opmill.backends() and LIBRARY.is_dir() and built_of() != sources_of(LIBRARY):
        pytest.exit(
            f"The native module was built of other C sources than those in {LIBRARY}: build it"
            " anew, with 'make generate' or 'pip install --editable .'",
            returncode=pytest.ExitCode.USAGE_ERROR,
        )


def built_of() -> str:
    """The digest that the native module was built with."""
    from opmill import _native

    return _native.sources_sha256


def sources_of(library: Path) -> str:
    """The digest of a C library as the build makes it: of the digests and names of its files."""
    files = [*library.glob("include/**/*.h"), *library.glob("src/**/*.[ch]")]
    names = sorted(file.relative_to(library).as_posix() for file in files)
    digests = [hashlib.sha256((library / name).read_bytes()).hexdigest() for name in names]
    lines = [f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each operator version, on each backend that has it."""
    if "table" in metafunc.fixturenames:
        metafunc.parametrize(
            ("table", "version"),
            [
                pytest.param(key, (key, backend), id=f"{_name(key)}-{backend}")
                for key in VERSIONS
                for backend in operator_of(key).backends
            ],
            indirect=True,
        )


def _name(key: Key) -> str:
    """A version as ``Tile-13``; one of an operator that several domains have, with the domain."""
    domain, operator, number = key
    first = next(home for home, name, _ in VERSIONS if name == operator)
    return f"{operator}-{number}" if domain == first else f"{domain}.{operator}-{number}"


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Table:
    """The cases of an operator."""
    domain, operator, _ = request.param
    return table_of(domain, operator)


@pytest.fixture
def version(request: pytest.FixtureRequest) -> Iterator[Version]:
    """An operator version, computed by one of its backends."""
    (domain, operator, number), backend = request.param
    with opmill.use_backend(backend):
        yield table_of(domain, operator).versions[number]
