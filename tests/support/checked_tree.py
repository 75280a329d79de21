"""The checkout's own specs and families, loaded and checked once for all processes of tests."""

from __future__ import annotations

import fcntl
import pickle
import sys
from functools import cache
from pathlib import Path

from opmill_gen.base.cache import read_cache
from opmill_gen.base.collector import without_collector
from opmill_gen.base.plain_file import replace_plain
from opmill_gen.check.result import Checked
from opmill_gen.emit.settings import Settings
from opmill_gen.load.load import Sources, default_sources
from opmill_gen.pipeline import checked_input
from opmill_gen.write.digests import generator_digest, inputs_digest

FOLDER = Path(__file__).resolve().parents[2] / "build" / "checked-tree"


@cache
def checked_tree() -> Checked:
    """The whole input, read from a file if another process has checked these very inputs."""
    sources = default_sources()
    digest = inputs_digest([sources.specs, *sources.families], sys.version)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock, without_collector():
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = _stored(FOLDER / f"{digest[:32]}.pickle")
        return _checked(sources, FOLDER / f"{digest[:32]}.pickle") if found is None else found


def _stored(path: Path) -> Checked | None:
    """The tree in a file; ``None`` if there is none, or a damaged one."""
    try:
        found = pickle.loads(path.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):
        return None
    return found if isinstance(found, Checked) else None


def _checked(sources: Sources, path: Path) -> Checked:
    """Check the tree and store it; a spec that the last ``generate`` read is not parsed again."""
    remembered = read_cache(sources.specs.parent / "generated", generator_digest(repr(Settings())))
    checked = checked_input(sources, remembered.specs if remembered else None)
    content = pickle.dumps(checked)
    for old in FOLDER.glob("*.pickle"):
        old.unlink()
    replace_plain(path, content)
    return checked
