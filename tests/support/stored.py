"""Values that take seconds to compute, stored in ``build/`` for the other processes of tests."""

from __future__ import annotations

import fcntl
import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from opmill_gen.base.collector import without_collector
from opmill_gen.base.plain_file import replace_plain

BUILD = Path(__file__).resolve().parents[2] / "build"

T = TypeVar("T")


def stored(name: str, key: str, kind: type[T], compute: Callable[[], T]) -> T:
    """The value of a key: read if a process has computed it, else computed and stored.

    Args:
        name: of the value's folder in ``build/``, which holds the last value alone.
        key: all that the value follows from.
        kind: of the value; a file with another one is damaged, and replaced.
        compute: computes the value. Processes that start together wait for the first.
    """
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.pickle"
    with (folder / "lock").open("w") as lock, without_collector():
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            found = pickle.loads(path.read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):
            found = None
        if isinstance(found, kind):
            return found
        value = compute()
        content = pickle.dumps(value)
        for old in folder.glob("*.pickle"):
            old.unlink()
        replace_plain(path, content)
        return value
