"""``opmill corpus``: the differences of two corpora, and editions."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click

from opmill_gen.base.plain_file import replace_plain
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.corpus_edition import (
    archive_bytes,
    changes,
    corpus_content,
    digests_of,
    operator_texts,
    read_record,
    refuse_edition,
    write_record,
)
from opmill_gen.cli.options import json_option, print_json, reported
from opmill_gen.emit.corpus.layout import HEAD, NEXT

_HEADS = ("example ", "reject ")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


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
    """Compare, verify and pack corpora of cases."""


_folder = click.argument(
    "folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER"
)


@corpus_group.command("verify")
@_folder
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The record of an edition: if it is in force, the corpus must be that edition.",
)
@reported
def verify_corpus_command(folder: Path, record: Path | None) -> None:
    """Compare the files of a corpus with their digests.

    The exit code is 1 if the corpus is not the edition of the record.
    """
    content = corpus_content(folder)
    click.echo(f"{folder}: files: {len(content)}, each with its digest")
    if record is None:
        return
    edition = read_record(record)
    if edition.name is None:
        click.echo("edition: next, the first one")
        return
    found = changes(edition.digests, digests_of(content))
    if not edition.in_force:
        click.echo(f"edition: next, files that differ from {edition.name}: {len(found)}")
    elif found:
        click.echo("\n".join(found))
        raise click.ClickException(
            f"the corpus is not edition {edition.name}, which is published and never changes; "
            "undo the changes of its cases, or begin the next edition with 'opmill corpus record "
            f"{folder} {NEXT} --record {record}'. 'opmill corpus diff' of the edition's archive "
            "and this folder lists the cases"
        )
    else:
        click.echo(f"edition: {edition.name}")


@corpus_group.command("record")
@_folder
@click.argument("edition")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The record, a file of digests.",
)
@reported
def record_corpus_command(folder: Path, edition: str, record: Path) -> None:
    """Record that a corpus is EDITION, as 2026.1, or that the next edition is in preparation.

    The record of an edition has the digest of every file. It refuses a name that is not after
    that of the edition before.
    """
    found = write_record(record, edition, corpus_content(folder))
    state = f"edition {found.name}" if found.in_force else "the next edition is in preparation"
    click.echo(f"{record}: {state}, digests: {len(found.digests)}")


@corpus_group.command("archive")
@_folder
@click.option("--edition", default=NEXT, show_default=True, help="The name of the edition.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The archive; by default opmill-corpus-EDITION.tar.gz.",
)
@reported
def archive_corpus_command(folder: Path, edition: str, output: Path | None) -> None:
    """Pack a corpus as one archive, with the SHA-256 of every file."""
    refuse_edition(edition)
    path = output if output is not None else Path(f"opmill-corpus-{edition}.tar.gz")
    content = archive_bytes(corpus_content(folder), edition)
    replace_plain(path, content)
    click.echo(f"{path}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


@corpus_group.command("diff")
@click.argument("old", type=click.Path(path_type=Path, exists=True), metavar="OLD")
@click.argument("new", type=click.Path(path_type=Path, exists=True), metavar="NEW")
@json_option
@reported
def diff_corpora_command(old: Path, new: Path, as_json: bool) -> None:
    """List the cases in which two corpora differ, each a folder or an archive.

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


def _cases(corpus: Path) -> dict[Key, tuple[str, ...]]:
    """The lines of every case of a corpus, with those of its version and errata behind them."""
    found: dict[Key, tuple[str, ...]] = {}
    for name, text in operator_texts(corpus).items():
        found.update(_cases_of(f"{corpus}/{name}", text))
    return found


def _cases_of(name: str, text: str) -> Iterator[tuple[Key, tuple[str, ...]]]:
    head, *blocks = text.split("\n\n")
    if not head.startswith(f"{HEAD}\n") or blocks[-1:] != ["end\n"]:
        raise Mistake(f"{name} is no corpus, expected '{HEAD}' in front and 'end' behind")
    operator = " ".join(head.split("\n")[1].split(" ")[1:])
    accuracy: dict[int, tuple[str, ...]] = {}
    errata: dict[tuple[int, str], tuple[str, ...]] = {}
    for block in blocks[:-1]:
        first, *lines = block.split("\n")
        if first.startswith("version "):
            accuracy[int(first.split(" ")[1])] = tuple(lines)
            continue
        numbers = list(map(int, lines[0].split(" ")[1:]))
        if first.startswith("erratum "):
            (erratum,) = _QUOTED.findall(first)
            errata.update({(number, erratum): (first, *lines[1:]) for number in numbers})
        elif first.startswith(_HEADS):
            kind, _, case = first.partition(" ")
            own = next((one for one in lines if one.startswith("repeated ")), "")
            bases = next((one for one in lines if one.startswith("rests_on ")), "")
            for number in numbers:
                key = Key(operator, number, kind, case, own.removeprefix("repeated "))
                rests = (errata.get((number, one), ()) for one in _QUOTED.findall(bases))
                yield key, (*lines[1:], *accuracy[number], *chain.from_iterable(rests))


def _shortened(line: str) -> str:
    return line if len(line) <= 160 else f"{line[:160]}..."
