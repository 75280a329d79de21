"""The rule of losses of logarithms of probabilities."""

from _shared.losses import check_classes, check_loss_reduction, check_weights, loss_dims

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> None:
    """A class for each sample and a weight for each class."""
    check_loss_reduction(reduction)
    check_classes("input", input, "target", target)
    if weight is not None:
        check_weights("weight", weight, "input", input)
    ignored = 0
    if ignore_index is not None:
        ignored = ignore_index
    output(loss=loss_dims(target, reduction))
    plan(
        ignores=ignore_index is not None,
        ignored=ignored,
        reduces=reduction != "none",
        averages=reduction == "mean",
    )
