"""The page that lists which published texts changed in which release of ONNX.

All of it follows from the digests of ``texts.json``; the texts themselves are not stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import code, inline
from opmill_gen.emit.docs.pages import anchor_of
from opmill_gen.onnx.facts import release_order
from opmill_gen.onnx.texts import Texts, label_order
from opmill_gen.spec.operator_version import OperatorVersion


def changed_texts_page(
    versions: Sequence[CheckedVersion], texts: Mapping[str, Texts]
) -> dict[str, Any]:
    """The context of ``docs/changed_texts.md.j2``.

    Args:
        versions: the supported versions, to whose pages the entries link.
        texts: the recorded texts of each domain.
    """
    specs = {(one.spec.domain, one.spec.label): one.spec for one in versions}
    releases = sorted(
        {release for one in texts.values() for release in one.releases}, key=release_order
    )
    pages = []
    for before, release in pairwise(releases):
        entries = [
            entry
            for domain, recorded in sorted(texts.items())
            for entry in _entries(domain, recorded, release, specs)
        ]
        pages.append({"release": inline(release), "before": inline(before), "entries": entries})
    return {
        "recorded": [inline(release) for release in releases],
        "total": sum(len(page["entries"]) for page in pages),
        "releases": pages[::-1],
    }


def _entries(
    domain: str,
    texts: Texts,
    release: str,
    specs: Mapping[tuple[str, str], OperatorVersion],
) -> Iterator[dict[str, Any]]:
    """The versions of a domain whose text in a release differs from that before."""
    for label in sorted(texts.digests, key=label_order):
        digests = texts.digests[label]
        appeared = list(digests)
        if release not in appeared[1:]:
            continue
        earlier = appeared[: appeared.index(release)]
        same = [one for one in earlier if digests[one] == digests[release]]
        spec = specs.get((domain, label))
        yield {
            "label": inline(label),
            "domain": code(domain),
            "anchor": anchor_of(spec, spec.since_version) if spec else None,
            "again": inline(same[0]) if same else None,
            "errata": _errata(spec) if spec else "no spec",
        }


def _errata(spec: OperatorVersion) -> str:
    """Number of errata of a version, and how many of them are decisions."""
    errata = len(spec.errata)
    if not errata:
        return "no erratum"
    decisions = sum(one.kind.is_open for one in spec.errata)
    counted = f"{errata} {'erratum' if errata == 1 else 'errata'}"
    return f"{counted}, {decisions} of them {'a decision' if decisions == 1 else 'decisions'}"
