"""Tells when an input changes, for ``opmill generate --watch``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import watchfiles

from opmill_gen.load.sources import Sources

_LOOK = 250  # milliseconds


class _Inputs(watchfiles.DefaultFilter):
    """Leaves out what editors and tools leave behind, and the schemas, which a run writes."""

    def __call__(self, change: watchfiles.Change, path: str) -> bool:
        return super().__call__(change, path) and not path.endswith(".schema.json")


def changes(sources: Sources) -> Iterator[None]:
    """Once at the beginning, and then whenever a spec, a template or a family changes.

    The start is reported when the folders are watched already: no change is lost between the first
    run and the watch.
    """
    read = (sources.specs, sources.templates, sources.runtime, sources.docs, *sources.families)
    folders = {path.resolve() for path in read if path.is_dir()}
    outer = [path for path in folders if not any(_inside(path, other) for other in folders)]
    began = False
    for found in watchfiles.watch(
        *sorted(outer), watch_filter=_Inputs(), yield_on_timeout=True, rust_timeout=_LOOK
    ):
        if found or not began:
            began = True
            yield


def _inside(path: Path, other: Path) -> bool:
    return path != other and path.is_relative_to(other)
