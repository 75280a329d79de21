"""The rule of the family graph_scan."""

from _shared.scanning import check_directions, check_listed, check_scanned

from opmill_gen.rule_language.language import (
    Ints,
    Opaque,
    Tensors,
    dynamic,
    plan,
    require,
    require_attribute,
)


def rules(
    initial_state_and_scan_inputs: Tensors,
    *,
    body: Opaque,
    num_scan_inputs: int,
    scan_input_axes: Ints | None,
    scan_input_directions: Ints | None,
    scan_output_axes: Ints | None,
    scan_output_directions: Ints | None,
) -> None:
    """Axes that the scanned inputs have, all of one length, and directions."""
    inputs = len(initial_state_and_scan_inputs)
    check_scanned(num_scan_inputs, inputs)
    if scan_input_axes is not None:
        check_listed("scan_input_axes", scan_input_axes, num_scan_inputs)
    if scan_input_directions is not None:
        check_listed("scan_input_directions", scan_input_directions, num_scan_inputs)
        check_directions("scan_input_directions", scan_input_directions)
    if scan_output_directions is not None:
        check_directions("scan_output_directions", scan_output_directions)
    states = inputs - num_scan_inputs
    length = 0
    for k in range(inputs):
        position = k - states
        if position >= 0:
            rank = initial_state_and_scan_inputs[k].rank
            require(
                rank >= 1,
                f"initial_state_and_scan_inputs[{k}] has rank {rank}, expected at least 1",
            )
            axis = 0
            if scan_input_axes is not None:
                axis = scan_input_axes[position]
            require_attribute(
                -rank <= axis < rank,
                f"scan_input_axes[{position}] is {axis}, expected {-rank} to {rank - 1}",
            )
            if axis < 0:
                axis += rank
            size = initial_state_and_scan_inputs[k].shape[axis]
            if position == 0:
                length = size
            require(
                size == length,
                f"initial_state_and_scan_inputs[{k}] has size {size} along axis {axis}, expected "
                f"{length} (the length of the first scanned input)",
            )
    plan(states=states, length=length)
    dynamic("final_state_and_scan_outputs")
