"""The command line ``opmill``, also as ``python -m opmill_gen``.

A wheel has the code of all commands and not what they depend on: that are the extras ``cli`` and
``generator``.
"""

import io
import sys

from opmill_gen.base.needs import missing_package


def main() -> None:
    """Run the command line, or print what to install where a package that it needs is missing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may not be text
    try:
        from opmill_gen.cli.main import main as command_line

        command_line(prog_name="opmill")
    except ModuleNotFoundError as error:
        message = missing_package("the command line", error)
        if message is None:
            raise
        sys.exit(f"Error: {message}")


if __name__ == "__main__":
    main()
