"""A package of one's own: what templates and families write for opmill, under another name.

Templates, families and the C runtime are written for the package opmill: its modules, the prefix
of its C names, its headers, macros and environment variables. A package of another name gets all of
them under that name, so that both can be imported by one process and linked into one program.
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import PurePosixPath

from opmill_gen.base.banner import COMMAND, MARK
from opmill_gen.base.wrap import wrapped

OPMILL = "opmill"
_PACKAGE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_MAX_LENGTH = 40
_NEEDED = frozenset(("numpy", "ml_dtypes", "onnx", "pytest", "tests"))


def package_problem(name: str) -> str | None:
    """Why a package cannot be called so; ``None`` where it can."""
    if not _PACKAGE.match(name) or keyword.iskeyword(name) or len(name) > _MAX_LENGTH:
        return (
            f"'{name[:40]}' cannot name a package; use lower-case letters and digits, and "
            "underscores between them"
        )
    if name in _NEEDED or name in sys.stdlib_module_names:
        return f"'{name}' is another package's name; choose one that is free"
    if OPMILL in name and name != OPMILL:
        return f"'{name}' holds the name '{OPMILL}', which is replaced by it; choose another"
    return None


def mentions(text: str) -> bool:
    """Return whether a text holds the name that is replaced."""
    return OPMILL in text.lower()


def renamed_path(path: PurePosixPath, package: str) -> PurePosixPath:
    """A path of the output, as the package has it."""
    return PurePosixPath(path.as_posix().replace(OPMILL, package))


def renamed_text(text: str, package: str, *, is_code: bool = False) -> str:
    """The text of a file, as the package has it; lines that say who made the file stay.

    Arguments that stand below an opening parenthesis stay below it, and lines of code that have
    become too long are broken.
    """
    lines: list[str] = []
    parentheses: list[tuple[int, int]] = []
    for line in text.split("\n"):
        if MARK in line:
            lines.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        shift = 0
        if indent and parentheses and parentheses[-1][0] + 1 == indent:
            shift = parentheses[-1][1] - parentheses[-1][0]
        new = " " * max(indent + shift, 0) + _renamed(line[indent:], package)
        hang = 0 if parentheses else 8
        _follow(line, shift, package, parentheses)
        continued = bool(lines) and lines[-1].endswith("\\")
        whole = new.lstrip().startswith("*") or new.endswith("\\") or continued  # comments, macros
        lines += [new] if whole or not is_code else wrapped(new, hang)
    return "\n".join(lines)


def _renamed(text: str, package: str) -> str:
    command = f"'{OPMILL} generate'"
    parts = text.replace(f"'{COMMAND}'", command).split(command)
    return command.join(
        part.replace(OPMILL, package)
        .replace(OPMILL.upper(), package.upper())
        .replace(OPMILL.capitalize(), package)  # at the beginning of a sentence
        for part in parts
    )


def _follow(line: str, shift: int, package: str, open_: list[tuple[int, int]]) -> None:
    """Note where the parentheses of a line open, before and after it is renamed."""
    indent = len(line) - len(line.lstrip(" "))
    for column in range(indent, len(line)):
        if line[column] == "(":
            before = _renamed(line[indent:column], package)
            open_.append((column, indent + shift + len(before)))
        elif line[column] == ")" and open_:
            open_.pop()
    if not line.strip():
        open_.clear()
