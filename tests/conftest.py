"""``--operators "Tile Conv"``: the tests of these operators, and the generic ones that are quick.

A test is of an operator if its parameters name one of its versions, as in
``test_calls[Tile-13-legal]``, or if it is marked ``operators("Tile")``. All others are generic.
Those marked ``slow`` look at the whole tree or build something; they, and those of other operators,
are left out.

Without it, those marked ``deep`` are left out, and of those marked ``each_version`` the ones about
a version whose rules a later one of its operator has too: there, the same code runs, and the
generated tests have the tables of all versions. ``make deep-test`` runs what is left out.
"""

from __future__ import annotations

import gc
import locale
import os
from contextlib import suppress

import pytest
from _pytest.runner import runtestprotocol

from selection import is_deep, is_wanted, parsed

THRESHOLDS = (50_000, 20, 50)
"""New objects before the garbage collector looks at them, and how often it looks at older ones."""
_LOCALE = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--operators", default="", help="whose tests are run, as 'Tile Conv'")
    parser.addoption("--deep", action="store_true", help="run the tests that are left out else")


def pytest_configure(config: pytest.Config) -> None:
    parsed(config.getoption("--operators"))
    os.environ["OPMILL_PROGRESS"] = "0"  # its lines depend on the load of the machine
    if config.pluginmanager.hasplugin("hypothesispytest"):
        # How long a call or the drawing of its values takes says something of the machine's load.
        from hypothesis import HealthCheck, settings

        settings.register_profile(
            "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
        )
        settings.load_profile("untimed")
        _draw_without_sources()


def _draw_without_sources() -> None:
    """Prevent Hypothesis from drawing numbers of the sources of all modules that are imported.

    Each process would parse them for seconds, and draw other calls after other imports.
    """
    with suppress(ImportError):
        from hypothesis.internal.conjecture import providers

        providers.is_local_module_file = lambda path: False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report calls alone from processes of xdist, unless a set-up or its end fails.

    Two thirds of the reports, each of which is sent to the process that prints, say only that there
    is nothing to say.
    """
    if not hasattr(item.config, "workerinput") or item.config.getoption("durations") is not None:
        return None
    names = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**names)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**names)
    return True


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_LOCALE] = locale.setlocale(locale.LC_ALL)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Undo what onnx.reference does to the process when it computes a StringNormalizer."""
    before = item.stash.get(_LOCALE, None)  # which a test that is skipped has not
    if before is not None and locale.setlocale(locale.LC_ALL) != before:
        locale.setlocale(locale.LC_ALL, before)


def pytest_collection() -> None:
    """Switch the garbage collector off: what is imported and collected lives to the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Switch it on again for cycles of the tests alone, and seldom.

    What is collected lives to the end, and so do trees and models that tests share: millions of
    objects. With Python's own thresholds, a sixth of the tests' time goes into looking at them.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = parsed(config.getoption("--operators"))
    deep = config.getoption("--deep")
    chosen = [
        item for item in items if (is_wanted(item, names) if names else is_deep(item) == deep)
    ]
    if len(chosen) < len(items):
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = chosen


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Tell of tests that are left out where no other is, as when one is named."""
    if items or config.getoption("--deep") or config.getoption("--operators"):
        return []
    return ["tests marked deep are left out: --deep runs them"]
