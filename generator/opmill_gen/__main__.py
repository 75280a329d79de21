"""The command line ``opmill``, also as ``python -m opmill_gen``.

A wheel has the generator's code and not what it depends on: that is the extra ``generator``.
"""

import sys

from opmill_gen.base.hints import install_command


def main() -> None:
    """Run the command line, or print what to install where a package that it needs is missing."""
    try:
        from opmill_gen.cli.main import main as command_line
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "opmill_gen"):
            raise
        sys.exit(
            f"Error: the command line needs the package {package}; install it with: "
            f"{install_command(package, 'generator')}"
        )
    command_line(prog_name="opmill")


if __name__ == "__main__":
    main()
