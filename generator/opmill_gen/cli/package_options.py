"""The options of ``opmill generate`` that make a package of one's own, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from opmill_gen.base.names import MAIN_DOMAIN, is_domain
from opmill_gen.base.package_rename import OPMILL, package_problem
from opmill_gen.emit.settings import FIRST_VERSION, Settings
from opmill_gen.load.sources import Sources

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))?\Z")


def own_package_options(command: CommandT) -> CommandT:
    """Add the options to a command."""
    for option in (
        click.option(
            "--home",
            metavar="DOMAIN",
            help="The domain whose operators are in the package itself, not in a subpackage; "
            "by default the only domain that has specs, or ai.onnx.",
        ),
        click.option(
            "--package-version",
            metavar="VERSION",
            help=f"Its version, as 1.2.0.  [default: {FIRST_VERSION}]",
        ),
        click.option(
            "--package", metavar="NAME", help="The name of a package of your own, as my_operators."
        ),
    ):
        command = option(command)
    return command


def own_settings(
    sources: Sources, package: str | None, package_version: str | None, home: str | None
) -> Settings:
    """Settings that the options request.

    Raises:
        click.UsageError: the package, its version or its domain cannot be called so.
    """
    if package is None or package == OPMILL:
        if package_version is not None or home is not None:
            raise click.UsageError(
                "--package-version and --home are for a package of your own; say --package NAME too"
            )
        return Settings()
    problem = package_problem(package)
    if problem is not None:
        raise click.UsageError(problem)
    version = package_version or FIRST_VERSION
    if not _VERSION.match(version):
        raise click.UsageError(f"'{version[:40]}' is no version; write it as 1.2.0")
    if home is not None and not is_domain(home):
        raise click.UsageError(f"'{home[:40]}' is no domain; write it as com.example.vision")
    return Settings(package, home or _only_domain(sources), version)


def _only_domain(sources: Sources) -> str:
    """The domain of the specs where there is one, else ai.onnx."""
    if not sources.specs.is_dir():
        return MAIN_DOMAIN
    domains = [path.name for path in sources.specs.iterdir() if any(path.glob("*/*.yaml"))]
    return domains[0] if len(domains) == 1 else MAIN_DOMAIN
