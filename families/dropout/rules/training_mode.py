"""The rule of versions whose inputs state the ratio and whether elements are dropped."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    data: Tensor, ratio: Tensor | None, training_mode: Tensor | None, *, seed: int | None
) -> None:
    """Shapes do not depend on both inputs, whose contents the kernels read."""
    if ratio is not None:
        check_rank("ratio", ratio, 0)
    if training_mode is not None:
        check_rank("training_mode", training_mode, 0)
    chosen = 0
    if seed is not None:
        chosen = seed
    output(output=data.shape)
    output(mask=data.shape)
    plan(training=False, probability=0.5, seed=chosen)
