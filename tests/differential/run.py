"""Draws calls and has them judged: the one loop that the quick tests and the long runs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st

from differential.judges import Judge
from differential.versions import Version
from opmill.conformance import _drawn as drawn
from opmill_checks.drawing import Chance

DRAWING: dict[str, Callable[..., drawn.Drawn]] = {
    "legal": drawn.legal,
    "illegal": drawn.illegal,
    "guess": drawn.guess,
}
"""The functions that draw calls, by the question of the judge that they are for."""
KINDS = {kind: st.composite(draws) for kind, draws in DRAWING.items()}
"""The strategies."""


def applies(judge: Judge, kind: str) -> bool:
    """Return whether the version has such calls: what is legal only its family can say."""
    return kind == "guess" or judge.version.legal is not None


def calls(version: Version, kind: str, examples: int) -> Iterator[drawn.Drawn]:
    """Draw as many calls of a kind without Hypothesis, the same ones every time.

    Hypothesis takes longer to draw a call than it takes to refuse it. Each call has a seed of its
    own, so that it can be drawn again without those before it.
    """
    for number in range(examples):
        yield DRAWING[kind](Chance(f"{version.key} {kind} 0 {number}"), version)


def run_without_hypothesis(judge: Judge, kind: str, examples: int) -> None:
    """Judge as many calls of a kind, the same ones every time.

    Raises:
        AssertionError: a judge disagrees. The call is shown as it was drawn, with its number.
    """
    question = getattr(judge, kind)
    for number, call in enumerate(calls(judge.version, kind, examples)):
        try:
            question(call)
        except Exception as error:
            error.add_note(f"{judge.version.key}, {kind} call {number}: {call}")
            raise


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
