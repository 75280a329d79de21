"""Tells how to install what the command line needs: the public packages themselves.

opmill itself need not come from a package index, so that no hint names an extra of it.
"""

from __future__ import annotations


def install_command(package: str, extra: str) -> str:
    """The command that installs the packages of an extra of opmill.

    Args:
        package: the package that is missing, named alone where opmill is not installed itself.
        extra: the extra.
    """
    from importlib.metadata import PackageNotFoundError, requires  # takes long to import

    try:
        lines = requires("opmill") or []
    except PackageNotFoundError:
        lines = []
    marker = f'extra == "{extra}"'
    needs = [line.partition(";")[0].strip() for line in lines if marker in line.replace("'", '"')]
    quoted = [f"'{need}'" for need in sorted(needs)]
    return f"pip install {' '.join(quoted) or package}"
