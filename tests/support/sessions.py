"""Runs interactive sessions as they are printed."""

from __future__ import annotations

import doctest


def run_session(
    text: str, name: str, names: dict[str, object] | None = None
) -> doctest.TestResults:
    """Run a session; ``names`` are those of an earlier one, and become those of this one."""
    names = {} if names is None else names
    test = doctest.DocTestParser().get_doctest(text + "\n", names, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    result = runner.run(test, clear_globs=False)
    names.update(test.globs)
    return result
