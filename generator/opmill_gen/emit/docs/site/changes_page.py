"""The page of what changed between any two versions of an operator.

Neighbours are compared here, for readers without scripts; a script compares any two versions, from
the same parts, which the page carries as data. ONNX's own text comes from the installed onnx.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from opmill_gen.emit.docs.markdown import html_code, html_text, inline
from opmill_gen.emit.docs.pages import Case, anchor_of
from opmill_gen.emit.docs.site.history import OperatorHistory, onnx_release
from opmill_gen.inspect.published import published
from opmill_gen.inspect.version_diff import Piece, Section, Status, compare, parts_of
from opmill_gen.spec.operator_version import OperatorVersion


def changes_page(history: OperatorHistory, anchors: Mapping[Case, str]) -> dict[str, Any]:
    """The context of ``docs/site/changes.md.j2``."""
    versions = [v for n in history.published if (v := _in_words(history, n)) is not None]
    pairs = [
        {
            "id": f"{old.since_version}-{new.since_version}",
            "title": html_text(f"{old.label} to {new.label}"),
            "changes": _changes(history, new, anchors),
            "table": difference_table(old, new),
        }
        for old, new in itertools.pairwise(versions)
    ]
    data = {
        "operator": history.operator,
        "versions": [_data(history, version, anchors) for version in versions],
    }
    return {
        "operator": inline(history.operator),
        "page": history.name,
        "numbers": [version.since_version for version in versions],
        "pairs": pairs,
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
        "onnx": html_text(onnx_release()),
    }


def _in_words(history: OperatorHistory, number: int) -> OperatorVersion | None:
    """A version in our words, without marks of code; one without a spec has facts and no words."""
    facts = history.facts(number)
    if facts is None:
        return None
    if number in history.supported:
        return _with_words(facts, lambda words: words.replace("`", ""))
    return _with_words(facts, lambda words: "")


def _with_words(spec: OperatorVersion, change: Callable[[str], str]) -> OperatorVersion:
    return replace(
        spec,
        summary=change(spec.summary),
        inputs=tuple(replace(p, description=change(p.description)) for p in spec.inputs),
        outputs=tuple(replace(p, description=change(p.description)) for p in spec.outputs),
        attributes=tuple(replace(a, description=change(a.description)) for a in spec.attributes),
        type_constraints={
            name: replace(constraint, description=change(constraint.description))
            for name, constraint in spec.type_constraints.items()
        },
    )


def _changes(
    history: OperatorHistory, spec: OperatorVersion, anchors: Mapping[Case, str]
) -> list[dict[str, str]]:
    if spec.since_version not in history.supported:
        return []
    return [
        {
            "what": html_code(change.what),
            "case": html_text(change.shown_by),
            "link": _link(history, spec, change.shown_by, anchors),
        }
        for change in spec.changes
    ]


def _link(
    history: OperatorHistory, spec: OperatorVersion, case: str, anchors: Mapping[Case, str]
) -> str:
    """The page and the place of the case that shows a change."""
    target = anchors[spec.label, case]
    for number, version in history.supported.items():
        if target == anchor_of(version.spec, number, case):
            return f"{history.page(number)}.html#{target}"
    raise AssertionError(target)


def _data(
    history: OperatorHistory, spec: OperatorVersion, anchors: Mapping[Case, str]
) -> dict[str, Any]:
    """A version as the script takes it: what changed, its parts in our words and in ONNX's."""
    number = spec.since_version
    is_supported = number in history.supported
    theirs = (
        history.facts(number) if not is_supported else (published(spec) if onnx_release() else None)
    )
    return {
        "number": number,
        "supported": is_supported,
        "changes": _changes(history, spec, anchors),
        "parts": parts_of(spec),
        "published": None if theirs is None else parts_of(theirs, facts=False),
    }


def difference_table(old: OperatorVersion, new: OperatorVersion) -> str:
    """The parts in which two versions differ, side by side, as a table in HTML."""
    rows = [
        '<table class="opmill-differences">',
        f"<thead><tr><th>part</th><th>{html_text(old.label)}</th>"
        f"<th>{html_text(new.label)}</th></tr></thead>",
    ]
    for section in compare(old, new):
        rows += _section_rows(section)
    rows.append("</table>")
    return "\n".join(rows)


def _section_rows(section: Section) -> Iterable[str]:
    if not section.differs:
        return
    yield f'<tbody><tr><th colspan="3" scope="rowgroup">{section.title}</th></tr>'
    for row in section.rows:
        if row.status is not Status.SAME:
            yield (
                f'<tr class="{row.status.value}"><th scope="row">{_breakable(row.name)}</th>'
                f"<td>{_pieces(row.old, 'del')}</td><td>{_pieces(row.new, 'ins')}</td></tr>"
            )
    yield "</tbody>"


def _breakable(name: str) -> str:
    """A name that a narrow column breaks behind its underscores alone."""
    return html_text(name).replace("_", "_<wbr>")


def _pieces(pieces: tuple[Piece, ...] | None, tag: str) -> str:
    """Text with its changes marked; line breaks are references, as an empty line ends HTML."""
    marked = "".join(
        f"<{tag}>{html_text(piece.text)}</{tag}>" if piece.changed else html_text(piece.text)
        for piece in pieces or ()
    )
    return marked.replace("\n", "&#10;")
