"""Shared parts of the operators of ai.onnx.preview.training: tensors in groups."""

from opmill_gen.rule_language.language import (
    Positive,
    Tensors,
    counted,
    require,
    require_type,
)


def check_scalar(name: str, size: int) -> None:
    """A tensor of one number."""
    require(size == 1, f"{name} has {counted(size, 'element')}, expected 1")


def check_groups(inputs: Tensors, group: Positive, outputs: int) -> int:
    """Tensors to optimize, then as many gradients, and as many of each state, alike in groups.

    Returns:
        the number of tensors to optimize
    """
    count = max(len(inputs) // group, 1)  # at least 1; max() proves it to the compiler
    require(
        len(inputs) % group == 0,
        f"number of tensors is {len(inputs)}, expected a multiple of {group}",
    )
    expected = count * (group - 1)
    require(outputs == expected, f"number of outputs is {outputs}, expected {expected}")
    for k in range(len(inputs)):
        own = k % count
        require_type(
            inputs[k].type == inputs[own].type,
            f"inputs[{k}] has type {inputs[k].type}, expected {inputs[own].type} "
            f"(the type of inputs[{own}])",
        )
        require(
            inputs[k].rank == inputs[own].rank,
            f"inputs[{k}] has rank {inputs[k].rank}, expected {inputs[own].rank} "
            f"(the rank of inputs[{own}])",
        )
        for i in range(inputs[k].rank):
            require(
                inputs[k].shape[i] == inputs[own].shape[i],
                f"inputs[{k}].shape[{i}] is {inputs[k].shape[i]}, "
                f"expected {inputs[own].shape[i]} (inputs[{own}].shape[{i}])",
            )
    return count
