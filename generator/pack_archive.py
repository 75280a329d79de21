"""Pack files as one archive, whose bytes depend on their names and contents alone.

    python generator/pack_archive.py specs.tar.gz specs families=/path/to/families LICENSE

Each argument is a file or a folder; ``NAME=PATH`` puts it under another name, ``.=PATH`` the
contents of a folder under none. The archive's name ends in ``.tar.gz`` or ``.tar.xz``. CMake runs
this when a wheel is built.
"""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

_SKIPPED = "__pycache__"


def packed(sources: Sequence[tuple[str, Path]]) -> bytes:
    """The archive of files and folders, by the names that they get, not yet compressed.

    Raises:
        FileNotFoundError: there is no such file or folder.
    """
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in sorted(_files(sources)):
            member = tarfile.TarInfo(name)
            content = path.read_bytes()
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return plain.getvalue()


def _files(sources: Sequence[tuple[str, Path]]) -> Iterator[tuple[str, Path]]:
    for name, source in sources:
        if source.is_file():
            yield name, source
        elif source.is_dir():
            for path in source.rglob("*"):
                relative = path.relative_to(source)
                if path.is_file() and _SKIPPED not in relative.parts:
                    yield (PurePosixPath(name) / relative.as_posix()).as_posix(), path
        else:
            raise FileNotFoundError(f"{source} is missing, expected a file or a folder")


def main(arguments: Sequence[str]) -> None:
    """Write the archive that the first argument names, of what the others name."""
    target, *sources = arguments
    named = [text.partition("=") for text in sources]
    pairs = [(name, Path(path)) if path else (name, Path(name)) for name, _, path in named]
    plain = packed(pairs)
    compress = lzma.compress if target.endswith(".xz") else partial(gzip.compress, mtime=0)
    Path(target).write_bytes(compress(plain))


if __name__ == "__main__":
    main(sys.argv[1:])
