"""A domain's index.yaml: a new one, or an old one with entries added; comments stay."""

from __future__ import annotations

import re
from collections.abc import Mapping

from opmill_gen.onnx.facts import History, release_order
from opmill_gen.spec.operator_version import DomainIndex

_HEADER = """\
# Every operator that {domain} has published, whether it has a spec here or not: this list decides
# what an opset resolves to, so that an operator without a spec is named and never replaced by a
# neighbour.
"""


def new_index(
    domain: str, release: str | None, opset: int, operators: Mapping[str, History]
) -> str:
    """The text of an index.

    Args:
        domain: the domain.
        release: what the list is of, as ``onnx 1.23.2``; ``None`` for a domain of one's own.
        opset: the newest opset of the domain.
        operators: what is published.
    """
    lines = [_HEADER.format(domain=domain), f"domain: {domain}"]
    if release is not None:
        package, _, number = release.partition(" ")
        lines.append(f"{package}: {number}")
    lines += [f"opset: {opset}", "", "operators:"]
    lines += [_entry(name, operators[name]) for name in sorted(operators)]
    return "\n".join(lines) + "\n"


def extended_index(
    text: str, index: DomainIndex, added: Mapping[str, History], release: str | None = None
) -> str:
    """An index with what is added to it; the same text where it has everything already.

    Args:
        text: the index as it is.
        index: what it says.
        added: versions that it must list.
        release: what they are of, as ``onnx 1.23.2``; opsets of a later release than that of the
            index are marked as coming.
    """
    merged: dict[str, History] = {}
    for name, new in added.items():
        entry = index.operators.get(name)
        old = History(list(entry.versions), list(entry.deprecated)) if entry else History([], [])
        history = History(
            sorted({*old.versions, *new.versions}), sorted({*old.deprecated, *new.deprecated})
        )
        if history != old:
            merged[name] = history
    if not merged:
        return text
    opset = max(index.opset, *(history.versions[-1] for history in merged.values()))
    line = f"opset: {opset}"
    package, _, number = (release or "").partition(" ")
    if (
        package == "onnx"
        and index.onnx is not None
        and index.coming is None
        and (opset > index.opset and release_order(number) > release_order(index.onnx))
    ):
        line += f"\ncoming: {{onnx: {number}, opset: {index.opset + 1}}}"
    lines = re.sub(r"(?m)^opset:.*$", line, text, count=1).splitlines()
    for name in sorted(merged):
        _insert(lines, name, _entry(name, merged[name]))
    return "\n".join(lines) + "\n"


def _insert(lines: list[str], name: str, entry: str) -> None:
    """Put an operator's line where its name belongs, in place of the one it has."""
    start = next(i for i, line in enumerate(lines) if re.match(r"operators:", line)) + 1
    if lines[start - 1] == "operators: {}":
        lines[start - 1] = "operators:"
    position = start
    for i in range(start, len(lines)):
        match = re.match(r"  ([A-Za-z_][A-Za-z0-9_]*):", lines[i])
        if match is None:
            continue
        if match[1] == name:
            lines[i] = entry
            return
        if match[1] > name:
            break
        position = i + 1
    lines.insert(position, entry)


def _entry(name: str, history: History) -> str:
    deprecated = f", deprecated: {history.deprecated}" if history.deprecated else ""
    return f"  {name}: {{versions: {history.versions}{deprecated}}}"
