"""Names and first lines of the corpus's files, which ``docs/start/corpus.md`` specifies."""

from pathlib import PurePosixPath

HEAD = "corpus 3"
"""The first line of every file: the number of the format."""

INDEX = PurePosixPath("index.txt")
"""The files of a corpus with their digests."""

INPUTS = PurePosixPath("inputs.txt")
"""Digests of what each file was computed from, for the next run; not part of an edition."""

OWN = PurePosixPath("tests/corpus")
"""Folder of the output with the corpus of a package of one's own."""

NEXT = "next"
"""The edition in preparation."""
