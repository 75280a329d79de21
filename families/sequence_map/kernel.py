"""The NumPy kernel of SequenceMap: a call of the graph for each tensor of the sequence."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.containers import TensorSequence
from opmill._runtime.errors import ContentsError
from opmill._runtime.graphs import (
    Graph,
    check_number,
    declared_types,
    described,
    returned,
    run_graph,
)


def compute(
    input_sequence: list[NDArray[Any]],
    additional_inputs: list[Any],
    *,
    body: Graph,
    outputs: int | None,
    length: int,
) -> list[TensorSequence]:
    """The sequences of what ``body`` returns."""
    for k, given in enumerate(additional_inputs):
        if isinstance(given, list) and len(given) != length:
            raise ContentsError(
                f"length of additional_inputs[{k}] is {len(given)}, expected {length} (that of "
                "input_sequence)"
            )
    count = returned(body, 1, outputs)
    types = declared_types(body, count)
    found = [TensorSequence((), getattr(one, "type", None)) for one in types]
    for position, tensor in enumerate(input_sequence):
        others = [one[position] if isinstance(one, list) else one for one in additional_inputs]
        results = run_graph("body", body, (tensor, *others))
        if position == 0:
            check_number("body", results, count, exact=outputs is not None)
            count = len(results)
            found += [TensorSequence() for _ in range(count - len(found))]
        check_number("body", results, count)
        for k, (sequence, value) in enumerate(zip(found, results, strict=True)):
            if value is None or isinstance(value, list):
                raise ContentsError(
                    f"output {k} of body for tensor {position} is {described(value)}, expected a "
                    "tensor"
                )
            sequence.append(value)
    return found
