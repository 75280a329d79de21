"""Documentation of the versions of an operator: a data file of the package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from opmill_gen.base.banner import MARK
from opmill_gen.check.result import CheckedVersion


def documentation(versions: Sequence[CheckedVersion]) -> dict[str, Any]:
    """The context of ``python/documentation.json.j2``.

    A text is under the first version that has it, and applies until the next one of the same key:
    what versions share is stored once.

    Args:
        versions: of one operator, in ascending order.
    """
    texts: dict[str, dict[str, str]] = {}
    changes: dict[str, list[str]] = {}
    errata: list[dict[str, str]] = []
    errata_of: dict[str, list[int]] = {}
    for version in versions:
        spec = version.spec
        for key, text in spec.prose().items():
            known = texts.setdefault(key, {})
            if text.strip() != next(reversed(known.values()), None):
                known[str(spec.since_version)] = text.strip()
        if spec.changes:
            changes[str(spec.since_version)] = [change.what.strip() for change in spec.changes]
        for erratum in spec.errata:
            said = {
                "name": erratum.name or "",
                "kind": erratum.kind.value,
                **{key: getattr(erratum, key).strip() for key in ("text", "decision", "evidence")},
            }
            if said not in errata:
                errata.append(said)
            errata_of.setdefault(str(spec.since_version), []).append(errata.index(said))
    spec = versions[0].spec
    data = {
        "about": f"{MARK} from specs/{spec.domain}/{spec.operator}. Do not edit.",
        "texts": texts,
        "changes": changes,
        "errata": errata,
        "errata_of": errata_of,
    }
    return {"text": json.dumps(data, indent=1, ensure_ascii=False)}
