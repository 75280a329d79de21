"""The versions that cases and errata apply to, and faults of cases that several versions share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opmill_gen.base.diagnostics import Diagnostic, listing
from opmill_gen.load.operator_files import Entry, OperatorFiles
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.decode import Faults


def check_ranges(files: OperatorFiles, faults: Faults) -> None:
    """Check the range of every item against the versions of the operator.

    Items are read only where a range is wrong.
    """
    if not files.numbers:
        return  # which is reported
    for file in files.files:
        earlier: dict[tuple[str, str], list[int]] = {}
        for position, entry in enumerate(file.entries):
            for key, message in _range_problems(entry, files.numbers):
                faults.report(file.all_items[position].at(key), message)
            same = earlier.setdefault((entry.key, entry.digest), [])
            for other in same:
                if _touch(file.entries[other], entry):
                    faults.report(
                        file.all_items[position].location,
                        f"is the same as on line {file.all_items[other].location.line}; give one "
                        "of the two the versions of both, and remove the other",
                    )
            same.append(position)


def _range_problems(entry: Entry, numbers: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Find the fault of a range, and the key that it is in."""
    known = listing(map(str, numbers))
    for key, number in (("since", entry.since), ("before", entry.before)):
        if number is not None and number not in numbers:
            yield key, f"there is no version {number} beside this file, expected {known}"
    first = numbers[0] if entry.since is None else entry.since
    if entry.before is not None and entry.before <= first:
        later = [number for number in numbers if number > first]
        rest = f"expected {listing(map(str, later))}" if later else "leave it out"
        yield (
            "before",
            f"before is {entry.before}, so that this applies to no version; "
            f"it begins with {first}, {rest}",
        )


def _touch(one: Entry, other: Entry) -> bool:
    """Return whether two ranges overlap, or the one ends where the other begins."""
    return _starts_in(one, other) or _starts_in(other, one)


def _starts_in(one: Entry, other: Entry) -> bool:
    start = one.since or 0
    return (other.since or 0) <= start and (other.before is None or start <= other.before)


def merged_faults(
    files: OperatorFiles, found: Sequence[tuple[OperatorVersion, Sequence[Diagnostic]]]
) -> Iterator[Diagnostic]:
    """The faults of an operator's cases, once each.

    One that is not in all versions which the case applies to begins with those that it is in.
    """
    versions: dict[Diagnostic, list[OperatorVersion]] = {}
    for spec, faults in found:
        for fault in dict.fromkeys(faults):
            versions.setdefault(fault, []).append(spec)
    for fault, specs in versions.items():
        item = files.item_at(fault.location)
        applies = [n for n in files.numbers if item is None or item.applies_to(n)]
        if item is None or len(specs) == len(applies):
            yield fault
        else:
            labels = ", ".join(spec.label for spec in specs)
            yield Diagnostic(fault.location, f"{labels}: {fault.message}")
