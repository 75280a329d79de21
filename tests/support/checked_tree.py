"""The checkout's own specs and families, loaded and checked once in each process."""

from __future__ import annotations

from functools import cache

from opmill_gen.base.cache import read_cache
from opmill_gen.check.result import Checked
from opmill_gen.emit.settings import Settings
from opmill_gen.load.load import default_sources
from opmill_gen.pipeline import checked_input
from opmill_gen.write.digests import generator_digest


@cache
def checked_tree() -> Checked:
    """The whole input; a spec that the last ``generate`` has seen is not parsed again."""
    sources = default_sources()
    remembered = read_cache(sources.specs.parent / "generated", generator_digest(repr(Settings())))
    return checked_input(sources, remembered.specs if remembered else None)
