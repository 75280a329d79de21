"""Settings of a run besides its inputs."""

from __future__ import annotations

from dataclasses import dataclass

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.base.package_rename import OPMILL

OPMILL_VERSION = "0.2.0"
"""The version of opmill, as in ``pyproject.toml``: of its package and of its C library."""
FIRST_VERSION = "0.1.0"
"""The default version of a package of one's own."""


@dataclass(frozen=True)
class Settings:
    """Settings of a run besides its inputs.

    Args:
        package: the name of the package; any other than opmill is one of somebody's own.
        home: the domain whose operators stand in the package itself; others have subpackages.
        version: the version of the package and of its C library.
        manual: whether the manual alone is made, for Sphinx. The pages that are committed are for
            reading as they are.
    """

    package: str = OPMILL
    home: str = MAIN_DOMAIN
    version: str = OPMILL_VERSION
    manual: bool = False

    @property
    def compatible(self) -> str:
        """The part of the version that callers of the C library ask for, as 0.1."""
        major, minor = self.version.split(".")[:2]
        return f"{major}.{minor}"

    @property
    def is_own(self) -> bool:
        """True if this is another package than opmill, with what it takes to install it."""
        return self.package != OPMILL
