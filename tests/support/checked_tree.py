"""The checkout's own specs and families, loaded and checked once for all processes of tests."""

from __future__ import annotations

import sys
from functools import cache, partial

from opmill_gen.base.cache import read_cache
from opmill_gen.check.result import Checked
from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.pipeline import checked_input
from opmill_gen.write.digests import generator_digest, inputs_digest
from stored import stored


@cache
def checked_tree() -> Checked:
    """The whole input, read from a file if another process has checked these very inputs."""
    sources = default_sources()
    digest = inputs_digest([sources.specs, *sources.families], sys.version)
    return stored("checked-tree", digest, Checked, partial(_checked, sources))


def _checked(sources: Sources) -> Checked:
    """Check the tree; a spec that the last ``generate`` read is not parsed again."""
    remembered = read_cache(sources.specs.parent / "generated", generator_digest(repr(Settings())))
    return checked_input(sources, remembered.specs if remembered else None)
