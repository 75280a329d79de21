"""Names and first lines of the corpus's files, which ``docs/start/corpus.md`` specifies."""

from pathlib import PurePosixPath

HEAD = "corpus 3"
"""The first line of every file: the number of the format."""

INDEX = PurePosixPath("index.txt")
"""The files of a corpus with their digests."""

INPUTS = PurePosixPath("inputs.txt")
"""Digests of what each file was computed from, for the next run; not part of an edition."""

NEXT = "next"
"""The edition in preparation."""
