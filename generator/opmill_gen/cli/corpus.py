"""``opmill corpus diff``: which cases of two corpora differ, and in which line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.options import json_option, print_json, reported

_HEADS = ("example ", "reject ")
_FIRST = "corpus 1"


class Key(NamedTuple):
    """Identity of a case of a version: its kind, its name, and the type in which it is repeated."""

    operator: str
    version: int
    kind: str
    name: str
    repeated: str

    def __str__(self) -> str:
        repeated = f" ({self.repeated})" if self.repeated else ""
        return f"{self.operator}-{self.version}: {self.kind} {self.name}{repeated}"


class Change(NamedTuple):
    """A difference of two corpora: added, removed or changed, and the first lines that differ."""

    what: str
    case: str
    old: str
    new: str


@click.group("corpus")
def corpus_group() -> None:
    """Compare corpora of examples and rejects."""


@corpus_group.command("diff")
@click.argument("old", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="OLD")
@click.argument("new", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="NEW")
@json_option
@reported
def diff_corpora_command(old: Path, new: Path, as_json: bool) -> None:
    """List the cases in which two corpora differ.

    A case is one of a version: an example, in each type in which it is repeated, or a reject. The
    exit code is 1 if there is a difference.
    """
    changes = list(differences(_cases(old), _cases(new)))
    counts = {
        what: sum(one.what == what for one in changes) for what in ("added", "removed", "changed")
    }
    if as_json:
        print_json({"ok": not changes, **counts, "changes": [one._asdict() for one in changes]})
    else:
        for one in changes:
            click.echo(f"{one.what}: {one.case}")
            if one.what == "changed":
                click.echo(f"  - {_shortened(one.old)}\n  + {_shortened(one.new)}")
        click.echo(", ".join(f"{what}: {count}" for what, count in counts.items()))
    if changes:
        sys.exit(1)


def differences(
    old: dict[Key, tuple[str, ...]], new: dict[Key, tuple[str, ...]]
) -> Iterator[Change]:
    """Yield the differences of two corpora, by operator, version and case.

    Args:
        old: the lines of each case of one.
        new: those of the other.
    """
    for key in sorted({*old, *new}):
        if key not in old or key not in new:
            yield Change("added" if key not in old else "removed", str(key), "", "")
        elif old[key] != new[key]:
            count = max(len(old[key]), len(new[key]))
            before, after = (lines + ("",) * (count - len(lines)) for lines in (old[key], new[key]))
            first = next(k for k in range(count) if before[k] != after[k])
            yield Change("changed", str(key), before[first], after[first])


def _cases(folder: Path) -> dict[Key, tuple[str, ...]]:
    """The lines of every case of a corpus, with the tolerances of its version behind them."""
    index = folder / "index.txt"
    lines = index.read_text("utf-8").splitlines() if index.is_file() else []
    if lines[:1] != [_FIRST]:
        raise Mistake(f"{index} is no index of a corpus, expected a file that begins '{_FIRST}'")
    found: dict[Key, tuple[str, ...]] = {}
    for line in lines[1:]:
        found.update(_cases_of(folder / line.split(" ")[1]))
    return found


def _cases_of(path: Path) -> Iterator[tuple[Key, tuple[str, ...]]]:
    try:
        head, *blocks = path.read_text("utf-8").split("\n\n")
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {error.strerror}") from None
    if not head.startswith(f"{_FIRST}\n") or blocks[-1:] != ["end\n"]:
        raise Mistake(f"{path} is no corpus, expected '{_FIRST}' in front and 'end' behind")
    operator = " ".join(head.split("\n")[1].split(" ")[1:])
    accuracy: dict[int, tuple[str, ...]] = {}
    for block in blocks[:-1]:
        first, *lines = block.split("\n")
        if first.startswith("version "):
            accuracy[int(first.split(" ")[1])] = tuple(lines)
        elif first.startswith(_HEADS):
            kind, _, name = first.partition(" ")
            own = next((one for one in lines if one.startswith("repeated ")), "")
            for number in map(int, lines[0].split(" ")[1:]):
                key = Key(operator, number, kind, name, own.removeprefix("repeated "))
                yield key, (*lines[1:], *accuracy[number])


def _shortened(line: str) -> str:
    return line if len(line) <= 160 else f"{line[:160]}..."
