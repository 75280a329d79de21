"""The NumPy kernel of If: the chosen graph computes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.graphs import Graph, check_number, run_graph


def compute(
    cond: NDArray[Any], *, else_branch: Graph, then_branch: Graph, outputs: int | None
) -> list[Any]:
    """The outputs of ``then_branch`` or of ``else_branch``."""
    chosen = bool(cond.reshape(())[()])
    name, graph = ("then_branch", then_branch) if chosen else ("else_branch", else_branch)
    results = run_graph(name, graph, ())
    check_number(name, results, 1 if outputs is None else outputs, exact=outputs is not None)
    return results
