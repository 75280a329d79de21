"""Runs cases on a target and says what became of each."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from opmill.conformance._cases import Case, Mismatch, cases
from opmill.conformance._models import InexpressibleError
from opmill.conformance._process import Answer, Worker
from opmill.conformance._report import Report

Progress = Callable[[int], None]
"""Called with the number of cases that are done."""


class Outcome(StrEnum):
    """The outcome of a case: RIGHT, OPEN, WRONG, REFUSED, COMPUTED, CRASHED or HUNG.

    A valid call is right, wrong or refused. An invalid one is refused, as it must be, or computed.
    Either is open if its outcome is another that ONNX's text allows. Either may crash or hang.
    """

    RIGHT = "right"
    OPEN = "open"
    WRONG = "wrong"
    REFUSED = "refused"
    COMPUTED = "computed"
    CRASHED = "crashed"
    HUNG = "hung"


@dataclass(frozen=True)
class Result:
    """A case and its outcome.

    Args:
        case: the case.
        outcome: the outcome.
        text: the difference, or the runtime's own message.
    """

    case: Case
    outcome: Outcome
    text: str = ""


def run(
    target: str,
    chosen: Iterable[Case] | None = None,
    *,
    strict: bool = False,
    jobs: int = 1,
    timeout: float = 20.0,
    progress: Progress | None = None,
) -> Report:
    """Test a target in processes of its own, so that a crash of it is a result.

    Args:
        target: a key of ``KNOWN``, or ``package.module:Backend``, a class with the interface of
            ``onnx.backend.base.Backend``.
        chosen: the cases, as ``cases(operators=["Tile"])`` yields them; by default all.
        strict: compare with the tolerances of the specs instead of those of ONNX's tests, and
            report as wrong what ONNX leaves open.
        jobs: the number of processes that compute.
        timeout: the seconds that a case may take.
        progress: called after each case with the number of cases that are done.

    Raises:
        TargetError: the target cannot be used.
    """
    first = Worker(target, timeout)
    name, version = first.start()
    report = Report(name, version, strict=strict)
    if chosen is None:
        chosen = cases()
    found = results(target, chosen, strict=strict, jobs=jobs, timeout=timeout, first=first)
    for done, result in enumerate(found, 1):
        report.add(result)
        if progress is not None:
            progress(done)
    return report


def target_version(target: str) -> tuple[str, str]:
    """Return the name and the version of a target, which is imported in a process of its own.

    Args:
        target: as for ``run``.

    Raises:
        TargetError: the target cannot be used.
    """
    worker = Worker(target, 1.0)
    try:
        return worker.start()
    finally:
        worker.stop()


def results(
    target: str,
    chosen: Iterable[Case],
    *,
    strict: bool = False,
    jobs: int = 1,
    timeout: float = 20.0,
    first: Worker | None = None,
) -> Iterator[Result]:
    """Yield the result of each case, in the order of the cases.

    Args:
        target: as for ``run``.
        chosen: the cases.
        strict: as for ``run``.
        jobs: the number of processes that compute.
        timeout: the seconds that a case may take.
        first: a worker that is running already, for ``run``.
    """
    waiting = iter(enumerate(chosen))
    reading = threading.Lock()
    finished: queue.Queue[tuple[int, Result] | BaseException | None] = queue.Queue()
    stopped = threading.Event()

    def work(worker: Worker) -> None:
        try:
            while not stopped.is_set():
                with reading:
                    position, case = next(waiting, (-1, None))
                if case is None:
                    break
                finished.put((position, result_of(case, worker, strict=strict)))
        except BaseException as error:
            finished.put(error)
        finally:
            worker.stop()
            finished.put(None)

    workers = [first or Worker(target, timeout)]
    workers += [Worker(target, timeout) for _ in range(jobs - 1)]
    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    running, following, early = len(threads), 0, dict[int, Result]()
    try:
        while running:
            found = finished.get()
            if found is None:
                running -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                early[found[0]] = found[1]
            while following in early:
                yield early.pop(following)
                following += 1
    finally:
        stopped.set()
        for worker in workers:
            worker.kill()  # of an interrupted run
        for thread in threads:
            thread.join()


def result_of(case: Case, worker: Worker, *, strict: bool = False) -> Result:
    """Put one case to a worker."""
    try:
        model = case.model().SerializeToString(deterministic=True)
    except InexpressibleError as error:
        return Result(case, Outcome.REFUSED, f"no model can hold the call: {error}")
    given: list[Any] = [
        array
        for array, value in zip(case.input_arrays(), case.inputs, strict=True)
        if value is not None
    ]
    return Result(case, *judged(case, worker.ask(model, given), strict=strict))


def judged(case: Case, answer: Answer, *, strict: bool) -> tuple[Outcome, str]:
    """Return the outcome of a case for an answer."""
    if answer.kind != "computed":
        return Outcome(answer.kind), answer.text
    is_open = bool(case.rests_on) and not strict
    if case.is_reject:
        outcome = Outcome.OPEN if is_open else Outcome.COMPUTED
        return outcome, f"computed an invalid call: {case.error}"
    try:
        case.judge(answer.outputs, strict=strict)
    except Mismatch as error:
        return Outcome.OPEN if is_open else Outcome.WRONG, str(error)
    return Outcome.RIGHT, ""
