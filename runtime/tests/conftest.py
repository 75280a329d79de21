"""Runs every test of an operator version on each backend that computes it here.

A native module that was built of other sources than lie beside these tests would be tested in their
place: then no test runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import opmill
from opmill_checks.interface import label
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
    """Each version of a table, on each backend that has it."""
    versions: Any = getattr(metafunc.module, "VERSIONS", {})
    if "version" in metafunc.fixturenames:
        metafunc.parametrize(
            "version",
            [
                pytest.param((version, backend), id=f"{label(version.operator)}-{backend}")
                for version in versions.values()
                for backend in version.operator.backends
            ],
            indirect=True,
        )


@pytest.fixture
def version(request: pytest.FixtureRequest) -> Iterator[Version]:
    """An operator version of the module's table, computed by one of its backends."""
    version, backend = request.param
    with opmill.use_backend(backend):
        yield version
