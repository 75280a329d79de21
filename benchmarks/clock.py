"""Times contenders against each other in one run.

They take turns, round after round, so that what disturbs the machine disturbs all of them. Before
each sample a contender rests, so that another's idle threads have stopped spinning, and makes one
call that is not counted, so that its own are awake and its buffers in cache.

Where the rounds of any contender lie far apart, other work disturbed the machine: all are
measured again, up to TRIES times, and the calmest try counts, whatever it says of whom.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

Call = Callable[[], object]

REST_SECONDS = 0.004
MAX_CALLS = 2000
TRIES = 3
CALM = 0.15
"""How far quartiles may lie apart, over the median."""


@dataclass(frozen=True)
class Effort:
    """Duration and number of measurements.

    Args:
        rounds: how often each contender has its turn.
        seconds: how long one turn lasts at least, one call excepted.
        processor_time: whether one thread is timed by what it computes instead of by what passes,
            which is the steadier figure on a busy machine. More threads have no such clock.
    """

    rounds: int
    seconds: float
    processor_time: bool = False

    def on(self, threads: int) -> Effort:
        """The effort for calls that use so many threads."""
        return self if threads == 1 else replace(self, processor_time=False)

    def now(self) -> float:
        """The clock, in seconds."""
        return time.thread_time() if self.processor_time else time.perf_counter()


FULL = Effort(rounds=7, seconds=0.01)
QUICK = Effort(rounds=5, seconds=0.005)


@dataclass(frozen=True)
class Spread:
    """The time of a call in seconds, over all rounds."""

    minimum: float
    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, times: list[float]) -> Spread:
        if len(times) < 2:
            return cls(*times * 4)
        lower, median, upper = statistics.quantiles(times, n=4, method="inclusive")
        return cls(min(times), lower, median, upper)

    @property
    def width(self) -> float:
        """The distance between the quartiles, over the median."""
        return (self.upper - self.lower) / self.median


def compare(
    calls: Mapping[str, Call], effort: Effort, rest: float = REST_SECONDS
) -> dict[str, Spread]:
    """Measure the time of one call of each contender."""
    counts = {name: _repetitions(call, effort) for name, call in calls.items()}
    tries: list[dict[str, Spread]] = []
    while len(tries) < TRIES and (not tries or _disturbance(tries[-1]) > CALM):
        tries.append(_measure(calls, counts, effort, rest))
    return min(tries, key=_disturbance)


def _disturbance(found: Mapping[str, Spread]) -> float:
    return max(spread.width for spread in found.values())


def _measure(
    calls: Mapping[str, Call], counts: Mapping[str, int], effort: Effort, rest: float
) -> dict[str, Spread]:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(effort.rounds):
        for name, call in calls.items():
            time.sleep(rest)
            call()
            times[name].append(_per_call(call, counts[name], effort))
    return {name: Spread.of(values) for name, values in times.items()}


def _repetitions(call: Call, effort: Effort) -> int:
    """Number of calls that fill a turn; found after warming up."""
    call()
    once = min(_per_call(call, 1, effort) for _ in range(2))
    return max(1, min(MAX_CALLS, round(effort.seconds / max(once, 1e-7))))


def _per_call(call: Call, count: int, effort: Effort) -> float:
    started = effort.now()
    for _ in range(count):
        call()
    return (effort.now() - started) / count
