"""Refuses words of specs that a package of another name than opmill would replace."""

from __future__ import annotations

from opmill_gen.base.diagnostics import InputError
from opmill_gen.base.package_rename import OPMILL, mentions
from opmill_gen.load.sources import Sources
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import parse_yaml, words_of


def check_own_words(sources: Sources, package: str, faults: Faults) -> None:
    """Report each word of a spec that the package's name would replace, as everywhere.

    Args:
        sources: the folders of the inputs.
        package: the name of the package, which is not opmill.
        faults: where words are reported.
    """
    for path in sorted(sources.specs.glob("*/*/*.yaml")):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if not mentions(text):
            continue
        try:
            words = list(words_of(parse_yaml(sources.shown(path), text)))
        except InputError:  # its faults are reported with those of the other files
            continue
        for location, word in words:
            if mentions(word):
                faults.report(
                    location,
                    f"'{OPMILL}' becomes '{package}' in files of that package; "
                    "use another word here",
                )
