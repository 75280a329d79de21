"""The rule of losses of scores."""

from _shared.losses import check_classes, check_loss_reduction, check_weights, loss_dims

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    scores: Tensor,
    labels: Tensor,
    weights: Tensor | None,
    *,
    ignore_index: int | None,
    reduction: str,
) -> None:
    """A class for each sample, a weight for each class; log_prob has the shape of scores."""
    check_loss_reduction(reduction)
    check_classes("scores", scores, "labels", labels)
    if weights is not None:
        check_weights("weights", weights, "scores", scores)
    ignored = 0
    if ignore_index is not None:
        ignored = ignore_index
    output(output=loss_dims(labels, reduction))
    output(log_prob=scores.shape)
    plan(
        ignores=ignore_index is not None,
        ignored=ignored,
        reduces=reduction != "none",
        averages=reduction == "mean",
    )
