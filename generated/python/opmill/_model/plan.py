"""Plans a graph once: which nodes run, in which memory, and which are constants.

Nothing here changes a bit of a result. Nodes that no result needs are left out; those whose inputs
are all constants are computed once, by the backend that the context chooses, and again for every
other choice (see ``constants``), but for elementwise ones behind a selection (see ``selection``);
weights are packed (see ``packing``); values are dropped when nothing reads them any more; nodes
that pass elements on as they are share memory (see ``views``); a C kernel may compute the node
behind its own too (see ``limits``).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opmill._model import budget
from opmill._model.constants import Choice, Folding, Shared, current_choice, memory_of
from opmill._model.graph import ABSENT, Graph, Node, live_nodes
from opmill._model.limits import Separate, limited_pairs, with_limits
from opmill._model.packing import Packing, pack, with_packed
from opmill._model.pieces import has_pieces, with_pieces
from opmill._model.segments import Part, parts_of
from opmill._model.selection import Selections
from opmill._model.steps import Step, gathering, is_watched, run_steps, step_results
from opmill._model.trace import suspended
from opmill._model.views import view_of
from opmill._runtime.backend import BackendError, backend_name
from opmill._runtime.operator import Operator


@dataclass(frozen=True, slots=True)
class Program:
    """A graph that is ready to run.

    Args:
        first: the values before a run, by number: initializers and constants, else ``None``.
        folding: the steps that compute constants.
        steps: the steps of a run, each of one node.
        joined_steps: the same, where a step may compute two nodes in C.
        parts: the steps in parts, which are computed in one call each where possible; in place of
            those that follow each other and that a fallback computes, one step.
        joined_parts: the joined steps in parts.
        results: the number of each result.
        lent: the positions of results that are copied, because others hold them too.
        needed: the numbers that the steps and results read and nothing computes.
        packings: the constants that are packed.
        shared: what the plans of the graph share.
    """

    first: tuple[Any, ...]
    folding: tuple[Step, ...]
    steps: tuple[Step, ...]
    joined_steps: tuple[Step, ...]
    parts: tuple[Part, ...]
    joined_parts: tuple[Part, ...]
    results: tuple[int, ...]
    lent: frozenset[int]
    needed: frozenset[int]
    packings: tuple[Packing, ...]
    shared: Shared
    _folded: dict[Choice, list[Any]] = field(default_factory=dict)

    def values(self) -> list[Any]:
        """The values that a run begins with, in a list of its own."""
        if not self.folding and not self.packings:
            return list(self.first)
        choice = current_choice()
        folded = self._folded.get(choice)
        if folded is None:
            folded = self._fold(choice)
            pack(folded, self.packings, self.shared.packs, choice)
            read = {number for step in self.folding for number in step.node.inputs}
            for number in read.union(*(packing.node.inputs for packing in self.packings)):
                if number not in self.needed:
                    folded[number] = None
            self._folded[choice] = folded
        return list(folded)

    def _fold(self, choice: Choice) -> list[Any]:
        """The values before a run with the constants that nodes compute."""
        folded = list(self.first)
        stored = self.shared.folded.get(choice, {})
        read = self.needed.union(*(packing.node.inputs for packing in self.packings))
        computed = {number for step in self.folding for number in step.outputs} - {ABSENT}
        if all(number in stored for number in computed & read):
            for number in computed & read:
                folded[number] = stored[number]
            return folded
        with suspended():
            run_steps(folded, self.folding)
        self.shared.store(choice, {number: folded[number] for number in computed & read})
        return folded

    def call(self, inputs: Any) -> Sequence[Any] | None:
        """Compute a run in one native call; see ``Part.call``."""
        return self.joined_parts[0].call(inputs) if len(self.joined_parts) == 1 else None

    def enter(
        self, names: tuple[str, ...], numbers: tuple[int, ...], inputs: tuple[Any, ...]
    ) -> None:
        """Let ``call`` compute later runs like one that succeeded; see ``Part.enter``."""
        if len(self.joined_parts) == 1 and not self.lent:
            self.joined_parts[0].enter(names, numbers, inputs, self.results)

    def run(self, values: list[Any]) -> None:
        """Compute all steps; see ``run_steps``."""
        if is_watched():
            joined = backend_name() == "c" and budget.active() is None
            run_steps(values, self.joined_steps if joined else self.steps)
            return
        for part in self.chosen_parts():
            part.run(values)

    def chosen_parts(self) -> tuple[Part, ...]:
        """The parts of a run on the backend that is chosen now."""
        return self.joined_parts if backend_name() == "c" else self.parts

    def outputs(self, values: Sequence[Any]) -> list[Any]:
        """The results, in memory of their own, out of the values after a run.

        Raises:
            MemoryError: they do not fit into memory, or into the budget of the context.
        """
        return [
            budget.counted_copy(values[number]) if position in self.lent else values[number]
            for position, number in enumerate(self.results)
        ]


def plan(
    graph: Graph,
    results: Sequence[int],
    fed: Iterable[int],
    *,
    fold: bool = True,
    shared: Shared | None = None,
) -> Program:
    """Plan the steps that compute some results of a graph.

    Args:
        graph: the graph.
        results: the numbers of the results.
        fed: the numbers of the inputs that a run is given, constants among them too.
        fold: whether to compute constants now.
        shared: what the plans of the same graph share; ``None`` for a plan of its own.
    """
    if shared is None:
        shared = Shared(graph.size, memory_of(graph.constants.values(), None, None))
    given = frozenset(fed)
    nodes = live_nodes(graph.nodes, results)
    constants = {n: value for n, value in graph.constants.items() if n not in given}
    known: dict[int, Any] = {ABSENT: None, **constants}
    early, late, size = list[Node](), nodes, graph.size
    if fold:
        selections = Selections(nodes, results, constants, size)
        nodes, constants, size = selections.nodes, selections.constants, selections.size
        early, late, known = _folded(nodes, results, constants, shared)
    computed = {number for node in early for number in node.outputs} - {ABSENT}
    pairs = limited_pairs(late, results, constants, known)
    late, packings = with_packed(late, constants.keys() | computed, size)
    read = {number for node in late for number in node.inputs} | set(results)
    needed = read.union(*(packing.node.inputs for packing in packings))
    produced = {number for node in late for number in node.outputs}
    lent: set[int] = set()
    seen: set[int] = set()
    for position, number in enumerate(results):
        if number not in produced or number in seen:
            lent.add(position)
        seen.add(number)
    first: list[Any] = [None] * (size + len(packings))
    for number in needed.union(*(node.inputs for node in early)) & constants.keys():
        first[number] = constants[number]
    fixed = {ABSENT, *constants}
    constant = frozenset({*constants, *computed, *(packing.number for packing in packings)})

    def steps_of(nodes: Sequence[Node], *, join: bool) -> tuple[Step, ...]:
        pieces = with_pieces(nodes, results, constant, join=join)
        return tuple(_steps(pieces, set(results), fixed, keep=set(results)))

    joins = has_pieces(late)
    steps = joined = steps_of(late, join=False)
    parts = joined_parts = parts_of(steps_of(late, join=True) if joins else steps, constant)
    if pairs:
        merged = with_limits(late, pairs, constants, _separate)
        joined = steps_of(merged, join=False)
        joined_parts = parts_of(steps_of(merged, join=True) if joins else joined, constant)
    return Program(
        tuple(first),
        tuple(_steps(early, set(), fixed, keep=needed.union(*(node.outputs for node in early)))),
        steps,
        joined,
        parts,
        joined_parts,
        tuple(results),
        frozenset(lent),
        frozenset(read - produced - {ABSENT}),
        tuple(packings),
        shared,
    )


def _folded(
    nodes: Sequence[Node], results: Sequence[int], constants: Mapping[int, Any], shared: Shared
) -> tuple[list[Node], list[Node], dict[int, Any]]:
    """The nodes that are constants, which are computed and stored, the others, and what is known.

    Args:
        nodes: the nodes of a run.
        results: the numbers of its results.
        constants: the constants that no node computes, by number.
        shared: what the plans of the graph share.
    """
    try:
        choice = current_choice()
    except BackendError:  # which a run reports
        return [], list(nodes), {ABSENT: None, **constants}

    def step_of(node: Node) -> Step:
        (step,) = _steps([node], set(), (), keep=set(node.outputs))
        return step

    known, stored = {ABSENT: None, **constants}, shared.folded.get(choice, {})
    found = Folding(nodes, step_of, results, known, shared.memory, stored)
    read = {number for node in found.others for number in node.inputs} | set(results)
    computed = {number for node in found.nodes for number in node.outputs} & read
    shared.store(choice, {number: found.known[number] for number in computed - {ABSENT}})
    return found.nodes, found.others, found.known


def _separate(node: Node, behind: Node, others: tuple[Any, ...]) -> Separate:
    """Return a step that computes a node and its reader, one after the other."""
    first, second = _steps((node, behind), set(), (), keep={*node.outputs, *behind.outputs})

    def compute(inputs: Sequence[Any]) -> Sequence[Any]:
        return step_results(second, (*step_results(first, inputs), *others))

    return compute


def _steps(
    nodes: Sequence[Node], results: set[int], fixed: Container[int], *, keep: set[int]
) -> list[Step]:
    """The nodes as steps; each releases what nothing after it reads, but for ``keep``."""
    read_later = {*keep, ABSENT}
    steps: list[Step] = []
    for node in reversed(nodes):
        released = {*node.inputs, *node.outputs} - read_later
        read_later |= released
        call, output = _call(node, node.outputs, results, fixed)
        if ABSENT in node.outputs:
            released.add(ABSENT)
        steps.append(
            Step(
                call,
                gathering(node.inputs),
                node.attributes,
                output,
                node.outputs,
                node.count,
                tuple(sorted(released)),
                node,
            )
        )
    steps.reverse()
    return steps


def _call(
    node: Node, outputs: tuple[int, ...], results: set[int], fixed: Container[int]
) -> tuple[Any, int]:
    """Return the function to call, and the number of its only output, or -1.

    ``fixed`` has the numbers of constants that no node computes.
    """
    operator = node.operator
    if not isinstance(operator, Operator):
        return operator.results, -1
    if len(operator.schema.outputs) != 1 or node.count is not None or len(outputs) != 1:
        return operator.results, -1
    if outputs[0] not in results:
        view = view_of(operator, fixed=all(number in fixed for number in node.inputs[1:]))
        if view is not None:
            return view, outputs[0]
    return operator.result, outputs[0]
