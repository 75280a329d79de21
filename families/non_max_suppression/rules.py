"""The rule of NonMaxSuppression: what may be selected at most, and the thresholds."""

from _shared.values import check_flag, check_one, check_rank

from opmill_gen.rule_language.language import Tensor, bound, plan, require


def rules(
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Tensor | None,
    iou_threshold: Tensor | None,
    score_threshold: Tensor | None,
    *,
    center_point_box: int,
) -> None:
    """At most as many boxes of each class as there are, or as are wanted."""
    check_flag("center_point_box", center_point_box)
    check_rank("boxes", boxes, 3)
    check_rank("scores", scores, 3)
    require(boxes.shape[2] == 4, f"boxes.shape[2] is {boxes.shape[2]}, expected 4")
    require(
        scores.shape[0] == boxes.shape[0],
        f"scores.shape[0] is {scores.shape[0]}, expected {boxes.shape[0]} (boxes.shape[0])",
    )
    require(
        scores.shape[2] == boxes.shape[1],
        f"scores.shape[2] is {scores.shape[2]}, expected {boxes.shape[1]} (boxes.shape[1])",
    )
    max_picks = 0
    overlap = 0.0
    lowest = 0.0
    filters = False
    if max_output_boxes_per_class is not None:
        check_one("max_output_boxes_per_class", max_output_boxes_per_class)
        max_picks = min(max(max_output_boxes_per_class.values[0], 0), boxes.shape[1])
    if iou_threshold is not None:
        check_one("iou_threshold", iou_threshold)
        overlap = iou_threshold.numbers[0]
        require(0.0 <= overlap <= 1.0, f"iou_threshold is {overlap}, expected 0 to 1")
    if score_threshold is not None:
        check_one("score_threshold", score_threshold)
        lowest = score_threshold.numbers[0]
        filters = True
    bound(selected_indices=[boxes.shape[0] * scores.shape[1] * max_picks, 3])
    plan(
        max_picks=max_picks,
        overlap=overlap,
        filters=filters,
        lowest=lowest,
        centered=center_point_box == 1,
    )
