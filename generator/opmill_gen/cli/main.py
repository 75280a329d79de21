"""The command line: the group of all commands, whose modules are imported when they are called.

Exit codes: 0 all is well; 1 a check found a difference; 2 the input or the call has faults.

What takes long to import, or comes with the extra ``generator`` alone, is imported by the command
that needs it.
"""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "check": "check.check_command",
    "compare": "compare.compare_command",
    "compile": "compile.compile_command",
    "conformance": "conformance.conformance_command",
    "convert": "convert.convert_command",
    "corpus": "corpus.corpus_group",
    "diff": "inspect.diff_command",
    "export": "conformance.export_command",
    "fuzz": "fuzz.fuzz_command",
    "generate": "generate.generate_command",
    "import": "author.import_command",
    "inspect": "model.inspect_command",
    "list": "inspect.list_command",
    "new": "author.new_command",
    "news": "news.news_command",
    "run": "model.run_command",
    "schema": "generate.schema_command",
    "show": "inspect.show_command",
    "verify": "verify.verify_command",
    "version": "version.version_command",
}
"""Every command, and the function in a module of this package that it is."""


class _Commands(click.Group):
    """Imports the module of a command when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            for name in COMMANDS:  # click suggests those that it has
                self.commands[name] = self._imported(name)
            return None
        return self._imported(cmd_name)

    @staticmethod
    def _imported(cmd_name: str) -> click.Command:
        module, _, function = COMMANDS[cmd_name].partition(".")
        command = getattr(importlib.import_module(f"opmill_gen.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="opmill")
def main() -> None:
    """Run, convert, compile and check ONNX models; generate operators from specs."""
