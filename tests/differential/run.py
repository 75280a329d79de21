"""Draws calls and has them judged: the one loop that the quick tests and the long runs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed

from differential.judges import Judge
from opmill.conformance import _drawn as drawn

KINDS: dict[str, Callable[..., Any]] = {
    "legal": drawn.legal,
    "illegal": drawn.illegal,
    "guess": drawn.guess,
}
"""The strategies, by the question of the judge that they are for."""


def applies(judge: Judge, kind: str) -> bool:
    """Return whether the version has such calls: what is legal only its family can say."""
    return kind == "guess" or judge.version.legal is not None


def run(
    judge: Judge, kind: str, examples: int, seed: int | None = None, *, shrink: bool = True
) -> None:
    """Judge as many calls of a kind. Without a seed, the same ones every time.

    Raises:
        AssertionError: a judge disagrees. The call is made as small as it gets, and shown.
    """
    question = getattr(judge, kind)

    @settings(
        max_examples=examples,
        derandomize=seed is None,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(KINDS[kind](judge.version))
    def ask(call: drawn.Drawn) -> None:
        question(call)

    (ask if seed is None else with_seed(seed)(ask))()
