"""Recognises examples that several versions share, which the manual shows once."""

from __future__ import annotations

from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.python.examples import session_text
from opmill_gen.spec.cases import Example

_MARK = "\0"


def anonymous(version: CheckedVersion, module: str, text: str) -> str:
    """A text with a mark in place of the version's number, where that is part of a name."""
    spec, name = version.spec, module.rpartition(".")[2]
    number = str(spec.since_version)
    for before, after in (
        (f"{version.c_package}_{number}", f"{version.c_package}_{_MARK}"),
        (f"{version.c_package.upper()}_{number}", f"{version.c_package.upper()}_{_MARK}"),
        (spec.label, f"{spec.operator}-{_MARK}"),
        (f" {name}\\n", f" {_MARK}\\n"),
        (f" {name}\n", f" {_MARK}\n"),
        (f"{name}.", f"{_MARK}."),
        (f'("{spec.operator}", {number}', f'("{spec.operator}", {_MARK}'),
    ):
        text = text.replace(before, after)
    return text


def example_key(version: CheckedVersion, module: str, example: Example) -> tuple[str, ...]:
    """Key under which versions with identical examples are grouped."""
    return (example.name, anonymous(version, module, session_text(version, example, module)))
