"""The rule of the family graph_scan_batched."""

from _shared.scanning import check_directions, check_listed, check_scanned

from opmill_gen.rule_language.language import (
    Ints,
    Opaque,
    Tensor,
    Tensors,
    counted,
    dynamic,
    plan,
    require,
)


def rules(
    sequence_lens: Tensor | None,
    initial_state_and_scan_inputs: Tensors,
    *,
    body: Opaque,
    directions: Ints | None,
    num_scan_inputs: int,
) -> None:
    """A batch axis in front, in scanned inputs a sequence axis behind it."""
    inputs = len(initial_state_and_scan_inputs)
    check_scanned(num_scan_inputs, inputs)
    if directions is not None:
        check_listed("directions", directions, num_scan_inputs)
        check_directions("directions", directions)
    states = inputs - num_scan_inputs
    batch = 0
    length = 0
    for k in range(inputs):
        rank = initial_state_and_scan_inputs[k].rank
        lowest = 1 if k < states else 2
        require(
            rank >= lowest,
            f"initial_state_and_scan_inputs[{k}] has rank {rank}, expected at least {lowest}",
        )
        size = initial_state_and_scan_inputs[k].shape[0]
        if k == 0:
            batch = size
        require(
            size == batch,
            f"initial_state_and_scan_inputs[{k}] has size {size} along axis 0, expected {batch} "
            "(the batch size)",
        )
        if k >= states:
            size = initial_state_and_scan_inputs[k].shape[1]
            if k == states:
                length = size
            require(
                size == length,
                f"initial_state_and_scan_inputs[{k}] has size {size} along axis 1, expected "
                f"{length} (the length of the first scanned input)",
            )
    if sequence_lens is not None:
        require(
            sequence_lens.rank == 1 and sequence_lens.size == batch,
            f"sequence_lens.shape is {sequence_lens.shape}, expected [{batch}] (the batch size)",
        )
        lengths = sequence_lens.size
        require(
            lengths <= 1048576,
            f"sequence_lens has {counted(lengths, 'value')}, expected at most 1048576",
        )
        for k in range(lengths):
            count = sequence_lens.values[k]
            require(0 <= count <= length, f"sequence_lens[{k}] is {count}, expected 0 to {length}")
    plan(states=states, batch=batch, length=length)
    dynamic("final_state_and_scan_outputs")
