"""Archives of an installed package, unpacked when they are first needed.

A wheel has thousands of small files that few users need: sources of C, cases, specs.
They are installed as one archive each. Its contents go to a folder of the user's cache, which is
named by the digest of the archive and may be deleted at any time.
"""

from __future__ import annotations

import atexit
import gzip
import hashlib
import io
import os
import shutil
import stat
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from opmill._runtime.errors import Error

_ENVIRONMENT = "OPMILL_CACHE"


@cache
def unpacked(archive: Path) -> Path:
    """The folder with the contents of an archive.

    Without a cache folder that can be written, this is a temporary folder of the process.

    Args:
        archive: a ``.tar.gz`` or ``.tar.xz`` file of this package.

    Raises:
        Error: the archive cannot be read, or is damaged.
    """
    try:
        digest = hashlib.blake2b(archive.read_bytes(), digest_size=8).hexdigest()
    except OSError as error:
        raise Error(f"{archive} cannot be read: {error.strerror}; install opmill again") from None
    name = f"{archive.name.partition('.')[0].strip('_')}-{digest}"
    folder = cache_folder() / name
    if _is_own(folder):
        return folder
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        begun = Path(tempfile.mkdtemp(prefix=".opmill-new-", dir=folder.parent))
    except OSError:
        return _temporary(archive)
    try:
        _extract(archive, begun)
        os.rename(begun, folder)
    except OSError:  # the disk is full, or another process was faster
        shutil.rmtree(begun, ignore_errors=True)
        return folder if _is_own(folder) else _temporary(archive)
    except BaseException:
        shutil.rmtree(begun, ignore_errors=True)
        raise
    return folder


def cache_folder() -> Path:
    """The folder for what opmill unpacks: that of OPMILL_CACHE, or one of the user's cache."""
    chosen = os.environ.get(_ENVIRONMENT)
    if chosen:
        return Path(chosen).absolute()
    if sys.platform == "win32":
        base, default = os.environ.get("LOCALAPPDATA"), "~/AppData/Local"
    elif sys.platform == "darwin":
        base, default = None, "~/Library/Caches"
    else:
        base, default = os.environ.get("XDG_CACHE_HOME"), "~/.cache"
    return Path(base or os.path.expanduser(default)).absolute() / "opmill"


def _is_own(folder: Path) -> bool:
    """Return whether a folder exists that no other user can have written."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _temporary(archive: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="opmill-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _extract(archive, folder)
    return folder


def _extract(archive: Path, folder: Path) -> None:
    for name, content in _contents(archive):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _contents(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The files of an archive; nothing is yielded of one that is damaged."""
    decompress: Callable[[bytes], bytes] = gzip.decompress
    damage: type[Exception] = zlib.error
    if archive.suffix == ".xz":
        try:
            import lzma
        except ImportError:
            raise Error(
                f"{archive.name} needs Python's module lzma, which this Python was built without"
            ) from None
        decompress, damage = lzma.decompress, lzma.LZMAError
    try:
        plain = decompress(archive.read_bytes())
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as packed:
            members = packed.getmembers()
            for member in members:
                path = PurePosixPath(member.name)
                if not member.isreg() or path.is_absolute() or ".." in path.parts:
                    raise Error(f"{archive} has an entry {member.name!r}; install opmill again")
            for member in members:
                stream = packed.extractfile(member)
                assert stream is not None  # of a regular file
                yield member.name, stream.read()
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, damage) as error:
        raise Error(f"{archive} is damaged: {error}; install opmill again") from None
