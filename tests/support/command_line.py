"""A call of the command line in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from opmill_gen.cli import main as cli


def call(*arguments: str) -> Result:
    """Run a command; errors have to be exit codes, never tracebacks."""
    result = CliRunner().invoke(cli.main, arguments, prog_name="opmill")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result
