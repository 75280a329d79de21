"""The bar of long runs: after a second, on a terminal, and never in the way of the work."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from opmill_gen.base import progress


@pytest.mark.parametrize(("seconds", "seen"), [(0.3, False), (0.6, True)])
def test_a_bar_comes_after_a_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds: float, seen: bool
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("OPMILL_PROGRESS", raising=False)
    now = [0.0]
    monkeypatch.setattr(progress, "_clock", lambda: now[0])
    passed = []
    with progress.shown(True) as bar:
        for item in bar("reading", ["a", "b", "c"]):
            passed.append(item)
            now[0] += seconds
    assert passed == ["a", "b", "c"]
    shown = capsys.readouterr()
    assert ("reading" in shown.err) is seen
    assert shown.out == ""


def test_a_fault_takes_the_bar_away(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("OPMILL_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    shown = progress.shown(True)
    with pytest.raises(KeyboardInterrupt):
        broken_off(shown)
    with progress.shown(True) as bar:  # a second bar can be shown only where the first is gone
        assert list(bar("reading", [1, 2])) == [1, 2]


def broken_off(shown: AbstractContextManager[progress.Progress]) -> None:
    with shown as bar:
        for _ in bar("reading", [1]):
            raise KeyboardInterrupt


def test_plain_lines_come_after_two_seconds_and_every_ten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("OPMILL_PROGRESS", raising=False)
    now = [0.0]
    monkeypatch.setattr(progress, "_clock", lambda: now[0])
    with progress.shown(True) as passed:
        for _ in passed("reading", range(30)):
            now[0] += 1.0
    assert capsys.readouterr().err == "".join(f"reading: {done} of 30\n" for done in (2, 12, 22))


@pytest.mark.parametrize(("wanted", "setting"), [(False, "1"), (True, "0")])
def test_nothing_is_shown_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, wanted: bool, setting: str
):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("OPMILL_PROGRESS", setting)
    with progress.shown(wanted) as bar:
        assert bar is progress.silent
