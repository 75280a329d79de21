"""The errata that cases rest on: each is there, leaves its question open, and meets the case."""

from __future__ import annotations

from collections.abc import Iterator

from opmill_gen.base.diagnostics import suggestion
from opmill_gen.check.cases import CASE_NAME
from opmill_gen.load.operator_files import Entry, OperatorFiles, RangedFile
from opmill_gen.spec.cases import ErratumKind
from opmill_gen.yaml_reader.decode import Faults

_OPEN = ", ".join(kind.value for kind in ErratumKind if kind.is_open)


def check_decisions(files: OperatorFiles, faults: Faults) -> None:
    """Check the names of an operator's errata, and the cases that rest on them.

    Items are read only where one is wrong.
    """
    if not files.readable:
        return  # which is reported
    errata = [
        (file, position, entry)
        for file in files.files
        for position, entry in enumerate(file.entries)
        if entry.named is not None
    ]
    _check_names(files, errata, faults)
    for file in files.files:
        for position, entry in enumerate(file.entries):
            for message in _problems(files, entry, [erratum for _, _, erratum in errata]):
                faults.report(file.all_items[position].at("rests_on"), message)


def _check_names(
    files: OperatorFiles, errata: list[tuple[RangedFile, int, Entry]], faults: Faults
) -> None:
    for number, (file, position, entry) in enumerate(errata):
        name = str(entry.named)
        if not CASE_NAME.match(name):
            faults.report(
                file.all_items[position].at("name"),
                f"'{name[:40]}' cannot name an erratum; use lower-case letters, digits, "
                "spaces, _ and -",
            )
        for other_file, other_position, other in errata[:number]:
            if other.named == name and _meet(files, entry, other):
                line = other_file.all_items[other_position].location.line
                faults.report(
                    file.all_items[position].at("name"),
                    f"the erratum of line {line} has the name '{name[:40]}' in one of these "
                    "versions, expected another name",
                )


def _problems(files: OperatorFiles, case: Entry, errata: list[Entry]) -> Iterator[str]:
    for name in dict.fromkeys(case.rests_on):
        of_name = [erratum for erratum in errata if erratum.named == name]
        meeting = [erratum for erratum in of_name if _meet(files, case, erratum)]
        if not of_name:
            names = sorted({str(erratum.named) for erratum in errata})
            yield f"there is no erratum '{name[:40]}'{suggestion(name, names)}"
        elif not meeting:
            yield f"the erratum '{name}' applies to none of the versions of this case"
        elif not all(erratum.open for erratum in meeting):
            yield (
                f"the erratum '{name}' is clear, expected a kind that is open ({_OPEN}): "
                "where the text is clear, nothing rests on our decision"
            )


def _meet(files: OperatorFiles, one: Entry, other: Entry) -> bool:
    """Return whether a version has both."""
    return any(one.applies_to(number) and other.applies_to(number) for number in files.numbers)
