"""Pack the cases of a corpus that are not drawn, which are all that opmill.conformance reads.

    python generator/pack_corpus.py corpus.tar.xz build/corpus

The archive has a third of the size. It is no edition: it lacks an index, and the first lines of
files count drawn cases too. CMake runs this when a wheel is built.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pack_archive

_DRAWN = "\norigin drawn\n"


def main(arguments: Sequence[str]) -> None:
    """Write the archive that the first argument names, of the corpus that the second names."""
    target, corpus = arguments
    with tempfile.TemporaryDirectory() as folder:
        for path in Path(corpus).glob("*/*.txt"):
            blocks = path.read_text("utf-8").split("\n\n")
            stated = "\n\n".join(block for block in blocks if _DRAWN not in block)
            copy = Path(folder, path.relative_to(corpus))
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(stated.encode())
        pack_archive.main([target, f".={folder}"])


if __name__ == "__main__":
    main(sys.argv[1:])
