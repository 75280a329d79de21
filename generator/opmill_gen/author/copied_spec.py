"""The text of a spec that begins as a copy of another: its lines, but for what cannot stay."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_gen.author.spec_writer import changes_gap, gap
from opmill_gen.spec.case_text import EDITOR_MARK, text_of_version
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.tree import Entries


def renumbered(text: str, tree: Entries, spec: OperatorVersion, version: int) -> str:
    """The next version of the same operator: the new number, and a gap for the changes.

    Args:
        text: the older spec.
        tree: it as a tree.
        spec: what it says.
        version: the new number.
    """
    changes = changes_gap(spec.label)
    return _edited(text, tree, {"since_version": str(version), "changes": changes})


def renamed(
    text: str,
    tree: Entries,
    spec: OperatorVersion,
    name: tuple[str, str, int],
    previous: int | None,
) -> str:
    """Another operator that begins as this one: what ONNX says of this one alone is left out.

    Args:
        text: the other operator's spec.
        tree: it as a tree.
        spec: what it says.
        name: the new domain, operator and version.
        previous: the version before the new one, ``None`` where it is the first.
    """
    domain, operator, version = name
    what = f"what it computes, in your own words; it begins as a copy of {spec.label}"
    changes = None if previous is None else changes_gap(f"{operator}-{previous}")
    replaced = {
        "operator": operator,
        "domain": domain,
        "since_version": str(version),
        "summary": gap(what),
        "changes": changes,
        "source": None,
        "python_name": None,
    }
    copy = _edited(text, tree, replaced)
    # The new spec may be in a folder that has no schema.
    return copy.partition("\n")[2] if copy.startswith(EDITOR_MARK) else copy


def copied_cases(text: str, tree: Entries, version: int) -> str:
    """The cases of another operator's version; which test of ONNX shows them is left out."""
    return text_of_version(text, tree, version, frozenset({"onnx_test", "rests_on"}))


def _edited(text: str, tree: Entries, values: Mapping[str, str | None]) -> str:
    """The text with other values of some keys, which go where they are ``None``.

    Keys that are not there are added before ``source``, or at the end.

    Args:
        text: the text.
        tree: it as a tree.
        values: the values by their keys.
    """
    old = text.splitlines()
    new: dict[int, list[str]] = {i: [line] for i, line in enumerate(old)}
    starts = sorted(location.line - 1 for location in tree.keys.values())
    added: list[str] = []
    for key, value in values.items():
        lines = [] if value is None else [f"{key}: {value}"]
        if key not in tree.keys:
            added += [*lines, ""] if lines else []
            continue
        start = tree.keys[key].line - 1
        end = next((line for line in starts if line > start), len(old))
        while end > start + 1 and old[end - 1].startswith("#"):
            end -= 1  # a comment above the next key
        if lines and end > start + 1:
            lines.append("")
        new |= {line: [] for line in range(start, end)} | {start: lines}
    if "source" in tree.keys:
        later = tree.keys["source"].line - 1
        new[later] = [*added, *new[later]]
    elif added:
        new[len(old)] = ["", *added]
    return "\n".join(line for i in sorted(new) for line in new[i]).rstrip("\n") + "\n"
