"""What an operator's page says once for several versions.

A part that a newer version has too is on the page under the newest version that has it; an older
one names that version, with a link. Parts are the same where they differ in nothing but the number
of their version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import fenced
from opmill_gen.emit.python.examples import refused_session, session_text, without_imports
from opmill_gen.spec.cases import Example, Reject

Link = tuple[str, str]
"""A text and the place that it leads to."""

_PARTS = {
    "facts": ("other_facts",),
    "summary": ("summary",),
    "call": ("python", "c", "c_gap"),
    "inputs": ("inputs",),
    "outputs": ("outputs",),
    "attributes": ("attributes",),
    "types": ("types",),
    "accuracy": ("accuracy", "is_exact"),
    "checks": ("checks", "rule_source"),
    "program": ("program",),
}
"""What is compared as a whole, and the entries of a version's context that it consists of."""

_WORDS = {
    "facts": "the facts",
    "summary": "the description",
    "call": "the call, apart from the number in its names",
    "inputs": "the inputs",
    "outputs": "the outputs",
    "attributes": "the attributes",
    "types": "the types",
    "accuracy": "the accuracy",
    "checks": "the checks",
}
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
    """What is equal of examples that are the same."""
    return (example.name, anonymous(version, module, session_text(version, example, module)))


def reject_key(version: CheckedVersion, module: str, reject: Reject) -> tuple[str, ...]:
    """What is equal of refused calls that are the same."""
    session = anonymous(version, module, refused_session(version, reject, module))
    return (reject.name, reject.description or "", session)


def share_parts(
    pages: Sequence[dict[str, Any]], versions: Sequence[CheckedVersion], modules: Mapping[str, str]
) -> None:
    """Tell each version which of its parts a newer one has, and where decisions are numbered.

    ``same`` are the parts that are not repeated, ``as_in`` sentences about them: the version, its
    place, and the parts in words.

    Args:
        pages: the contexts of the versions.
        versions: the versions, in the same order, the newest first.
        modules: the Python module of each, by the version's label.
    """
    shown: dict[tuple[str, str], Link] = {}
    decided: dict[str, tuple[Link, int]] = {}
    for page, version in zip(pages, versions, strict=True):
        here = (page["label"], page["anchor"])
        module = modules[version.spec.label]
        same: dict[str, Link] = {}
        for part, entries in _PARTS.items():
            value = [page[entry] for entry in entries]
            if not any(value):
                continue
            holder = shown.setdefault((part, anonymous(version, module, repr(value))), here)
            if holder != here:
                same[part] = holder
        page["same"] = same
        words: dict[Link, list[str]] = {}
        for part, holder in same.items():
            if part in _WORDS:
                words.setdefault(holder, []).append(_WORDS[part])
        page["as_in"] = [(*holder, _listed(parts)) for holder, parts in words.items()]
        own: list[dict[str, str]] = []
        held: dict[Link, list[int]] = {}
        for erratum in page["errata"]:
            holder, number = decided.setdefault(repr(erratum), (here, len(own) + 1))
            if holder == here:
                own.append(erratum)
            else:
                held.setdefault(holder, []).append(number)
        page["errata"] = own
        page["held_errata"] = [
            (label, anchor, _listed([str(number) for number in sorted(numbers)]), len(numbers))
            for (label, anchor), numbers in held.items()
        ]


def _listed(words: Sequence[str]) -> str:
    """Words with commas, and an ``and`` before the last."""
    return ", ".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def held_cases(
    places: Mapping[str, str],
    here: Callable[[str], str],
    shown: Mapping[str, tuple[Link, list[Link]]],
) -> list[dict[str, Any]]:
    """The cases of a version that newer versions show: for each of those, which hold.

    Args:
        places: where each case of the version is shown, by the case's name.
        here: where a case would be that is the version's own.
        shown: by the place of each case that the page shows, its version and all that it shows.
    """
    groups: dict[Link, list[Link]] = {}
    all_shown: dict[Link, list[Link]] = {}
    for name, place in places.items():
        if place == here(name):
            continue
        version, cases = shown[place]
        all_shown[version] = cases
        groups.setdefault(version, []).append(next(case for case in cases if case[1] == place))
    found = []
    for (label, anchor), held in groups.items():
        others = [case for case in all_shown[label, anchor] if case not in held]
        found.append(
            {
                "label": label,
                "anchor": anchor,
                "held": held if len(held) <= len(others) else [],
                "others": others if len(held) > len(others) else [],
            }
        )
    return found


def import_once(examples: Sequence[dict[str, Any]], sessions: Sequence[str]) -> str:
    """Take the imports out of sessions of one version; they as a session of their own."""
    lines: set[str] = set()
    for example, session in zip(examples, sessions, strict=True):
        text, imports = without_imports(session)
        example["session"] = fenced(text, "pycon")
        lines.update(imports)
    return fenced("\n".join(sorted(lines, key=_import_order)), "pycon") if lines else ""


def _import_order(line: str) -> tuple[bool, str]:
    """Modules before names of modules, each in alphabetical order."""
    return (line.startswith(">>> from "), line)
