"""The NumPy kernel of Loop: calls of the graph, whose results are handed on or stacked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.graphs import (
    MAX_TRIES,
    Graph,
    check_number,
    check_types,
    declared_types,
    is_true,
    repeat,
    returned,
    run_graph,
    stacked,
)


def compute(
    M: NDArray[Any] | None,
    cond: NDArray[Any] | None,
    v_initial: list[Any],
    *,
    body: Graph,
    outputs: int | None,
) -> list[Any]:
    """The values after the last iteration, and the stacked ones."""
    limit = None if M is None else int(M.reshape(())[()])
    goes_on = True if cond is None else bool(cond.reshape(())[()])
    state, carried = list(v_initial), len(v_initial)
    # The first output of the graph is the condition.
    count = returned(body, carried + 1, None if outputs is None else outputs + 1)
    collected: list[Any] = [[] for _ in range(count - 1 - carried)]
    done = 0
    while goes_on and (limit is None or done < limit):
        results = run_graph("body", body, (np.array(done, np.int64), np.array(True), *state))
        if done == 0:
            check_number("body", results, max(count, 2), exact=False)
            count = len(results)
            collected = [[] for _ in range(count - 1 - carried)]
        check_number("body", results, count)
        if cond is not None:
            goes_on = is_true("output 0 of body", results[0])
        check_types("body", state, results[1 : 1 + carried], first=1)
        state = results[1 : 1 + carried]
        for values, value in zip(collected, results[1 + carried :], strict=True):
            values.append(value)
        done += 1
        if done <= MAX_TRIES and goes_on and (limit is None or done < limit):
            conditional = cond is not None
            found = repeat(
                body, state, (), collected, done, limit, counted=True, conditional=conditional
            )
            if found is not None:
                done, goes_on, state, collected = found
                if goes_on and (limit is None or done < limit):
                    collected = [list(values) for values in collected]
    declared = declared_types(body, count)[1 + carried :]
    stacks = [
        stacked(f"output {1 + carried + k} of body", values, 0, one)
        for k, (values, one) in enumerate(zip(collected, declared, strict=True))
    ]
    return [*state, *stacks][:outputs]
