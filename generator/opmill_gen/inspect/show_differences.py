"""Two versions of an operator side by side in the terminal: ``opmill diff``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from opmill_gen.inspect.version_diff import Piece, Row, Section, Status, changes_on_the_way, compare
from opmill_gen.spec.operator_version import OperatorVersion

_WIDTH = 160
_OLD, _NEW = "bold red", "bold green"
_SIGNS = {Status.SAME: " ", Status.CHANGED: "~", Status.ADDED: "+", Status.REMOVED: "-"}


def show_differences(
    versions: Sequence[OperatorVersion],
    old: OperatorVersion,
    new: OperatorVersion,
    console: Console,
    *,
    everything: bool = False,
    sides: tuple[str, str] | None = None,
) -> None:
    """Print what differs between two of an operator's versions.

    Args:
        versions: all versions of the operator: the changes in meaning of each are listed.
        old: the version on the left.
        new: the version on the right.
        console: where to print; where it has no colour, [-words-] and {+words+} mark the changes.
        everything: print the parts that are the same in both too.
        sides: the titles of the columns; the labels of the versions where absent.
    """
    left, right = sides or (old.label, new.label)
    changes = changes_on_the_way(versions, old, new)
    if changes:
        backwards = old.since_version > new.since_version
        undone = f", each undone on the way back to {new.since_version}" if backwards else ""
        console.print(Text(f"Changes in meaning{undone}", style="bold"))
        for version, change in changes:
            text = f"  {version.since_version}: {change.what} (shown by: {change.shown_by})"
            console.print(Text(text), soft_wrap=console.width >= _WIDTH)
        console.print()
    sections = [s for s in compare(old, new) if everything or s.differs]
    if not sections:
        console.print("The published facts and our prose are the same.")
    plain = console.color_system is None
    for section in sections:
        console.print(_table(section, left, right, everything, plain), no_wrap=False)
        console.print()


def _table(section: Section, old: str, new: str, everything: bool, plain: bool) -> Table:
    table = Table(
        "", section.title, old, new, width=None, box=None, padding=(0, 2, 0, 0), pad_edge=False
    )
    table.columns[2].ratio = table.columns[3].ratio = 1
    for column in table.columns:
        column.overflow = "fold"
    for row in section.rows:
        if everything or row.status is not Status.SAME:
            table.add_row(
                _SIGNS[row.status],
                Text(row.name, style="bold"),
                _side(row.old, row, _OLD, "[-", "-]", plain),
                _side(row.new, row, _NEW, "{+", "+}", plain),
            )
    return table


def _side(
    pieces: tuple[Piece, ...] | None, row: Row, style: str, start: str, end: str, plain: bool
) -> Text:
    text = Text()
    for piece in pieces or ():
        marked = piece.changed and row.status is Status.CHANGED
        if marked and plain:
            text.append(f"{start}{piece.text}{end}")
        else:
            text.append(piece.text, style=style if piece.changed else "")
    return text
